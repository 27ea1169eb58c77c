// Creations and writes of a known form leave in one flush, from BEGIN to COMMIT: what they stand on is
// checked in it, and where it does not hold nothing of it was done.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { sql } from '../../src/sql/index.ts'
import { type Heard, type Nodes, openNodes } from '../support/nodes.ts'
import { measured } from '../support/statements.ts'

let nodes: Nodes
before(async () => {
  nodes = await openNodes({ count: 2, known: modules.filter(({ name }) => name === 'base') })
})
after(() => nodes?.close())

const bearer = (key: string) => ({ authorization: `bearer ${key}` })
const keyOf = (login: string, name = 'test') =>
  createKey(nodes.databases, 'test', login, { scope: null, name, days: 1 })
const create = (vals: object, headers = {}, node = 0) =>
  nodes.call('res.partner/create', { vals_list: [vals] }, headers, node)
const write = (ids: readonly number[], vals: object, headers = {}, node = 0) =>
  nodes.call('res.partner/write', { ids, vals }, headers, node)
const query = (text: ReturnType<typeof sql>) => nodes.run(({ unit }) => unit.query(text))
const firstValue = async (text: ReturnType<typeof sql>) => (await query(text))[0]?.[0]

/** Contacts with this name, and the feed's changes of them. */
const left = (name: string) =>
  query(sql`SELECT p.id, p.commercial_partner_id, p.city, (SELECT string_agg(f.op || f.fields::text, ' ' ORDER BY f.seq) FROM comptoir_change f WHERE p.id = ANY(f.ids))
    FROM res_partner p WHERE p.name = ${name} ORDER BY p.id`)

/** Makes the form of creations and writes known to a node, and gives the contacts. */
async function warm(headers = {}, node = 0): Promise<number[]> {
  const ids: number[] = []
  for (let n = 0; n < 3; n++) {
    ids.push(...((await create({ name: 'Warm', city: 'Huy' }, headers, node)).body as number[]))
    await write(ids.slice(-1), { city: 'Spa' }, headers, node)
  }
  return ids
}

test('one flush: creating or writing a contact takes five statements and one round trip; a write with a key has one more', async () => {
  const [id] = await warm()
  for (const headers of [{}, { 'idempotency-key': '"made"' }]) {
    const keys = Object.keys(headers).length
    const name = `Made ${keys}`
    const creation = await measured(() => create({ name, city: 'Namur' }, headers))
    assert.deepEqual([creation.trips, creation.statements, creation.response.status], [1, 5, 200])
    const searches = creation.texts.filter((text) => text.includes('pg_get_serial_sequence'))
    assert.deepEqual(searches, [], 'the sequence of the ids is known by its name')
    const [id] = creation.response.body as number[]
    assert.deepEqual(await left(name), [[id, id, 'Namur', 'c{}']])
  }
  for (const headers of [{}, { 'idempotency-key': '"written"' }]) {
    const written = await measured(() => write([id as number], { city: 'Liège' }, headers))
    assert.deepEqual(
      [written.trips, written.statements, written.response.text],
      [1, 5 + Object.keys(headers).length, 'true'],
    )
  }
  assert.equal(await firstValue(sql`SELECT city FROM res_partner WHERE id = ${id as number}::int`), 'Liège')
  const again = await measured(() =>
    create({ name: 'Made 1', city: 'Namur' }, { 'idempotency-key': '"made"' }),
  )
  assert.deepEqual([again.trips, again.response.headers.get('idempotent-replayed')], [2, 'true'])
  assert.equal(
    `[${(await left('Made 1'))[0]?.[0]}]`,
    again.response.text,
    'the answer that was kept has the id',
  )
})

test('one flush: a record rule refuses a write before its values are checked; others take one round trip', async () => {
  const [id = 0, hidden = 0] = await warm()
  const [model] = await query(sql`SELECT id FROM ir_model WHERE model = 'res.partner'`)
  const rule = { name: 'cities', model_id: model?.[0], domain_force: "[('city', '!=', 'Hidden')]" }
  const [ruleId] = (await nodes.call('ir.rule/create', { vals_list: [rule] })).body as number[]
  const code = ({ headers }: Heard) => headers.get('error-code')
  await nodes.run((env) =>
    env
      .model('res.partner')
      .browse([hidden])
      .write({ city: 'Hidden' } as never),
  )
  const bad = { city: 'Spa', color: 'red' }
  assert.equal(code(await write([hidden], bad)), 'access_error', 'nothing is known of the form')
  for (const _ of [1, 2, 3]) await write([id], { city: 'Spa', color: 1 })
  assert.equal(code(await write([id], bad)), 'invalid_value')
  for (const _ of [1, 2, 3]) await write([id], { city: 'Spa', color: 1 })
  assert.equal(code(await write([hidden], bad)), 'access_error')
  for (const _ of [1, 2, 3]) await write([id], { ref: 'S' })
  const before = await measured(() => write([id], { ref: 'S' }))
  for (const contact of [hidden, 999_999_999])
    assert.notEqual((await write([contact], { ref: 'S' })).status, 200)
  const behind = await measured(() => write([id], { ref: 'S' }))
  assert.deepEqual([behind.trips, behind.texts], [1, before.texts], 'the form stays known')
  await nodes.call('ir.rule/unlink', { ids: [ruleId] })
})

