// Few records by their ids: in the order in which they are named, whatever order PostgreSQL finds them in,
// and without those that are gone; texts to the byte as `JSON.stringify` writes them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

const NAMES = ['a", "b', 'null', 'back\\', '\\"', '[, \n]', 'é\u2028\u0007\u007f', '5', "'"]
const MISSING = 1_999_999_999

let db: TestDatabase
let key: string
let ids: readonly number[]
let country: { readonly id: number; readonly name: unknown }

before(async () => {
  db = await openTestDatabase(modules.filter((module) => module.name === 'base'))
  key = await createKey(db.databases, 'test', 'admin', { scope: 'rpc', name: 'test', days: 1 })
  const [firstCountry] = JSON.parse(await ask('res.country', 'search_read', { fields: ['name'], limit: 1 }))
  country = firstCountry
  const vals_list = NAMES.map((name, n) => ({
    name,
    city: n % 2 ? name : false,
    country_id: n % 3 ? country.id : false,
  }))
  ids = JSON.parse(await ask('res.partner', 'create', { vals_list }))
})
after(() => db?.close())

async function ask(
  model: string,
  method: string,
  named: Record<string, unknown>,
  about?: readonly number[],
): Promise<string> {
  const credential = { kind: 'key', key } as const
  const body = () => ({ ids: about, context: undefined, named })
  const request = { database: 'test', credential, model, method, body, remote: '::1', requestId: 'test' }
  return (await call(db.databases, request)).json
}

const at = (id: number) => ids.indexOf(id)
const cityAt = (n: number) => (n % 2 ? NAMES[n] : false)
const isPlaced = (n: number) => n % 3 > 0

const methods = {
  read: {
    named: { fields: ['name', 'city', 'country_id'] },
    answer: (some: readonly number[]) =>
      some.map((id) => ({
        id,
        name: NAMES[at(id)],
        city: cityAt(at(id)),
        country_id: isPlaced(at(id)) && [country.id, country.name],
      })),
  },
  web_read: {
    named: { specification: { name: {}, city: {}, country_id: { fields: { display_name: {} } } } },
    answer: (some: readonly number[]) =>
      some.map((id) => ({
        id,
        name: NAMES[at(id)],
        city: cityAt(at(id)),
        country_id: isPlaced(at(id)) && { id: country.id, display_name: country.name },
      })),
  },
  export_data: {
    named: { fields_to_export: ['name', 'city', 'country_id'] },
    answer: (some: readonly number[]) => ({
      datas: some.map((id) => [NAMES[at(id)], cityAt(at(id)) || '', isPlaced(at(id)) ? country.name : '']),
    }),
  },
}

for (const [method, { named, answer }] of Object.entries(methods))
  test(`${method} gives records in the order of their ids`, async () => {
    const backwards = ids.toReversed()
    const mixed = [...ids.filter((_, n) => n % 2), ...ids.filter((_, n) => n % 2 === 0)]
    // Each form as it is asked for the first time, planned, and known.
    for (let round = 0; round < 4; round++)
      for (const some of [ids, backwards, mixed, ids.slice(3, 4)]) {
        const json = await ask('res.partner', method, named, some)
        assert.deepEqual(JSON.parse(json), answer(some))
        for (const id of some) assert.ok(json.includes(JSON.stringify(NAMES[at(id)])))
        const among = [some[0] as number, MISSING, ...some.slice(1)]
        assert.equal(await ask('res.partner', method, named, among), json, 'those that are gone are left out')
      }
    assert.deepEqual(JSON.parse(await ask('res.partner', method, named, [MISSING])), answer([]))
  })

test('records by ids: have their links in order, for few or many records, by ids or in a page', async () => {
  const names = ['delta', 'alpha', 'gone', 'echo', 'bravo', 'charlie']
  const vals_list = names.map((name) => ({ name, active: name !== 'gone' }))
  const tags: number[] = JSON.parse(await ask('res.partner.category', 'create', { vals_list }))
  const contacts = Array.from({ length: 40 }, (_, n) => ({
    name: `Linked ${n}`,
    category_id: tags.filter((_, k) => (n >> k) % 2),
  }))
  const ids: number[] = JSON.parse(await ask('res.partner', 'create', { vals_list: contacts }))
  const seen = tags.filter((_, k) => names[k] !== 'gone')
  const named = (tag: number) => names[tags.indexOf(tag)] ?? ''
  seen.sort((tag, other) => (named(tag) < named(other) ? -1 : 1))
  const linked = (n: number) => seen.filter((tag) => (n >> tags.indexOf(tag)) % 2)
  const shown = new Map(ids.map((id, n) => [id, linked(n)]))
  const fields = ['category_id', 'name']
  const expected = (some: readonly number[]) =>
    some.map((id) => ({ id, category_id: shown.get(id), name: contacts[ids.indexOf(id)]?.name }))
  for (let round = 0; round < 4; round++)
    for (const count of [1, 2, 15, 16, 17, 40]) {
      const some = ids.slice(0, count).toReversed()
      assert.deepEqual(JSON.parse(await ask('res.partner', 'read', { fields }, some)), expected(some))
      const specification = { category_id: {}, name: {} }
      const rows = JSON.parse(await ask('res.partner', 'web_read', { specification }, some))
      assert.deepEqual(rows, expected(some))
      for (const offset of [0, 3]) {
        const question = { domain: [['id', 'in', some]], fields, order: 'id desc', limit: count, offset }
        const page = JSON.parse(await ask('res.partner', 'search_read', question))
        assert.deepEqual(page, expected(some.slice(offset)))
      }
    }
})
