// Searches that are known by the form in which they are asked: whatever value stands in a form that is known,
// the answer, or the refusal, is that of a call that is parsed, judged and planned from the beginning.
import assert from 'node:assert/strict'
import { after, before, mock, test } from 'node:test'
import { limits, setLimits } from '../../src/limits.ts'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
let key: string
let ids: readonly number[]
let country: number

before(async () => {
  db = await openTestDatabase(modules.filter((module) => module.name === 'base'))
  ids = await db.run(async (env) => {
    const countries = (await env.model('res.country').search([], { limit: 4 })).ids
    country = countries[0] as number
    const vals = Array.from({ length: 40 }, (_, n) => ({
      name: `P${n % 7}`,
      city: ['Namur', 'Liège', false, 'a\\b', '100%'][n % 5],
      color: n % 5,
      active: n % 9 > 0,
      type: ['contact', 'invoice', 'other'][n % 3],
      is_company: n % 2 === 0,
      country_id: countries[n % 4],
    }))
    const ids = (await env.model('res.partner').create(vals as never)).ids
    await env
      .model('res.partner')
      .browse(ids.slice(30))
      .write({ parent_id: ids[1] } as never)
    return ids
  })
  key = await createKey(db.databases, 'test', 'admin', { scope: 'rpc', name: 'test', days: 1 })
})
after(() => db?.close())

/** A context too long for any key: the call goes without plans, and nothing is known of it. */
const unplanned = { nothing: 'x'.repeat(7000) }

/** The answer, or the name and words of the refusal. */
async function ask(
  named: Record<string, unknown>,
  context: object = {},
  by = key,
  model = 'res.partner',
): Promise<unknown> {
  try {
    const { json } = await call(db.databases, {
      ...{
        database: 'test',
        credential: { kind: 'key', key: by },
        model,
        method: 'search_read',
      },
      body: () => ({ ids: undefined, context, named }),
      ...{ remote: '::1', requestId: 'test' },
    })
    return JSON.parse(json)
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : error
  }
}

/**
 * Whether the plan of a question is cached; the right to read the model is then not looked up again.
 */
async function isKnown(named: Record<string, unknown>): Promise<boolean> {
  const { rights } = await db.database.callers.byKey(key)
  const judge = mock.method(rights, 'mayModel')
  await ask(named)
  judge.mock.restore()
  return judge.mock.callCount() === 0
}

const window = { fields: ['name', 'country_id'], limit: 80, order: 'id' }

/** Asks until its form is known. */
async function learn(named: Record<string, unknown>): Promise<void> {
  assert.ok(!(await isKnown(named)), 'who asks first is judged')
  assert.ok(await isKnown(named), `the form is known: ${JSON.stringify(named)}`)
}

const plain: readonly (readonly [path: string, operator: string, value: unknown])[] = [
  ['name', '=', 'P1'],
  ['name', '!=', 'P1'],
  ['name', '<', 'P3'],
  ['name', '=?', 'P3'],
  ['name', 'in', ['P1', 'P2']],
  ['name', 'not in', ['P1']],
  ['city', 'ilike', 'nam'],
  ['city', 'not like', 'Nam'],
  ['type', '=', 'contact'],
  ['type', 'in', ['contact', 'other']],
  ['is_company', '=', true],
  ['active', '=', false],
  ['color', '>', 2],
  ['color', 'in', [1, 2]],
  ['id', '=', 1],
  ['id', 'in', [1]],
  ['country_id', '=', 1],
  ['country_id', 'not in', [1, 2, 3]],
  ['country_id.code', '=', 'BE'],
  ['parent_id.name', 'ilike', 'p1'],
  ['child_ids', '=', 1],
  ['name', '=ilike', 'p1'],
  ['color', '<', -1],
  ['id', 'child_of', 1],
  ['partner_latitude', '<=', 1.5],
  ['create_date', '>=', '2020-01-31'],
  ['create_date', '=', '2020-01-31 10:00:00'],
]

