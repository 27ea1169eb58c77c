// Plans that are kept: the second call of a shape composes no statement, and answers what a call without any
// plan answers.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { recordStatements } from '../support/statements.ts'
import { composed } from './composed.ts'

let db: TestDatabase
let key: string
let ids: readonly number[]
let country: number
let tag: number

before(async () => {
  db = await openTestDatabase(modules.filter((module) => module.name === 'base'))
  ids = await db.run(async (env) => {
    const countries = (await env.model('res.country').search([], { limit: 4 })).ids
    country = countries[0] as number
    tag = (await env.model('res.partner.category').create([{ name: 'first' }, { name: 'second' }]))
      .ids[0] as number
    const vals = Array.from({ length: 60 }, (_, n) => ({
      name: `P${n % 7}`,
      city: ['Namur', 'Liège', false][n % 3],
      color: n % 5,
      is_company: n % 2 === 0,
      country_id: countries[n % 4],
      category_id: [[6, 0, [tag, tag + 1].slice(n % 3)]],
      partner_latitude: [0, 1.5, -2.25][n % 3],
    }))
    const ids = (await env.model('res.partner').create(vals as never)).ids
    await env
      .model('res.partner')
      .browse(ids.slice(40))
      .write({ parent_id: ids[1] } as never)
    await env.query(
      sql`UPDATE res_partner SET write_date = '2024-02-29 09:59:59.5'::timestamp + id % 5 * interval '7 hours' WHERE id = ANY(${ids}::int[])`,
    )
    return ids
  })
  key = await createKey(db.databases, 'test', 'admin', { scope: 'rpc', name: 'test', days: 1 })
})
after(() => db?.close())

test('patterns: those without letters are compared without folding, by a plan of their own', async (t) => {
  const recorder = recordStatements()
  t.after(() => recorder.stop())
  const keywords: (string | undefined)[] = []
  for (const pattern of ['99', '98', 'p1', 'P2', '97', '9_', '994', '995', '96']) {
    recorder.forget()
    await ask('search_count', { domain: [['name', 'ilike', pattern]] })
    const keyword = /"name" ((?:COLLATE "C" )?I?LIKE)/
    keywords.push(recorder.statements.flatMap(({ text }) => keyword.exec(text)?.[1] ?? [])[0])
  }
  // Two characters have no trigram: no index of these helps.
  const short = 'COLLATE "C" LIKE'
  assert.deepEqual(keywords, [short, short, 'ILIKE', 'ILIKE', short, 'ILIKE', 'LIKE', 'LIKE', short])
})

test('offsets: the plan of a window reads the rows that its reach names, and no more', async (t) => {
  const recorder = recordStatements()
  t.after(() => recorder.stop())
  const reaches: (string | undefined)[] = []
  for (const offset of [3, 4, 600, 601]) {
    recorder.forget()
    await ask('search_read', { domain: [], fields: ['color'], order: 'color', limit: 5, offset })
    reaches.push(recorder.statements.flatMap(({ text }) => /LIMIT (\d+)\) AS w/.exec(text)?.[1] ?? [])[0])
  }
  assert.deepEqual(reaches, ['256', '256', '1024', '1024'])
})

test('offsets: a window of more rows than are read at once has all its rows after each offset', async (t) => {
  const wide = [['name', '=', 'wide']]
  t.after(() => db.run((env) => env.query(sql`DELETE FROM res_partner WHERE name = 'wide'`)))
  const names = await db.run(async (env) => {
    await env.query(
      sql`INSERT INTO res_partner (name, active, type) SELECT 'wide', true, 'contact' FROM generate_series(1, 2700)`,
    )
    return [...env.def('res.partner').fields.values()]
      .filter(({ name, kind, column, compute, options: { hidden } }) => {
        return name !== 'id' && !hidden && kind !== 'binary' && (column || !compute || compute.options.sql)
      })
      .map(({ name }) => name)
  })
  assert.ok(names.length >= 50, 'fewer than 2000 rows of these fields are read at once')
  const lengths: number[] = []
  for (const offset of [100, 600]) {
    const window = { fields: names, order: 'id', limit: 2000, offset }
    lengths.push(((await ask('search_read', { domain: wide, ...window })) as unknown[]).length)
  }
  assert.deepEqual(lengths, [2000, 2000])
})

