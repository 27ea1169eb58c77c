// The statements of the commonest calls, credential check and transaction included. A change that adds
// a statement must update this table.
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { type Recorder, recordStatements } from '../support/statements.ts'
import { assertSends } from '../support/trips.ts'

interface Common {
  readonly name: string
  readonly model?: string
  readonly method: string
  readonly body: (n: number) => Record<string, unknown>
  readonly statements: number
  /** Round trips of the call to PostgreSQL. */
  readonly trips: number
}

let db: TestDatabase
let key: string
let ids: readonly number[]
let recorder: Recorder

before(async () => {
  db = await openTestDatabase(modules.filter((module) => module.name === 'base'))
  key = await createKey(db.databases, 'test', 'admin', { scope: 'rpc', name: 'test', days: 1 })
  ids = await db.run(async (env) => {
    const tags = (await env.model('res.partner.category').create([{ name: 'a' }, { name: 'b' }])).ids
    const vals = Array.from({ length: 200 }, (_, n) => ({
      name: `P${n}`,
      is_company: n % 9 === 0,
      category_id: [[6, 0, [tags[n % 2]]]],
    }))
    return (await env.model('res.partner').create(vals as never)).ids
  })
  recorder = recordStatements()
})
after(async () => {
  recorder.stop()
  await db?.close()
})

const some = (n: number) => ids.slice(n, n + 80)
const fields = ['name', 'email', 'country_id', 'category_id']

const calls: readonly Common[] = [
  {
    name: 'context_get',
    model: 'res.users',
    method: 'context_get',
    body: () => ({}),
    statements: 1,
    trips: 1,
  },
  { name: 'read one', method: 'read', body: (n) => ({ ids: [ids[n]], fields }), statements: 2, trips: 1 },
  { name: 'read 80', method: 'read', body: (n) => ({ ids: some(n), fields }), statements: 2, trips: 1 },
  { name: 'read every field', method: 'read', body: (n) => ({ ids: some(n) }), statements: 8, trips: 6 },
  {
    name: 'search',
    method: 'search',
    body: () => ({ domain: [['name', 'ilike', 'p1']], limit: 80 }),
    statements: 2,
    trips: 1,
  },
  {
    name: 'search_count',
    method: 'search_count',
    body: () => ({ domain: [['is_company', '=', true]] }),
    statements: 2,
    trips: 1,
  },
  {
    name: 'search_read 80',
    method: 'search_read',
    body: (n) => ({ domain: [], fields, limit: 80, offset: n }),
    statements: 2,
    trips: 1,
  },
  {
    name: 'search_read without limit',
    method: 'search_read',
    body: () => ({ domain: [['category_id.name', '=', 'a']], fields }),
    statements: 2,
    trips: 1,
  },
  { name: 'name_search', method: 'name_search', body: (n) => ({ name: `P${n}` }), statements: 2, trips: 1 },
  {
    name: 'web_search_read',
    method: 'web_search_read',
    body: () => ({
      domain: [],
      limit: 80,
      specification: {
        name: {},
        country_id: { fields: { display_name: {} } },
        category_id: { fields: { display_name: {} } },
      },
    }),
    statements: 2,
    trips: 1,
  },
  {
    name: 'web_read',
    method: 'web_read',
    body: (n) => ({
      ids: [ids[n]],
      specification: { name: {}, parent_id: { fields: { display_name: {} } }, category_id: {} },
    }),
    statements: 2,
    trips: 1,
  },
  {
    name: 'formatted_read_group',
    method: 'formatted_read_group',
    body: () => ({ domain: [], groupby: ['country_id'], aggregates: ['__count'] }),
    statements: 2,
    trips: 1,
  },
  {
    name: 'fields_get',
    method: 'fields_get',
    body: () => ({ attributes: ['type', 'string'] }),
    statements: 1,
    trips: 1,
  },
  {
    name: 'default_get',
    method: 'default_get',
    body: () => ({ fields: ['lang', 'type', 'active'] }),
    statements: 1,
    trips: 1,
  },
  {
    name: 'has_access',
    method: 'has_access',
    body: (n) => ({ ids: [ids[n]], operation: 'write' }),
    statements: 2,
    trips: 1,
  },
  {
    name: 'export_data',
    method: 'export_data',
    body: (n) => ({ ids: some(n), fields_to_export: ['name', 'country_id/code'] }),
    statements: 2,
    trips: 1,
  },
  {
    name: 'create one',
    method: 'create',
    body: (n) => ({ vals_list: [{ name: `New ${n}`, city: 'Namur' }] }),
    statements: 5,
    trips: 1,
  },
  {
    name: 'create 100',
    method: 'create',
    body: (n) => ({
      vals_list: Array.from({ length: 100 }, (_, i) => ({ name: `New ${n} ${i}`, city: 'Namur' })),
    }),
    statements: 5,
    trips: 1,
  },
  {
    name: 'write one',
    method: 'write',
    body: (n) => ({ ids: [ids[n]], vals: { city: `C${n}` } }),
    statements: 5,
    trips: 1,
  },
  {
    name: 'write 80',
    method: 'write',
    body: (n) => ({ ids: some(n), vals: { city: `D${n}` } }),
    statements: 5,
    trips: 1,
  },
  {
    name: 'web_save that creates',
    method: 'web_save',
    body: (n) => ({ vals: { name: `Saved ${n}`, city: 'Namur' }, specification: { name: {}, city: {} } }),
    statements: 6,
    trips: 3,
  },
  {
    name: 'web_save that writes',
    method: 'web_save',
    body: (n) => ({ ids: [ids[n]], vals: { city: `E${n}` }, specification: { name: {}, city: {} } }),
    statements: 6,
    trips: 2,
  },
  { name: 'copy', method: 'copy', body: (n) => ({ ids: [ids[n]] }), statements: 10, trips: 4 },
  {
    name: 'unlink',
    method: 'unlink',
    body: (n) => ({ ids: [ids[ids.length - 1 - n]] }),
    statements: 14,
    trips: 4,
  },
]

for (const { name, model = 'res.partner', method, body, statements, trips } of calls) {
  test(`${name}: ${statements} statements in ${trips} round trips`, () =>
    assertSends(db, key, recorder, (n) => ({ model, method, body: body(n) }), { statements, trips }))
}