const odd = (): readonly unknown[] => [
  ...['P1', '', ' ', 'p', '%', '_', '\\', 'a\\', 'a\0b', 'contact', 'no such', 'BE', 'today', '1', 'é'],
  ...['2031-01-31', '2020-02-30', '2020-01-31T10:00', '0001-01-01'],
  ...[0, 1, -1, 2, 1.5, Number.MAX_SAFE_INTEGER, 2_147_483_647, 2_147_483_648, ids[3], country, -0],
  ...[true, false, null, undefined, [], {}, [[]], [null], [false], [1, 'a'], ['P1', ''], ['P1', null]],
  ...[['P1', 'P1'], ['contact', 'invoice'], ['contact', 'no such'], [ids[0], ids[1]], [ids[0], 0], [1.5]],
  ...[[['name', '=', 'P1']], 'x'.repeat(5000), Array.from({ length: 300 }, (_, n) => n + 1)],
]

for (const [path, operator, value] of plain) {
  test(`${path} ${operator}: every value is answered as without plans`, async () => {
    await learn({ domain: [[path, operator, value]], ...window })
    for (const operand of odd()) {
      const named = { domain: [[path, operator, operand]], ...window }
      assert.deepEqual(
        await ask(named),
        await ask(named, unplanned),
        `${path} ${operator} ${JSON.stringify(operand)}`,
      )
    }
  })
}

test('cached searches: a value that a search rule rewrites is not a parameter of the statement', async () => {
  const numbered = (number: string) => ({ domain: [['acc_number', '=', number]], fields: ['acc_number'] })
  await db.run(async (env) => {
    const vals = ['BE71', 'BE72'].map((acc_number) => ({ acc_number, partner_id: ids[0] }))
    await env.model('res.partner.bank').create(vals as never)
  })
  for (const number of ['BE71', 'BE71', 'BE71', 'BE71', 'be 72']) {
    const answers = (await ask(numbered(number), {}, key, 'res.partner.bank')) as readonly unknown[]
    assert.equal(answers.length, 1, number)
  }
})

test('forms of a domain are told apart: operators, their spellings, paths that look like both', async () => {
  const forms = { ...window, limit: 79 }
  const leaf = ['name', '=', 'P1']
  const other = ['color', '>', 2]
  for (const domain of [[leaf], [leaf, other], ['|', leaf, other], ['!', leaf], ['!', '|', leaf, other]])
    await learn({ domain, ...forms })
  const odd: readonly unknown[] = [
    [],
    null,
    false,
    'name',
    [leaf, leaf],
    ['|', leaf],
    ['|', leaf, other, leaf],
    ['!', '!', leaf],
    ['&', leaf, other],
    ['!'],
    ['x', leaf],
    [['name', '==', 'P1']],
    [['name', 'NOT IN', ['P1']]],
    [['name not', 'in', ['P1']]],
    [['name = ?;color', '>', 2]],
    [['name', '= ?;color >', 2]],
    [['name.', '=', 'P1']],
    [['nothing', '=', 'P1']],
    [['name', '=', 'P1', 'more']],
    [[['name'], '=', 'P1']],
    [[1, '=', 1]],
    [{ 0: 'name', 1: '=', 2: 'P1', length: 3 }],
    Array.from({ length: 60 }, () => leaf),
    Array.from({ length: 101 }, () => leaf),
  ]
  for (const domain of odd) {
    const named = { domain, ...forms }
    for (let n = 0; n < 4; n++)
      assert.deepEqual(await ask(named), await ask(named, unplanned), JSON.stringify(domain))
  }
})

test('cached searches: distinguish fields, windows and forms of relations', async () => {
  const usual = { ...window, limit: 78 }
  const domain = [['color', '>', 1]]
  await learn({ domain, ...usual })
  const windows: readonly object[] = [
    { fields: ['name,country_id'] },
    { fields: ['country_id', 'name'] },
    { fields: ['name', 'no_such'] },
    { fields: ['name', 1] },
    { fields: [] },
    { fields: 0 },
    { fields: null, limit: 2 },
    { fields: 'name' },
    { offset: 3 },
    { offset: 4 },
    { offset: 4, limit: 3 },
    { offset: -1 },
    { offset: '2' },
    { limit: 1 },
    { limit: 0 },
    { limit: '5' },
    { limit: 1.5 },
    { limit: false },
    { order: 'name desc, id' },
    { order: 'no_such' },
    { order: false },
    { order: 1 },
    { load: null },
    { load: '_classic_read' },
  ]
  for (let round = 0; round < 4; round++)
    for (const other of windows) {
      const named = { domain, ...usual, ...other }
      assert.deepEqual(await ask(named), await ask(named, unplanned), JSON.stringify(other))
    }
})

