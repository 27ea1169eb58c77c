// Trees: big subtrees move, loops are refused, one record or many at once, at creation too.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { UserError, ValidationError } from '../../src/errors.ts'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import type { FieldDef } from '../../src/models/language/definitions.ts'
import { sql } from '../../src/sql/index.ts'
import { works } from '../fixtures/modules/works/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { statementsOf } from '../support/statements.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([...modules.filter((module) => module.name === 'base'), works])
})
after(() => db?.close())

const nodes = (env: Environment, ids: readonly number[] = []) => env.model('works.node').browse(ids)

/** Paths that do not say what the parents say. */
async function wrongPaths(env: Environment): Promise<readonly unknown[]> {
  return env.query(sql`WITH RECURSIVE tree(id, path) AS (SELECT id, id || '/' FROM works_node WHERE parent_id IS NULL
    UNION ALL SELECT n.id, path || n.id || '/' FROM works_node n JOIN tree ON n.parent_id = tree.id)
    SELECT n.id, n.parent_path, tree.path FROM works_node n LEFT JOIN tree ON tree.id = n.id WHERE n.parent_path IS DISTINCT FROM tree.path`)
}

test('hierarchy: a subtree of hundreds moves with paths and stored values, in statements proportional to its depth', async () => {
  await db.run(async (env) => {
    const branch = (depth: number): object => ({
      name: `d${depth}`,
      own: 1,
      child_ids: depth === 0 ? [] : [1, 2, 3].map(() => [0, 0, branch(depth - 1)]),
    })
    const [root, other] = (await nodes(env).create([branch(5), { name: 'other', own: 1 }] as never)).ids as [
      number,
      number,
    ]
    assert.equal((await nodes(env, [root]).one(['total'])).total, 364)
    assert.deepEqual(await wrongPaths(env), [])
    const sent = await statementsOf(async () => {
      await nodes(env, [root]).write({ parent_id: other })
      assert.equal((await nodes(env, [other]).one(['total'])).total, 365)
      assert.equal(
        (
          await nodes(env).search([
            ['id', 'child_of', other],
            ['depth', '=', 6],
          ])
        ).length,
        243,
      )
    })
    assert.ok(sent.length < 80, `${sent.length} statements for 364 records`)
    assert.deepEqual(await wrongPaths(env), [])
    assert.equal((await nodes(env).search([['id', 'child_of', root]])).length, 364)
    await nodes(env, [root]).write({ parent_id: false })
    assert.deepEqual(await wrongPaths(env), [])
    assert.equal((await nodes(env, [other]).one(['total'])).total, 1)
  })
})

test('loops are refused: of one, of two, of a batch whose members hang on each other', async () => {
  const [a, b, c, d] = await db.run(async (env) => {
    const [a] = await nodes(env).create([
      { name: 'a', child_ids: [[0, 0, { name: 'b', child_ids: [[0, 0, { name: 'c' }]] }]] },
    ])
    const below = await nodes(env).search([['id', 'child_of', a?.ids as number[]]], { order: 'depth' })
    const d = await nodes(env).create([{ name: 'd' }])
    return [...below.ids, ...d.ids] as [number, number, number, number]
  })
  const refused: [readonly number[], number][] = [
    [[a], a],
    [[a], c],
    [[b, a], c],
    [[d, b], b],
    [[d, a], b],
  ]
  for (const [ids, parent_id] of refused) {
    await assert.rejects(
      db.run((env) => nodes(env, ids).write({ parent_id })),
      UserError,
    )
  }
  await assert.rejects(
    db.run((env) => nodes(env, [c]).write({ child_ids: [[4, a]] })),
    UserError,
  )
  await db.run(async (env) => {
    assert.deepEqual(await wrongPaths(env), [])
    // Moving a whole chain at once below somebody else flattens it.
    await nodes(env, [a, b, c]).write({ parent_id: d })
    assert.deepEqual(await wrongPaths(env), [])
    assert.deepEqual(
      (await nodes(env, [a, b, c]).load(['depth'])).map((n) => n.depth),
      [1, 1, 1],
    )
  })
})

test('hierarchy: a plain tree rejects loops too, with its own message', async () => {
  const steps = (env: Environment, ids: readonly number[] = []) => env.model('works.step').browse(ids)
  const ids = await db.run(async (env) => {
    const [step] = await steps(env).create([{ name: '1', child_ids: [[0, 0, { name: '2' }]] }])
    return (await steps(env).search([['id', 'child_of', step?.ids as number[]]], { order: 'id' })).ids as [
      number,
      number,
    ]
  })
  await assert.rejects(
    db.run((env) => steps(env, [ids[0]]).write({ parent_id: ids[1] })),
    ValidationError,
  )
  await assert.rejects(
    db.run((env) => steps(env, ids).write({ parent_id: ids[1] })),
    ValidationError,
  )
})

test('hierarchy: a chain of pending stored values is computed from the top, each once', async () => {
  const sent = async (length: number) =>
    db.run(async (env) => {
      const [first] = (await nodes(env).create([{ name: 'n0' }])).ids as [number]
      await env.query(sql`INSERT INTO works_node (id, name, own, parent_id)
        SELECT ${first}::int + n, 'n' || n, 1, ${first}::int + n - 1 FROM generate_series(1, ${length}::int) n`)
      const ids = Array.from({ length: length + 1 }, (_, n) => first + n)
      for (const name of ['total', 'depth', 'full_name'])
        env.unit.recomputation.pending.set(env.def('works.node').fields.get(name) as FieldDef, new Set(ids))
      const statements = await statementsOf(() => env.unit.registry.engine.flush(env))
      const [last] = await nodes(env, [first + length]).load(['depth', 'total'])
      assert.deepEqual(
        [last?.depth, last?.total, (await nodes(env, [first]).one(['total'])).total],
        [length, 1, length],
      )
      await env.query(sql`SELECT setval('works_node_id_seq', ${first + length}::int)`)
      return statements.length
    })
  const [short, long] = [await sent(20), await sent(40)]
  assert.ok(long < 2.2 * short, `${short} statements for 20, ${long} for 40`)
})

test('hierarchy: the path of a record follows its parent, whatever is written into it', async () => {
  await db.run(async (env) => {
    const [root] = (await nodes(env).create([{ name: 'root', own: 1 }])).ids as [number]
    const ids = (
      await nodes(env).create([
        { name: 'a', own: 1, parent_id: root, parent_path: '7/' },
        { name: 'b', own: 1, parent_path: `${root}/8/` },
      ] as never)
    ).ids as [number, number]
    await nodes(env, ids).write({ parent_path: '9/9/' } as never)
    await nodes(env, [ids[1]]).write({ name: 'c', parent_path: false } as never)
    await nodes(env, [ids[0]]).write({ parent_id: ids[1], parent_path: `${root}/` } as never)
    const kept = await nodes(env, ids).load(['parent_path'])
    assert.deepEqual(
      kept.map((node) => node.parent_path),
      [`${ids[1]}/${ids[0]}/`, `${ids[1]}/`],
    )
    assert.deepEqual((await nodes(env).search([['id', 'child_of', root]])).ids, [root])
  })
})
