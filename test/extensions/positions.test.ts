// Positions that never skip: writers with pauses before COMMIT, rollbacks and killed backends over two pools,
// readers with random limits; and the same without the announcement, where the test must find what is missed.
// A long run: COMPTOIR_TEST_WRITES=20000 node --test test/extensions/positions.test.ts
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { modules } from '../../src/main.ts'
import { ChangeLog } from '../../src/models/changes/log.ts'
import { Pool } from '../../src/postgres/index.ts'
import { horizonOf, horizonStatement } from '../../src/services/changes/horizon.ts'
import { sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

const WRITES = Number(process.env.COMPTOIR_TEST_WRITES ?? 1500)
const WRITERS = 16

let db: TestDatabase
before(async () => {
  db = await openTestDatabase(modules.filter(({ name }) => name === 'base'))
})
after(() => db?.close())

/** The statement of one change, announced or not. */
function statementOf(id: number, announced: boolean) {
  const log = new ChangeLog(true)
  log.note(1, 'res.partner', 'u', [id], ['name'])
  const [statement] = log.lastWith([]) ?? []
  assert.ok(statement)
  const text = announced ? statement.text : statement.text.replace('pg_advisory_xact_lock_shared(', 'abs(')
  assert.equal(text !== statement.text, !announced)
  return { ...statement, text }
}

interface Outcome {
  readonly committed: ReadonlySet<number>
  readonly readers: readonly (readonly [seq: number, id: number][])[]
}

async function play(announced: boolean, last: number): Promise<Outcome> {
  const pools = [0, 1].map(() => new Pool({ ...db.databases.address, database: 'test', max: WRITERS }))
  const committed = new Set<number>()
  let next = last
  const end = last + WRITES
  let isOver = false
  const write = async (pool: Pool) => {
    while (next < end) {
      const id = ++next
      const chance = Math.random()
      const connection = await pool.acquire()
      try {
        const { text, values } = statementOf(id, announced)
        await connection.query('BEGIN')
        await connection.query(text, values)
        // A slow COMMIT, now and then: that of the server waits for the disk, or for another server.
        if (chance < 0.3) await sleep(Math.random() * 12)
        if (chance > 0.95) await connection.query('ROLLBACK')
        else if (chance > 0.93) await connection.query('SELECT pg_terminate_backend(pg_backend_pid())')
        else {
          await connection.query('COMMIT')
          committed.add(id)
        }
      } catch {
        // Killed: whatever it was at is rolled back.
      } finally {
        pool.release(connection, chance > 0.93)
      }
    }
  }
  const read = async (pool: Pool, from: number) => {
    const seen: [number, number][] = []
    let cursor = from
    for (let quiet = 0; quiet < 2; ) {
      const limit = 1 + Math.floor(Math.random() * 50)
      const over = isOver
      const rows = await pool.use(async (connection) => {
        const [, , rows] = connection.flush([
          { text: 'BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY', values: [] },
          horizonStatement,
          {
            text: `SELECT seq::float8, ids[1] FROM comptoir_change WHERE seq > $1::bigint AND seq <= current_setting('comptoir.horizon')::bigint ORDER BY seq LIMIT ${limit}`,
            values: [cursor],
          },
        ])
        const taken = await rows
        await connection.query('COMMIT')
        return taken as [number, number][]
      })
      seen.push(...rows)
      cursor = rows.at(-1)?.[0] ?? cursor
      if (rows.length === 0) await sleep(2)
      quiet = over && rows.length === 0 ? quiet + 1 : 0
    }
    return seen
  }
  const [pool, other] = pools as [Pool, Pool]
  const [start] = await pool
    .use((connection) => connection.query(horizonStatement.text, horizonStatement.values))
    .then((rows) => [horizonOf(rows as never).last])
  const readers = [pool, other, pool].map((source) => read(source, start as number))
  await Promise.all(Array.from({ length: WRITERS }, (_, n) => write(n % 2 ? other : pool)))
  isOver = true
  const seen = await Promise.all(readers)
  for (const pool of pools) await pool.end()
  return { committed, readers: seen }
}

const missed = ({ committed, readers }: Outcome) =>
  readers.flatMap((seen) => [...committed.difference(new Set(seen.map(([, id]) => id)))])

test('feed positions: every committed change is read exactly once, in ascending order', async () => {
  const outcome = await play(true, 0)
  assert.deepEqual(missed(outcome), [])
  for (const seen of outcome.readers) {
    assert.equal(seen.length, outcome.committed.size)
    assert.ok(seen.every(([seq], n) => n === 0 || seq > (seen[n - 1]?.[0] as number)))
  }
})

test('feed positions: the same holds from the first position of a new database', async () => {
  await db.run(({ unit }) => unit.query(sql`DELETE FROM comptoir_change`))
  await db.run(({ unit }) =>
    unit.query(sql`SELECT setval('comptoir_feed_seq', 1, FALSE), nextval('comptoir_feed_seq')`),
  )
  const outcome = await play(true, 10_000_000)
  assert.deepEqual(missed(outcome), [])
  for (const seen of outcome.readers) {
    assert.equal(seen.length, outcome.committed.size)
    assert.ok((seen[0]?.[0] as number) < WRITERS)
  }
})

test('feed positions: without the announcement changes are missed, so the test can fail', async () => {
  for (let round = 1; round <= 5; round++) if (missed(await play(false, 1_000_000 * round)).length > 0) return
  assert.fail('nothing was missed')
})

test('feed positions: a transaction that stays open, in this or another database, delays nothing', async () => {
  const pool = new Pool({ ...db.databases.address, database: 'test', max: 4 })
  const elsewhere = new Pool({ ...db.databases.address, database: 'postgres', max: 1 })
  const held = [await pool.acquire(), await elsewhere.acquire()]
  try {
    for (const connection of held) {
      await connection.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
      await connection.query('SELECT pg_current_xact_id()')
    }
    const { text, values } = statementOf(5_000_000, true)
    await pool.use((connection) => connection.query(text, values))
    const { last, at } = horizonOf(
      (await pool.use((connection) =>
        connection.query(horizonStatement.text, horizonStatement.values),
      )) as never,
    )
    assert.equal(at, last)
  } finally {
    for (const connection of held) await connection.query('ROLLBACK')
    pool.release(held[0] as never)
    elsewhere.release(held[1] as never)
    await pool.end()
    await elsewhere.end()
  }
})
