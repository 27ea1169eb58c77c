// Trees under concurrency: records are created or moved below a record while one above it moves. In the
// end paths match parents.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { withRetries } from '../../src/postgres/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { sql } from '../../src/sql/index.ts'
import { works } from '../fixtures/modules/works/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([...modules.filter((module) => module.name === 'base'), works])
})
after(() => db?.close())

const nodes = (env: Environment, ids: readonly number[] = []) => env.model('works.node').browse(ids)

async function wrongPaths(table: 'works_node' | 'res_partner_category'): Promise<readonly unknown[]> {
  const name = table === 'works_node' ? sql`works_node` : sql`res_partner_category`
  return db.run((env) =>
    env.query(sql`WITH RECURSIVE tree(id, path) AS (SELECT id, id || '/' FROM ${name} WHERE parent_id IS NULL
      UNION ALL SELECT n.id, path || n.id || '/' FROM ${name} n JOIN tree ON n.parent_id = tree.id)
      SELECT n.id, n.parent_path, tree.path FROM ${name} n LEFT JOIN tree ON tree.id = n.id WHERE n.parent_path IS DISTINCT FROM tree.path`),
  )
}

/** A chain a → b → c, a branch s, and a place to move to. */
const planted = () =>
  db.run(async (env) => {
    const roots = await nodes(env).create([
      { name: 'a' },
      { name: 'b' },
      { name: 'c' },
      { name: 's' },
      { name: 'to' },
    ])
    const [a, b, c, s, to] = roots.ids as [number, number, number, number, number]
    await nodes(env, [b]).write({ parent_id: a })
    await nodes(env, [c]).write({ parent_id: b })
    return { a, b, c, s, to }
  })

type Planted = Awaited<ReturnType<typeof planted>>
const below: Record<string, (env: Environment, at: Planted) => Promise<unknown>> = {
  'a new record': (env, { c }) => nodes(env).create([{ name: 'new', parent_id: c }]),
  'new records, nested': (env, { c }) =>
    nodes(env, [c]).write({ child_ids: [[0, 0, { name: 'n', child_ids: [[0, 0, { name: 'm' }]] }]] }),
  'a moved branch': (env, { c, s }) => nodes(env, [s]).write({ parent_id: c }),
}
const above = (env: Environment, { a, to }: Planted) => nodes(env, [a]).write({ parent_id: to })

/**
 * Runs `first` whole while `second` has begun, and has its snapshot already; `second` is repeated when it
 * loses.
 */
async function within(
  first: (env: Environment) => Promise<unknown>,
  second: (env: Environment) => Promise<unknown>,
): Promise<number> {
  let attempts = 0
  await withRetries(() =>
    db.run(async (env) => {
      attempts++
      await env.query(sql`SELECT 1`)
      if (attempts === 1) await db.run(first)
      await second(env)
    }),
  )
  return attempts
}

for (const [what, work] of Object.entries(below)) {
  test(`${what} below a moving tree: the later transaction is repeated`, async () => {
    const tree = await planted()
    assert.equal(
      await within(
        (env) => work(env, tree),
        (env) => above(env, tree),
      ),
      2,
    )
    assert.deepEqual(await wrongPaths('works_node'), [])
    const two = await planted()
    assert.equal(
      await within(
        (env) => above(env, two),
        (env) => work(env, two),
      ),
      2,
    )
    assert.deepEqual(await wrongPaths('works_node'), [])
  })
}

test('trees: of two moves that would close a loop together, the later is rejected', async () => {
  const { a, c, s, to } = await planted()
  await db.run((env) => nodes(env, [s]).write({ parent_id: to }))
  await assert.rejects(
    within(
      (env) => nodes(env, [a]).write({ parent_id: s }),
      (env) => nodes(env, [to]).write({ parent_id: c }),
    ),
    { message: 'Recursion detected.' },
  )
  assert.deepEqual(await wrongPaths('works_node'), [])
})

test('trees: many callers create below one record while it moves: all succeed', async () => {
  const [parent, to] = await db.run(
    async (env) => (await env.model('res.partner.category').create([{ name: 'P' }, { name: 'T' }])).ids,
  )
  const key = await createKey(db.databases, 'test', 'admin', { scope: 'rpc', name: 'tree', days: 1 })
  const send = (method: string, body: { ids?: readonly number[]; named: Record<string, unknown> }) =>
    call(db.databases, {
      database: 'test',
      credential: { kind: 'key', key },
      model: 'res.partner.category',
      method,
      remote: '127.0.0.1',
      requestId: 'tree',
      body: () => structuredClone(body),
    })
  const creations = Array.from({ length: 24 }, (_, n) =>
    send('create', { named: { vals_list: [{ name: `c${n}`, parent_id: parent }] } }),
  )
  await Promise.all([
    ...creations,
    send('write', { ids: [parent as number], named: { vals: { parent_id: to } } }),
  ])
  assert.deepEqual(await wrongPaths('res_partner_category'), [])
  await db.run(async (env) =>
    assert.equal(
      await env.model('res.partner.category').searchCount([['id', 'child_of', [to as number]]]),
      26,
    ),
  )
})
