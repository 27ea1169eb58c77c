// Upsert: records created or updated by a key field, on several nodes at once, and errors of rejected
// rows.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { noExtension } from '../../src/config/index.ts'
import { Databases } from '../../src/databases/index.ts'
import { createServer, modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { raw } from '../../src/sql/index.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { statementsOf } from '../support/statements.ts'

let nodes: Nodes
before(async () => {
  nodes = await openNodes({
    count: 2,
    known: modules.filter(({ name }) => ['base', 'mail', 'uom', 'product'].includes(name)),
  })
})
after(() => nodes?.close())

interface Outcome {
  readonly index: number
  readonly status: string
  readonly id?: number
  readonly error?: Record<string, unknown>
}
type Row = Record<string, unknown>

const PARTNER = 'res.partner'
const put = (model: string, body: object, headers: Record<string, string> = {}, node = 0) =>
  nodes.call(`${model}/upsert`, body, headers, node)
const outcomes = async (model: string, body: object, headers?: Record<string, string>, node?: number) => {
  const response = await put(model, body, headers, node)
  assert.equal(response.status, 200, response.text)
  return response.body as Outcome[]
}
const statuses = (outcomes: readonly Outcome[]) => outcomes.map(({ status }) => status)
const query = (text: string) => nodes.run(({ unit }) => unit.query(raw(text)))
const read = async (model: string, ids: unknown[], fields: string[]) =>
  (await nodes.call(`${model}/read`, { ids, fields })).body as Row[]
const named = (count: number, prefix: string, more: object = {}) =>
  Array.from({ length: count }, (_, n) => ({
    external_id: `erp.${prefix}_${n}`,
    name: `${prefix} ${n}`,
    ...more,
  }))

test('upsert: creates, updates or leaves rows unchanged, without a write for equal ones', async () => {
  const vals_list: Row[] = named(3, 'first', { email: 'a@b.example', category_id: [[0, 0, { name: 'Tag' }]] })
  const created = await outcomes(PARTNER, { key: 'external_id', vals_list })
  assert.deepEqual(statuses(created), ['created', 'created', 'created'])
  const ids = created.map(({ id }) => id)
  const [{ category_id } = {}] = await read(PARTNER, ids.slice(0, 1), ['category_id'])
  const again = named(3, 'first', {
    email: 'a@b.example',
    comment: false,
    parent_id: null,
    child_ids: [],
    company_id: false,
  }).map((row, n) => (n === 0 ? { ...row, category_id: [[6, 0, category_id]], image_1920: false } : row))
  const rows = (table: string) => query(`SELECT id, xmin::text, write_date::text FROM ${table} ORDER BY id`)
  const feed = () => query('SELECT last_value FROM comptoir_feed_seq')
  const kept = [await rows('res_partner'), await rows('ir_model_data'), await feed()]
  const second = await outcomes(PARTNER, { key: ['external_id'], vals_list: again }, {}, 1)
  assert.deepEqual(
    second,
    ids.map((id, index) => ({ index, status: 'unchanged', id })),
  )
  assert.deepEqual([await rows('res_partner'), await rows('ir_model_data'), await feed()], kept)
  const third = await outcomes(PARTNER, {
    key: 'external_id',
    vals_list: [{ ...again[0], name: 'Other' }, again[1], { ...again[2], category_id: [[6, 0, []]] }],
  })
  assert.deepEqual(statuses(third), ['updated', 'unchanged', 'updated'])
  assert.deepEqual(
    (await read(PARTNER, ids, ['name'])).map(({ name }) => name),
    ['Other', 'first 1', 'first 2'],
  )
  assert.deepEqual(statuses(await outcomes(PARTNER, { key: [], vals_list: [{ name: 'Always new' }] })), [
    'created',
  ])
})

test('upsert: equality covers every type of value: delegates, amounts, dates, translations', async () => {
  const row = {
    external_id: 'mug',
    name: 'Mug',
    list_price: '9.5',
    standard_price: 4.25,
    weight: 0.333,
    description_sale: 'For tea',
    sale_ok: 1,
    barcode: '4006381333931',
  }
  assert.deepEqual(statuses(await outcomes('product.product', { key: 'external_id', vals_list: [row] })), [
    'created',
  ])
  assert.deepEqual(statuses(await outcomes('product.product', { key: 'external_id', vals_list: [row] })), [
    'unchanged',
  ])
  const changed = { ...row, description_sale: 'For coffee' }
  assert.deepEqual(
    statuses(await outcomes('product.product', { key: 'external_id', vals_list: [changed] })),
    ['updated'],
  )
  const rate = { name: '2026-11-21', currency_id: 1, company_id: 1, rate: 1.25 }
  const key = ['name', 'currency_id', 'company_id']
  for (const expected of ['created', 'unchanged'])
    assert.deepEqual(statuses(await outcomes('res.currency.rate', { key, vals_list: [rate] })), [expected])
  const typed = { prefer: 'values=typed' }
  const object = { ...rate, currency_id: { id: 1, display_name: 'x' } }
  assert.deepEqual(statuses(await outcomes('res.currency.rate', { key, vals_list: [object] }, typed)), [
    'unchanged',
  ])
})

test('keys: declared ones alone, each once; what has no value equals nothing', async () => {
  const refused = await put(PARTNER, { key: ['email'], vals_list: [{ email: 'x' }] })
  assert.deepEqual([refused.status, refused.headers.get('error-code')], [422, 'no_declared_key'])
  assert.deepEqual((refused.body as { context: object }).context, { keys: [['external_id']] })
  const hidden = await put('res.users.apikeys', { key: ['key_hash'], vals_list: [] })
  assert.doesNotMatch(hidden.text.replaceAll(/"message.*?keys/g, ''), /\["key_hash"\]/)
  const twice = await put(PARTNER, {
    key: 'external_id',
    vals_list: [...named(2, 'twice'), ...named(1, 'twice')],
  })
  assert.deepEqual([twice.status, twice.headers.get('error-code')], [422, 'duplicate_key'])
  assert.deepEqual((twice.body as { context: object }).context, { index: 2 })
  const many = await put(PARTNER, { key: [], vals_list: Array.from({ length: 1001 }, () => ({ name: 'x' })) })
  assert.deepEqual([many.status, many.headers.get('error-code')], [422, 'too_many'])
  for (const row of [{ name: 'x' }, { external_id: '', name: 'x' }, { external_id: 7, name: 'x' }])
    assert.equal((await put(PARTNER, { key: 'external_id', vals_list: [row] })).status, 422)
  const taken = await put(PARTNER, {
    key: 'external_id',
    vals_list: [{ external_id: 'base.EUR', name: 'x' }],
  })
  assert.match(taken.text, /another model/)
  // As the unique index has it.
  const group = { name: 'A group', privilege_id: false }
  const key = ['privilege_id', 'name']
  for (const _ of [1, 2])
    assert.deepEqual(statuses(await outcomes('res.groups', { key, vals_list: [group, group] })), [
      'created',
      'created',
    ])
  assert.equal((await put('res.groups', { key, vals_list: [{ name: 'x' }] })).status, 422)
  assert.equal((await put(PARTNER, { key: [], vals_list: [], on_error: 'maybe' })).status, 422)
})

test('upsert: failing rows undo all, or are skipped; their errors are those of create', async () => {
  const rows: Row[] = named(10, 'some')
  rows[3] = { ...rows[3], color: 'red' }
  rows[7] = { ...rows[7], parent_id: 987654 }
  const count = () => nodes.call(`${PARTNER}/search_count`, { domain: [['name', 'like', 'some ']] })
  const failed = await put(PARTNER, { key: 'external_id', vals_list: rows })
  assert.deepEqual(
    [failed.status, (failed.body as { context: Row }).context.index, (await count()).body],
    [422, 3, 0],
  )
  const streamed = await put(
    PARTNER,
    { key: 'external_id', vals_list: rows.slice(4) },
    { accept: 'application/problem+json' },
  )
  assert.deepEqual((streamed.body as { errors: Row[] }).errors[0], { pointer: '/vals_list/3' })
  const unknown = [...named(1, 'odd'), { external_id: 'odd', nmae: 'x' }]
  const odd = await put(
    PARTNER,
    { key: 'external_id', vals_list: unknown },
    { accept: 'application/problem+json' },
  )
  assert.deepEqual((odd.body as { errors: Row[] }).errors, [
    { pointer: '/vals_list/1/nmae', field: 'nmae', suggestions: ['name'] },
  ])
  for (const [name, values] of [
    ['nmae', ['x', 'y']],
    ['color', ['red', 'blue']],
  ] as const) {
    const [first, two] = values.map((value, n) => ({ external_id: `many${n}`, name: 'M', [name]: value }))
    const several = await put(
      PARTNER,
      { key: 'external_id', vals_list: [...named(1, 'odd'), first, { external_id: 'many', name: 'M' }, two] },
      { accept: 'application/problem+json' },
    )
    const { errors } = several.body as { errors: { pointer: string }[] }
    assert.deepEqual(
      errors.map(({ pointer }) => pointer),
      [`/vals_list/1/${name}`, `/vals_list/3/${name}`],
    )
  }
  const skipped = await outcomes(PARTNER, { key: 'external_id', vals_list: rows, on_error: 'skip' })
  const bad = [3, 7]
  assert.deepEqual(
    statuses(skipped),
    rows.map((_, n) => (bad.includes(n) ? 'failed' : 'created')),
  )
  assert.equal((await count()).body, 8)
  for (const n of bad) {
    const { external_id: _, ...vals } = rows[n] as Row
    assert.deepEqual(skipped[n]?.error, (await nodes.call(`${PARTNER}/create`, { vals_list: [vals] })).body)
  }
  const hopeless = {
    key: [],
    vals_list: Array.from({ length: 100 }, () => ({ color: 'red' })),
    on_error: 'skip',
  }
  const failure = await put(PARTNER, hopeless)
  assert.deepEqual([failure.status, failure.headers.get('error-code')], [422, 'too_many'])
})

test('upsert: hidden records fail alone, deleted ones are created again, and it needs the right to write', async () => {
  const [, mine] = await outcomes(PARTNER, { key: 'external_id', vals_list: named(2, 'hide') })
  const [{ id: hiddenId } = { id: 0 }] = await outcomes(PARTNER, {
    key: 'external_id',
    vals_list: named(1, 'hide'),
  })
  const [company] = (await nodes.call('res.company/create', { vals_list: [{ name: 'Elsewhere' }] }))
    .body as number[]
  await nodes.call(`${PARTNER}/write`, { ids: [hiddenId], vals: { company_id: company } })
  const [group] = (await nodes.call('res.groups/search', { domain: [['full_name', 'ilike', 'contact']] }))
    .body as number[]
  await nodes.call('res.users/create', {
    vals_list: [{ name: 'Clerk', login: 'clerk', group_ids: group ? [[4, group]] : [] }],
  })
  const key = await createKey(nodes.databases, 'test', 'clerk', { scope: null, name: 'clerk', days: 1 })
  const clerk = { authorization: `bearer ${key}` }
  const seen = await outcomes(
    PARTNER,
    { key: 'external_id', vals_list: named(2, 'hide', { email: 'x@y.example' }), on_error: 'skip' },
    clerk,
  )
  assert.deepEqual(statuses(seen), ['failed', 'updated'])
  assert.equal(seen[0]?.error?.name, 'odoo.exceptions.AccessError')
  assert.equal(
    (await put('res.currency', { key: ['name'], vals_list: [{ name: 'EUR', symbol: '€' }] }, clerk)).status,
    403,
  )
  await nodes.call(`${PARTNER}/unlink`, { ids: [mine?.id] })
  const anew = (await outcomes(PARTNER, { key: 'external_id', vals_list: named(2, 'hide').slice(1) }))[0]
  assert.equal(anew?.status, 'created')
  assert.notEqual(anew?.id, mine?.id)
})

test('upsert: two nodes with the same keys at once create each record once', async () => {
  for (const round of [1, 2, 3]) {
    const vals_list = named(60, `race${round}`)
    const both = await Promise.all(
      [0, 1, 0, 1].map((node) => outcomes(PARTNER, { key: 'external_id', vals_list }, {}, node)),
    )
    assert.equal(both.flat().filter(({ status }) => status === 'created').length, 60)
    const ids = new Set(both.flat().map(({ id }) => id))
    assert.equal(ids.size, 60)
    const tags = Array.from({ length: 60 }, (_, n) => ({ code: `k${round}-${n}`, name: 'x' }))
    const groups = await Promise.all(
      [0, 1, 0].map((node) => outcomes('res.country.group', { key: 'code', vals_list: tags }, {}, node)),
    )
    assert.equal(new Set(groups.flat().map(({ id }) => id)).size, 60)
  }
})

test('upsert: a thousand rows take as many statements as two; with a key, dry, in a batch', async () => {
  const run = (count: number, prefix: string, more = {}) =>
    statementsOf(() => outcomes(PARTNER, { key: 'external_id', vals_list: named(count, prefix, more) }))
  await run(2, 'warm')
  const few = (await run(2, 'few')).length
  assert.equal((await run(1000, 'many')).length, few)
  // A savepoint is set and released, external ids are looked up and entered.
  const statements = await statementsOf(() =>
    nodes.call(`${PARTNER}/create`, { vals_list: [{ name: 'a' }, { name: 'b' }] }),
  )
  assert.ok(few <= statements.length + 4 + 2, `${few} ${statements.length}`)
  assert.equal((await run(1000, 'many')).length, (await run(2, 'few')).length)
  assert.equal((await run(1000, 'many', { color: 3 })).length, (await run(2, 'few', { color: 3 })).length)
  const keyed = { 'idempotency-key': 'once' }
  const body = { key: [], vals_list: [{ name: 'Keyed' }] }
  assert.deepEqual((await put(PARTNER, body, keyed)).body, (await put(PARTNER, body, keyed, 1)).body)
  const rehearsed = await outcomes(
    PARTNER,
    { key: 'external_id', vals_list: named(1, 'dry') },
    { prefer: 'tx=rollback' },
  )
  assert.deepEqual(statuses(rehearsed), ['created'])
  assert.equal((await nodes.call(`${PARTNER}/search_count`, { domain: [['name', '=', 'dry 0']] })).body, 0)
  assert.equal((await put(PARTNER, body, { 'if-match': '"v1-x"' })).status, 422)
  const calls = [
    { model: PARTNER, method: 'upsert', body: { key: 'external_id', vals_list: named(1, 'batch') } },
  ]
  assert.equal((await nodes.post('/x/1/batch', { calls })).status, 200)
})

test('upsert: the method does not exist if the extension is off', async () => {
  const databases = await Databases.open({
    dataDir: nodes.databases.options.dataDir,
    databaseUrl: nodes.address(),
    modules: nodes.databases.options.modules,
    extensions: noExtension,
  })
  const server = await createServer({ databases, extensions: noExtension })
  try {
    const response = await fetch(`${server.url}/json/2/${PARTNER}/upsert`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `bearer ${nodes.key}`,
        'x-service-database': 'test',
      },
      body: JSON.stringify({ key: [], vals_list: [] }),
    })
    assert.equal(response.status, 404)
  } finally {
    await server.close()
    await databases.close()
  }
})