/** A context too long for any key: the call goes without plans. */
const unplanned = { nothing: 'x'.repeat(7000) }

async function ask(
  method: string,
  body: Record<string, unknown>,
  context: object = {},
  model = 'res.partner',
): Promise<unknown> {
  const { ids: records, ...named } = body
  const request = { database: 'test', credential: { kind: 'key', key } as const, model, method }
  const { json } = await call(db.databases, {
    ...request,
    body: () => ({ ids: records, context, named }),
    remote: '::1',
    requestId: 'test',
  })
  return JSON.parse(json)
}

const fields = ['name', 'country_id']
const shapes: Record<string, (n: number) => [string, Record<string, unknown>]> = {
  read: (n) => ['read', { ids: ids.slice(n, n + 3), fields }],
  search_read: (n) => ['search_read', { domain: [['name', '=', `P${n}`]], fields, limit: 80 }],
  'search_read behind an offset': (n) => [
    'search_read',
    { domain: [['country_id', '=', country + 1000 * n]], fields, limit: 80, offset: n },
  ],
  search: (n) => ['search', { domain: [['id', '=', ids[n]]] }],
  'search in lists and texts': (n) => [
    'search',
    {
      domain: [
        ['id', 'in', ids.slice(n, 2 * n + 2)],
        ['name', 'ilike', `p${n}`],
      ],
    },
  ],
  search_count: (n) => ['search_count', { domain: [['country_id', '=', country + n]] }],
  'search by moments': (n) => [
    'search',
    {
      domain: [
        ['create_date', '>=', `2020-01-0${n}`],
        ['write_date', '!=', `2020-01-0${n} 10:00:00`],
      ],
    },
  ],
  'search in trees': (n) => [
    'search',
    { domain: ['|', ['id', 'child_of', ids[n]], ['parent_id', 'parent_of', [ids[n], ids[2 * n]]]] },
  ],
  'search behind relations': (n) => [
    'search',
    {
      domain: [
        ['category_id', 'in', [n]],
        ['country_id', 'any', [['code', '=', `B${n}`]]],
        ['child_ids.color', '<', n],
      ],
    },
  ],
  'search by a value that stands twice': (n) => [
    'search',
    { domain: ['|', ['name', '=', `P${n}`], ['city', '=', `P${n}`]] },
  ],
  'search by patterns and numbers': (n) => [
    'search',
    {
      domain: [
        ['name', 'not ilike', `${n}_`],
        ['city', '=like', `N%${n}`],
        ['partner_latitude', '>', n + 0.5],
        ['color', '=?', n],
      ],
    },
  ],
}
for (const [name, make] of Object.entries(shapes)) {
  test(`${name}: the second call of a shape composes nothing`, async () => {
    await ask(...make(1))
    assert.ok(
      (await composed(() => ask(...make(2)).then(() => ask(...make(2), unplanned)))) > 0,
      'what counts statements counts none',
    )
    assert.equal(await composed(() => ask(...make(3))), 0)
    assert.deepEqual(await ask(...make(4)), await ask(...make(4), unplanned))
  })
}