test('cached searches: a window without a limit returns all rows', async () => {
  await db.run((env) =>
    env.query(sql`INSERT INTO res_partner_category (name, active, color)
      SELECT jsonb_build_object('en_US', 'tag ' || n), TRUE, 0 FROM generate_series(1, 2100) AS n`),
  )
  const read = async (offset: number, limit: number | null) =>
    (
      (await ask(
        { domain: [], fields: ['name'], offset, limit },
        {},
        key,
        'res.partner.category',
      )) as unknown[]
    ).length
  for (const limit of [null, 0, 2000, 2001, 5000]) {
    for (let n = 0; n < 4; n++) await read(5, limit)
    assert.equal(await read(2045, limit), 2100 - 2045, `limit ${limit}`)
  }
})

test('cached searches: a plan of one caller, language or choice of records serves no other', async () => {
  const named = { domain: [['color', '>', 2]], ...window, limit: 77 }
  await learn(named)
  const answer = await ask(named)
  const login = await db.run(async (env) => {
    const group = await env.ref('base.group_portal')
    await env
      .model('res.users')
      .create([{ name: 'Visitor', login: 'visitor', group_ids: [[6, 0, [group]]] }] as never)
    return 'visitor'
  })
  const theirs = await createKey(db.databases, 'test', login, { scope: 'rpc', name: 'test', days: 1 })
  for (let n = 0; n < 4; n++) {
    assert.deepEqual(await ask(named, {}, theirs), await ask(named, unplanned, theirs))
    assert.notDeepEqual(await ask(named, {}, theirs), answer)
    for (const context of [{ active_test: false }, { lang: 'xx_XX' }, { tz: 'Asia/Tokyo' }])
      assert.deepEqual(await ask(named, context), await ask(named, { ...context, ...unplanned }))
  }
})

test('cached searches: a revoked right is missing at the next call', async () => {
  const named = { domain: [['name', 'ilike', 'p']], ...window }
  await learn(named)
  const [rule] = await db.run(async (env) => {
    const model = await env.ref('base.model_res_partner')
    const vals = [{ name: 'closed', model_id: model, domain_force: "[('color', '=', 3)]" }]
    return (await env.model('ir.rule').create(vals as never)).ids
  })
  const hidden = (await ask(named)) as readonly unknown[]
  assert.deepEqual(hidden, await ask(named, unplanned))
  await db.run((env) =>
    env
      .model('ir.rule')
      .browse([rule as number])
      .unlink(),
  )
  assert.ok(((await ask(named)) as readonly unknown[]).length > hidden.length)
})

test('cached searches: limits apply', async (t) => {
  t.after(() => setLimits())
  const named = (value: unknown, path = 'name', operator = 'ilike') => ({
    domain: [[path, operator, value]],
    ...window,
    order: 'id desc',
  })
  await learn(named('p1'))
  await learn(named(['P1', 'P2', 'P3'], 'name', 'in'))
  await learn({
    domain: [
      ['name', '=', 'P1'],
      ['color', '>', 1],
    ],
    ...window,
    order: 'id desc',
  })
  setLimits({ pattern: 3, list: 2, terms: 1, compared: 10, fields: 1 })
  assert.equal(limits.pattern, 3)
  for (const body of [
    named('p1'),
    named('long'),
    named(['P1', 'P2', 'P3'], 'name', 'in'),
    named(['123456', '123456'], 'name', 'in'),
    {
      domain: [
        ['name', '=', 'P1'],
        ['color', '>', 1],
      ],
      ...window,
      order: 'id desc',
    },
  ]) {
    const refused = await ask(body)
    assert.match(String(refused), /PayloadTooLarge/, JSON.stringify(body.domain))
    assert.deepEqual(refused, await ask(body, unplanned))
  }
})
