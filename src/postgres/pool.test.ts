// Tests of pool.ts against a real server.
import assert from 'node:assert/strict'
import { after, before, mock, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { openWay } from '../../test/support/muffled.ts'
import { ServiceUnavailable } from '../errors.ts'
import { Admin } from './admin.ts'
import type { Connection } from './connection.ts'
import type { Embedded } from './embedded/index.ts'
import { startTemporary } from './embedded/index.ts'
import { isConnectionLost, translate } from './errors.ts'
import { analyzeLarge, Growth } from './growth.ts'
import { Pool } from './pool.ts'

let server: Embedded

before(async () => {
  server = await startTemporary()
})

after(() => server?.stop())

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await turn()
}

async function withPool(options: object, work: (pool: Pool) => Promise<void>): Promise<void> {
  const pool = new Pool({ ...server, database: 'postgres', ...options })
  try {
    await work(pool)
  } finally {
    await pool.end()
  }
}

test('the connection used last is handed out first', () =>
  withPool({ max: 3 }, async (pool) => {
    const [first, second] = await Promise.all([pool.acquire(), pool.acquire()])
    pool.release(first)
    pool.release(second)
    const again = await pool.acquire()
    assert.equal(again, second)
    assert.deepEqual(pool.stats(), { open: 2, free: 1, waiting: 0 })
    pool.release(again)
  }))

test('callers wait in order when all are in use', () =>
  withPool({ max: 1 }, async (pool) => {
    const served: number[] = []
    const first = await pool.acquire()
    const waiting = [1, 2, 3].map(async (number) => {
      const connection = await pool.acquire()
      served.push(number)
      pool.release(connection)
    })
    pool.release(first)
    await Promise.all(waiting)
    assert.deepEqual(served, [1, 2, 3])
    assert.equal(pool.stats().open, 1)
  }))

test('one user has six connections until some are given back soon, and again once one was held for long', async () => {
  let now = 0
  const clock = mock.method(performance, 'now', () => now)
  try {
    await withPool({ max: 16 }, async (pool) => {
      const user = 7
      const held: Connection[] = []
      const requests = Array.from({ length: 20 }, () =>
        pool.acquire(user).then((connection) => held.push(connection)),
      )
      /** Number of connections that are held once the allowed number has been reached. */
      const settled = async (count: number) => {
        while (held.length < count) await turn()
        await turns(50)
        return held.length
      }
      assert.deepEqual([await settled(6), pool.stats().open], [6, 6])
      // Each that comes back at once lets its own place and one more be taken.
      for (const connection of held.splice(0, 3)) pool.release(connection)
      assert.deepEqual([await settled(9), pool.stats().open], [9, 9])
      now += 600
      for (const connection of held.splice(0)) pool.release(connection)
      assert.equal(await settled(6), 6)
      // In the end two are left, and may be held.
      for (const connection of held.splice(0)) pool.release(connection)
      await Promise.all(requests)
      for (const connection of held.splice(0)) pool.release(connection)
    })
  } finally {
    clock.mock.restore()
  }
})

test('one user holds no more than a share, and who comes after a crowd of theirs waits for one of it', () =>
  withPool({ max: 4 }, async (pool) => {
    const [greedy, other] = [7, 8]
    const held = await Promise.all([1, 2, 3].map(() => pool.acquire(greedy)))
    const served: string[] = []
    const crowd = Array.from({ length: 5 }, async () => {
      const connection = await pool.acquire(greedy)
      served.push('greedy')
      pool.release(connection)
    })
    // The last connection is there for others, at once.
    const last = await pool.acquire(other)
    assert.deepEqual([served.length, pool.stats()], [0, { open: 4, free: 0, waiting: 5 }])
    const late = pool.acquire(other).then((connection) => {
      served.push('other')
      pool.release(connection)
    })
    for (const connection of held) pool.release(connection)
    await Promise.all([...crowd, late])
    assert.ok(served.indexOf('other') <= 3, served.join())
    pool.release(last)
    assert.equal(pool.stats().waiting, 0)
  }))