test('plans: equal results with and without plans for random domains', async () => {
  let seed = 42
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T
  const days = [
    '2024-02-29',
    '2024-02-29',
    '2024-03-01',
    '2024-02-29 10:00:00',
    '2024-02-29 23:59:59',
    '2030-01-01 00:00:00',
  ]
  const further = (): unknown =>
    pick<() => unknown>([
      () => [
        'write_date',
        pick(['<', '<=', '>', '>=', '=', '!=', '=?']),
        pick([...days, false, 'today -1d', 'now +1H']),
      ],
      () => ['write_date', 'in', [pick(days), pick(days)]],
      () => [
        pick(['id', 'parent_id']),
        pick(['child_of', 'parent_of']),
        pick([ids[0], ids[1], [ids[1], ids[2]], [ids[2]], false, 'P1']),
      ],
      () => [
        'category_id',
        pick(['=', 'in', 'not in', '!=']),
        pick([tag, tag + 1, [tag, tag + 1], [tag], false, 'first']),
      ],
      () =>
        ['category_id', pick(['any', 'not any', 'child_of']), [leafOf('name', ['first', 'second'])]].map(
          (part, i, all) => (i === 2 && all[1] === 'child_of' ? tag : part),
        ),
      () => ['child_ids', pick(['any', 'not any']), [leaf()]],
      () => ['child_ids.name', pick(['=', 'not ilike', '=like']), pick(['P1', 'P_', 'P%', false])],
      () => ['country_id', pick(['any', 'not any']), [leafOf('code', ['BE', 'AD', 'AE'])]],
      () => [
        'partner_latitude',
        pick(['<', '<=', '>', '>=', '=', '!=']),
        pick([0, 1.5, 1.5, -2.25, 3, false]),
      ],
      () => ['color', pick(['<', '<=', '>', '>=', '=?']), pick([0, 1, 2, 2, -3, false])],
      () => [
        'name',
        pick(['like', 'not like', '=like', '=ilike', '<', '>=']),
        pick(['P1', 'p1', 'P%', 'P_', '', false, 'a\\']),
      ],
    ])()
  const leafOf = (field: string, values: readonly unknown[]) => [field, pick(['=', '!=']), pick(values)]
  const leaf = (): unknown => {
    const operator = pick(['=', '!=', 'in', 'not in', 'ilike', '=', '='])
    if (random(3) === 0) return further()
    const [field, values] = pick<[string, readonly unknown[]]>([
      ['name', ['P1', 'P2', '', false, 'P1']],
      ['city', ['Namur', 'Liège', false]],
      ['color', [0, 1, 2, 3, 3, -1, 2_147_483_648]],
      ['is_company', [true, false]],
      ['country_id', [country, country + 1, country + 1, false, 'Belgium']],
      ['country_id.code', ['BE', 'BE', 'AD', false]],
      ['id', [ids[0], ids[1], ids[2], 0, 3]],
      ['type', ['contact', 'invoice', false]],
    ])
    const several = () => Array.from({ length: 1 + random(3) }, () => pick(values))
    if (operator.endsWith('in')) return [field, operator, several()]
    return field === 'is_company' && operator === 'ilike'
      ? [field, '=', true]
      : [field, operator, pick(values)]
  }
  const domain = (depth: number): unknown[] => {
    if (depth === 0 || random(3) === 0) return [leaf()]
    return pick([
      () => ['!', ...domain(depth - 1)],
      () => [pick(['&', '|']), ...domain(depth - 1), ...domain(depth - 1)],
    ])()
  }
  const limits = [null, 3, 5, 80]
  for (let n = 0; n < 250; n++) {
    const body = {
      domain: domain(2),
      fields: pick([['name'], fields]),
      limit: pick(limits),
      offset: pick([0, 0, 1, 2, 3, 5]),
      order: pick([null, 'name, id desc']),
    }
    const answer = await ask('search_read', body)
    assert.deepEqual(answer, await ask('search_read', body, unplanned), JSON.stringify(body))
    const { domain: condition, limit } = body
    assert.equal(
      await ask('search_count', { domain: condition, limit }),
      await ask('search_count', { domain: condition, limit }, unplanned),
    )
  }
})