test('one flush: concurrent creates get their own ids, in the form of each protocol', async () => {
  await warm()
  const creations = await Promise.all(
    Array.from({ length: 40 }, (_, n) => create({ name: `Many ${n}`, city: 'Ath' }, {}, n % 2)),
  )
  for (const [n, { body }] of creations.entries())
    assert.deepEqual(await left(`Many ${n}`), [[(body as number[])[0], (body as number[])[0], 'Ath', 'c{}']])
  const args = ['test', 2, nodes.key, 'res.partner', 'create', [{ name: 'By RPC', city: 'Ath' }]]
  for (let n = 0; n < 3; n++) {
    const response = await nodes.post('/jsonrpc', {
      ...{ jsonrpc: '2.0', id: 1, method: 'call' },
      params: { service: 'object', method: 'execute_kw', args },
    })
    const { result } = response.body as { result: unknown }
    assert.equal(result, (await left('By RPC'))[n]?.[0], response.text)
  }
})

test('one flush: a revoked key and changed rights stop the call', async () => {
  const clerk = await nodes.run(async (env) => {
    const groups = await Promise.all(
      ['group_user', 'group_partner_manager'].map((name) => env.ref(`base.${name}`)),
    )
    const vals = { name: 'Clerk', login: 'clerk', group_ids: [[6, 0, groups]] }
    return (await env.model('res.users').create([vals] as never)).ids[0] as number
  })
  const [mine, gone] = [bearer(await keyOf('clerk')), bearer(await keyOf('clerk', 'gone'))]
  const [id = 0] = await warm(mine)
  await warm(gone)
  await nodes.call('res.users.apikeys/search', { domain: [] }, {}, 1)
  await query(sql`DELETE FROM res_users_apikeys WHERE name = 'gone'`)
  assert.equal((await create({ name: 'Without', city: 'Ath' }, gone)).status, 401)
  assert.equal((await write([id], { city: 'Without' }, gone)).status, 401)
  const manager = await nodes.run((env) => env.ref('base.group_partner_manager'))
  // The other node takes the right away: this one still believes in it.
  const taken = await nodes.call(
    'res.users/write',
    { ids: [clerk], vals: { group_ids: [[3, manager]] } },
    {},
    1,
  )
  assert.equal(taken.status, 200, taken.text)
  assert.equal((await create({ name: 'Without', city: 'Ath' }, mine)).status, 403)
  assert.equal((await write([id], { city: 'Without' }, mine)).status, 403)
  assert.deepEqual(await left('Without'), [])
  assert.equal(await firstValue(sql`SELECT count(*)::int FROM res_partner WHERE city = 'Without'`), 0)
})

test('one flush: a failed assertion repeats the call on the general path', async () => {
  const [id = 0] = await warm()
  const below = (await create({ name: 'Below', parent_id: id })).body as number[]
  assert.equal((await write([id], { city: 'Mons' })).text, 'true')
  assert.equal(
    await firstValue(sql`SELECT city FROM res_partner WHERE id = ${below[0] as number}::int`),
    'Mons',
  )
  assert.equal((await write([id, 9_999_999], { city: 'Mons' })).status, 404)
  const [definition] = (await query(sql`SELECT id FROM properties_base_definition`))[0] as [number]
  const defined = await nodes.call(
    'properties.base.definition/write',
    {
      ids: [definition],
      vals: { properties_definition: [{ name: 'nick', type: 'char', string: 'Nick', default: 'Nn' }] },
    },
    {},
    1,
  )
  assert.equal(defined.status, 200, defined.text)
  for (const headers of [{}, { 'idempotency-key': '"defined"' }]) {
    const creation = await create({ name: 'Defined', city: 'Mons' }, headers)
    const [id] = creation.body as number[]
    const kept = sql`SELECT properties FROM res_partner WHERE id = ${id as number}::int`
    assert.deepEqual(JSON.parse(String(await firstValue(kept))), { nick: 'Nn' })
  }
  const again = await create({ name: 'Defined', city: 'Mons' }, { 'idempotency-key': '"defined"' })
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.equal((await left('Defined')).length, 2)
})

test('one flush: a deferred check runs after the row is written, and a failed one is reported', async () => {
  for (let n = 0; n < 3; n++)
    assert.equal((await create({ name: 'Coded', barcode: false, city: 'Ath' })).status, 200)
  assert.equal((await create({ name: 'Coded', barcode: '4006381', city: 'Ath' })).status, 200)
  const twice = await create({ name: 'Twice', barcode: '4006381', city: 'Ath' })
  assert.deepEqual([twice.status, (await left('Twice')).length], [422, 0])
  assert.match(twice.text, /already has this barcode/)
  // A number that looks like one that stands for an id.
  for (let n = 0; n < 3; n++) {
    const odd = await create({ name: `Odd ${2 ** 31 - 1}`, color: 2 ** 31 - 1 })
    assert.equal(odd.status, 200, odd.text)
  }
  const kept = await query(sql`SELECT DISTINCT complete_name, color FROM res_partner WHERE name LIKE 'Odd %'`)
  assert.deepEqual(kept, [[`Odd ${2 ** 31 - 1}`, 2 ** 31 - 1]])
})