test('who holds all they may gets another connection when one of theirs is lost, and is not in the way of the server', () =>
  withPool({ max: 2, queueLimit: 4 }, async (pool) => {
    const first = await pool.acquire(7)
    const second = await pool.acquire(7)
    const third = pool.acquire(7)
    pool.release(first, true)
    pool.release(await third)
    await Promise.all(Array.from({ length: 3 }, async () => pool.release(await pool.acquire(7))))
    const again = await pool.acquire(7)
    const waiting = [1, 2, 3].map(() => pool.acquire(7))
    await assert.rejects(pool.acquire(7), /Too many requests/, 'one user has a part of the line too')
    const pending = pool.acquire()
    pool.release(second)
    for (const waiter of waiting.slice(0, 1)) pool.release(await waiter)
    pool.release(await pending)
    pool.release(again)
    for (const waiter of waiting.slice(1)) pool.release(await waiter)
    assert.ok(pool.quiet)
  }))

test('writers leave some connections to readers, also where all of them wait and readers come later', () =>
  withPool({ max: 8 }, async (pool) => {
    const writing = { writing: true }
    const held = await Promise.all([11, 12, 13, 14, 15, 16].map((who) => pool.acquire(who, writing)))
    const late = [17, 18].map((who) => pool.acquire(who, writing))
    const readers = await Promise.all([17, 19].map((who) => pool.acquire(who)))
    assert.deepEqual(pool.stats(), { open: 8, free: 0, waiting: 2 })
    const behind = pool.acquire(17)
    pool.release(readers[0] as Connection)
    pool.release(await behind)
    assert.equal(pool.stats().waiting, 2, 'a connection that a reader gave back is not for writers')
    for (const connection of [...held, readers[1] as Connection]) pool.release(connection)
    for (const connection of await Promise.all(late)) pool.release(connection)
    assert.equal(pool.stats().waiting, 0)
  }))

test('who is gone when it is their turn is let go, and the next is served', () =>
  withPool({ max: 1 }, async (pool) => {
    const first = await pool.acquire()
    const gone = assert.rejects(pool.acquire(7, { gone: () => true }), /went away/)
    const next = pool.acquire(8)
    pool.release(first)
    await gone
    pool.release(await next)
  }))

test('too many waiting, or waiting too long, is refused as unavailable', () =>
  withPool({ max: 1, queueLimit: 1, acquireTimeoutMs: 300 }, async (pool) => {
    const first = await pool.acquire()
    const patient = assert.rejects(pool.acquire(), ServiceUnavailable)
    await assert.rejects(pool.acquire(), /Too many requests/)
    await patient
    assert.equal(pool.stats().waiting, 0)
    pool.release(first)
  }))

test('a connection in the middle of a transaction, broken or lost is dropped', () =>
  withPool({ max: 1 }, async (pool) => {
    const pid = () =>
      pool.use(async (connection) => (await connection.query('SELECT pg_backend_pid()'))[0]?.[0])
    const before = await pid()
    const open = await pool.acquire()
    await open.query('BEGIN')
    pool.release(open)
    const next = await pid()
    assert.notEqual(next, before)
    pool.release(await pool.acquire(), true)
    assert.notEqual(await pid(), next)
    const victim = await pool.acquire()
    const gone = new Promise<void>((resolve) => victim.onEnd(resolve))
    await victim.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => undefined)
    await gone
    pool.release(victim)
    assert.equal(await pool.use(async (connection) => (await connection.query('SELECT 1'))[0]?.[0]), 1)
  }))

test('an idle connection that the server cut is not handed out', () =>
  withPool({ max: 2 }, async (pool) => {
    const [idle, killer] = await Promise.all([pool.acquire(), pool.acquire()])
    const [row] = await idle.query('SELECT pg_backend_pid()')
    const gone = new Promise<void>((resolve) => idle.onEnd(resolve))
    pool.release(idle)
    await killer.query('SELECT pg_terminate_backend($1)', row)
    await gone
    assert.deepEqual(pool.stats(), { open: 1, free: 0, waiting: 0 })
    pool.release(killer)
  }))

test('the pool closes idle connections', () =>
  withPool({ max: 2, idleTimeoutMs: 20 }, async (pool) => {
    const connection = await pool.acquire()
    const closed = new Promise<void>((resolve) => connection.onEnd(resolve))
    pool.release(connection)
    // The timer does not keep a process alive; this one does until the connection is closed.
    const alive = setInterval(() => undefined, 1000)
    await closed
    clearInterval(alive)
    assert.equal(pool.stats().open, 0)
  }))

test('a server that cannot be reached fails the caller', async () => {
  const pool = new Pool({ ...server, database: 'no_such_database' })
  await assert.rejects(pool.acquire(), /does not exist/)
  await pool.end()
})