test('plans: dates are parameters, and conditions on today are not cached', async () => {
  const days = ['2010-01-01', '2010-01-02', '2010-01-02 23:00:00', '2010-01-03', '2050-01-01']
  const count = (operator: string, value: unknown, context: object = {}) =>
    ask('search_count', { domain: [['name', operator, value]] }, context, 'res.currency.rate')
  await db.run(async (env) => {
    const [currency_id] = (await env.model('res.currency').search([], { limit: 1 })).ids
    await env
      .model('res.currency.rate')
      .create(days.slice(0, 2).map((name) => ({ name, rate: 2, currency_id })) as never)
  })
  for (const operator of ['=', '!=', '<', '<=', '>', '>=']) {
    for (const day of [...days, ...days, false])
      assert.equal(await count(operator, day), await count(operator, day, unplanned), `${operator} ${day}`)
    assert.equal(await composed(() => count(operator, '2010-01-04')), 0)
    for (let i = 0; i < 2; i++) await count(operator, 'today -1d')
    assert.ok((await composed(() => count(operator, 'today -1d'))) > 0)
  }
})

test('plans: languages, companies, archived records and new rules have separate plans', async () => {
  const body = { domain: [['name', '=', 'P1']], fields: ['name'] }
  const count = async (context: object = {}) =>
    ((await ask('search_read', body, context)) as unknown[]).length
  const all = await count()
  assert.ok(all > 2)
  await db.run((env) =>
    env
      .model('res.partner')
      .browse([ids[1] as number])
      .write({ active: false }),
  )
  assert.equal(await count(), all - 1)
  assert.equal(await count({ active_test: false }), all)
  await assert.rejects(count({ allowed_company_ids: [99] }), /unauthorized or invalid companies/)
  await assert.rejects(count({ lang: 'xx_XX' }), /Invalid language code/)
  const rule = await db.run(async (env) => {
    const [model_id] = (await env.model('ir.model').search([['model', '=', 'res.partner']])).ids as [number]
    return (
      await env
        .model('ir.rule')
        .create([{ name: 'odd', model_id, domain_force: "[('is_company', '=', False)]" }] as never)
    ).ids
  })
  assert.ok((await count()) < all - 1)
  // Statements with rules that read the clock are not cached.
  await db.run((env) =>
    env
      .model('ir.rule')
      .browse(rule)
      .write({ domain_force: "[('create_date', '<=', time.strftime('%Y-%m-%d %H:%M:%S'))]" }),
  )
  assert.ok((await composed(() => count().then(() => count()))) >= 2)
  await db.run((env) => env.model('ir.rule').browse(rule).unlink())
  assert.equal(await count(), all - 1)
})

test('plans: a database with the versions of another shows its own small tables only', async () => {
  await db.databases.duplicate('test', 'twin')
  const twin = await db.databases.database('twin')
  assert.equal(twin.registry, db.database.registry)
  const marks = 'SELECT table_name, mark FROM dictionary_changes'
  const claim = `CREATE TEMP TABLE kept AS ${marks};
    UPDATE res_country SET name = jsonb_build_object('en_US', 'Nowhere ' || id);
    DELETE FROM dictionary_changes; INSERT INTO dictionary_changes (table_name, mark) SELECT * FROM kept`
  await twin.pool.use((connection) => connection.simple(claim))
  const keyOfTwin = await createKey(db.databases, 'twin', 'admin', { scope: null, name: 'twin', days: 1 })
  const shown = async (database: string, key: string) => {
    const named = { domain: [['country_id', '!=', false]], fields: ['country_id'], limit: 3 }
    const credential = { kind: 'key', key } as const
    const request = { database, credential, model: 'res.partner', method: 'search_read' }
    const body = () => ({ ids: undefined, context: {}, named })
    return String((await call(db.databases, { ...request, body, remote: '::1', requestId: 'test' })).json)
  }
  const before = await shown('test', key)
  assert.match(await shown('twin', keyOfTwin), /Nowhere/)
  assert.equal(await shown('test', key), before)
  assert.doesNotMatch(before, /Nowhere/)
})
