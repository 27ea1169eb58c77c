// Values read with a record through its relations equal those of a separate read: missing records have
// none, and other reads of the same records in the same turn do not change them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { char, defineModule, type Environment, implement, many2one, model } from '../../src/models/index.ts'
import { sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

const GONE = 2_000_000

const ring = model('behind.ring', {
  fields: {
    name: char({ translate: true }),
    own: char({ companyDependent: true }),
    next_id: many2one('behind.ring', { required: true }),
    other_id: many2one('behind.ring'),
  },
})
// Its first row names a record that is there, its second none.
const seen = model('behind.seen', {
  query: `SELECT r.id, r.id AS ring_id FROM (SELECT min(id) AS id FROM behind_ring) r UNION ALL SELECT ${GONE}, ${GONE}`,
  fields: { ring_id: many2one('behind.ring', { required: true }) },
})
const behind = defineModule({
  name: 'behind',
  version: '1',
  summary: 'Links that lead in rings, and to nothing',
  depends: ['base'],
  models: [implement(ring, {}), implement(seen, {})],
})

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([...modules.filter(({ name }) => name === 'base'), behind])
})
after(() => db?.close())

interface Ring {
  readonly id: number
  readonly name: string
  readonly own: string
  readonly next_id: Ring
  readonly other_id: Ring | null
}
interface Loose<T> {
  load(paths: string[]): Promise<T[]>
}
const rings = (env: Environment, ids: readonly number[]) =>
  env.model('behind.ring' as 'res.partner').browse(ids) as unknown as Loose<Ring>
const seenRings = (env: Environment, ids: readonly number[]) =>
  env.model('behind.seen' as 'res.partner').browse(ids) as unknown as Loose<{ id: number }>

const COUNT = 30
/** Rings of three, each of which leads to the next, and the last of a ring to the first. */
const nextOf = (n: number) => (n % 3 === 0 ? n - 2 : n + 1)

test('prefetch: records that refer to each other in cycles load their related records, alone and in concurrent calls', async () => {
  await db.run(async (env) => {
    await env.query(
      sql`INSERT INTO behind_ring (id, name, own, next_id, other_id)
        SELECT n, jsonb_build_object('en_US', 'ring ' || n), jsonb_build_object('1', 'own ' || n),
          CASE WHEN n % 3 = 0 THEN n - 2 ELSE n + 1 END, CASE WHEN n % 2 = 0 THEN n END
        FROM generate_series(1, ${COUNT}::int) AS n`,
    )
  })
  const paths = [
    'next_id.name',
    'next_id.own',
    'next_id.next_id.next_id.name',
    'other_id.name',
    'other_id.own',
  ]
  for (const count of [1, 3, 20, 21, COUNT]) {
    const ids = Array.from({ length: count }, (_, n) => n + 1)
    await db.run(async (env) => {
      const spoken = env.withContext({ lang: 'en_US' })
      const elsewhere = env.withContext({ allowed_company_ids: [1], active_test: false })
      const all = [env, spoken, elsewhere]
      const rows = await Promise.all(all.map((element) => rings(element, ids).load(paths)))
      for (const at of all.keys()) {
        for (const { id, next_id, other_id } of rows[at] ?? []) {
          const next = nextOf(id)
          assert.deepEqual(
            [next_id.id, next_id.name, next_id.own, next_id.next_id.next_id.id, next_id.next_id.next_id.name],
            [next, `ring ${next}`, `own ${next}`, id, `ring ${id}`],
          )
          const other = id % 2 ? null : [`ring ${id}`, `own ${id}`]
          assert.deepEqual(other_id && [other_id.name, other_id.own], other)
        }
        assert.equal(rows[at]?.length, count)
      }
    })
  }
})

test('prefetch: knows nothing of a record that a query names and that does not exist', async () => {
  await db.run(async (env) => {
    const ids = (await seenRings(env, [1, GONE]).load(['ring_id.name'])).map(({ id }) => id)
    assert.deepEqual(ids, [1, GONE])
    assert.deepEqual(
      (await rings(env, [1, GONE]).load(['name'])).map(({ id, name }) => [id, name]),
      [[1, 'ring 1']],
    )
  })
})