test('a server that cannot be reached fails all who wait, more than there may be connections too', () =>
  withPool({ database: 'no_such_database', max: 2, acquireTimeoutMs: 5000 }, async (pool) => {
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => pool.acquire()))
    for (const result of results)
      assert.match(String(result.status === 'rejected' && result.reason), /does not exist/)
    assert.deepEqual(pool.stats(), { open: 0, free: 0, waiting: 0 })
  }))

test('the pool words the reason why there is no connection', () =>
  withPool(
    {
      database: 'no_such_database',
      refusal: (cause: unknown) => new ServiceUnavailable('Not now', { cause }),
    },
    async (pool) => {
      await assert.rejects(
        pool.acquire(),
        (error) => error instanceof ServiceUnavailable && /does not exist/.test(String(error.cause)),
      )
    },
  ))

test('the end waits for what is in use and refuses newcomers', async () => {
  const pool = new Pool({ ...server, database: 'postgres', max: 1 })
  const connection = await pool.acquire()
  const waiting = assert.rejects(pool.acquire(), ServiceUnavailable)
  const end = pool.end()
  await waiting
  await assert.rejects(pool.acquire(), ServiceUnavailable)
  assert.deepEqual(await connection.query('SELECT 1'), [[1]])
  pool.release(connection)
  await end
  assert.equal(pool.stats().open, 0)
})

test('pool: a dead connection is closed with what waits for it, and replaced; slow and busy ones are kept', async () => {
  const way = await openWay(server)
  const patience = { everyMs: 10, graceMs: 50 }
  await withPool({ port: way.port, max: 1, statementTimeout: 300, patience }, async (pool) => {
    // On a slow machine a line may be taken for dead that is not.
    const answer = async (value: number): Promise<unknown> => {
      for (;;) {
        try {
          return await pool.use((connection) => connection.query(`SELECT ${value}`))
        } catch (error) {
          if (!isConnectionLost(error)) throw error
        }
      }
    }
    await pool.use(async (connection) => {
      connection.patient = true
      await connection.query('SET statement_timeout = 0; ').catch(() => undefined)
      await connection.query('SELECT pg_sleep(1.5)')
      await connection.query('SET statement_timeout = 300')
    })
    assert.deepEqual(await answer(1), [[1]])
    way.muffle()
    await assert.rejects(
      pool.use((connection) => connection.query('SELECT 2')),
      (error) => isConnectionLost(error) && translate(error) instanceof ServiceUnavailable,
    )
    assert.deepEqual(await answer(3), [[3]])
  })
  await way.close()
})

test('a table that grew is looked at: what was chosen while it was tiny is chosen anew', async () => {
  await new Admin(server).createDatabase('growing')
  await withPool({ max: 2, database: 'growing' }, async (pool) => {
    const connection = await pool.acquire()
    const ways = async () => (await connection.query('EXPLAIN EXECUTE of_grown(1)')).join()
    try {
      await connection.simple(`CREATE TABLE grown (id int PRIMARY KEY, pad text); CREATE TABLE small (id int);
        INSERT INTO grown SELECT n, 'pad' FROM generate_series(1, 5) n; INSERT INTO small VALUES (1); ANALYZE grown;
        SET plan_cache_mode = force_generic_plan; PREPARE of_grown (int) AS SELECT pad FROM grown WHERE id = $1`)
      assert.match(await ways(), /Seq Scan/)
      let attempts = 0
      const looked = Promise.withResolvers<void>()
      const growth = new Growth(async (work) => {
        attempts++
        await pool.use(work)
        looked.resolve()
      })
      growth.note('grown', 150)
      assert.equal(attempts, 0)
      await connection.simple(
        "INSERT INTO grown SELECT n, repeat('pad', 20) FROM generate_series(6, 20000) n",
      )
      growth.note('grown', 19_995)
      await looked.promise
      assert.match(await ways(), /Index Scan/)
      // A quarter more, and it is asked again.
      growth.note('grown', 1000)
      assert.equal(attempts, 1)
      await analyzeLarge((text) => connection.query(text))
      const sizes = await connection.query(
        "SELECT reltuples::int FROM pg_class WHERE relname IN ('grown', 'small') ORDER BY 1",
      )
      assert.deepEqual(sizes, [[-1], [20_000]])
    } finally {
      pool.release(connection, true)
    }
  })
})
