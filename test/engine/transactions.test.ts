// One call is one transaction: conflicts are repeated with fresh arguments, attempts leave no trace, failures
// keep nothing.
import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { InvalidValue } from '../../src/errors.ts'
import { patience } from '../../src/kit/patience.ts'
import { modules } from '../../src/main.ts'
import type { Environment } from '../../src/models/index.ts'
import { attempt, attempted } from '../../src/models/transfer/attempt.ts'
import type { UnitOfWork } from '../../src/models/unit/unit.ts'
import { sqlState } from '../../src/postgres/index.ts'
import { stopIfAbandoned } from '../../src/services/abandoned-calls.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { inTime } from '../../src/services/calls/caller.ts'
import { join, sql } from '../../src/sql/index.ts'
import { meeting } from '../fixtures/modules/trials/counter.ts'
import { trials } from '../fixtures/modules/trials/index.ts'
import { works } from '../fixtures/modules/works/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
before(async () => {
  db = await openTestDatabase([...modules.filter((module) => module.name === 'base'), works, trials])
})
after(() => db?.close())

test('transactions: two callers read and write the same record: both count, each with its arguments', async () => {
  const ids = await db.run(async (env) => (await env.model('trials.counter').create([{ value: 40 }])).ids)
  const key = await createKey(db.databases, 'test', 'admin', { scope: 'rpc', name: 'bump', days: 1 })
  let waiting = 0
  const { promise: both, resolve: open } = Promise.withResolvers<void>()
  let calls = 0
  meeting.wait = async () => {
    calls++
    if (++waiting === 2) open()
    await both
  }
  const bump = async (n: number) => {
    const request = {
      database: 'test',
      credential: { kind: 'key', key },
      model: 'trials.counter',
      method: 'bump',
      remote: '127.0.0.1',
      requestId: `r${n}`,
    } as const
    return JSON.parse(
      (await call(db.databases, { ...request, body: () => ({ ids, named: { bag: { by: 1 } } }) })).json,
    )
  }
  try {
    assert.deepEqual(await Promise.all([bump(1), bump(2)]), [1, 1])
  } finally {
    meeting.wait = async () => undefined
  }
  assert.equal(calls, 3, 'one of the two was repeated once')
  await db.run(async (env) =>
    assert.equal((await env.model('trials.counter').browse(ids).one(['value'])).value, 42),
  )
})

/** Times as they are outside of tests. */
function usual(t: TestContext): void {
  const { factor } = patience
  patience.factor = 1
  t.after(() => {
    patience.factor = factor
  })
}

test('mutexes: a call that waits too long is refused and never runs; one in time runs', async (t) => {
  usual(t)
  let done = 0
  const work = async () => ++done
  const { promise: turn, resolve: begin } = Promise.withResolvers<void>()
  const inTurn = (what: typeof work) => turn.then(what)
  const late = inTime(performance.now() - 60_000, inTurn, work)
  await assert.rejects(late, { status: 503, retryAfter: 2 })
  const early = inTime(performance.now(), inTurn, work)
  const [forItself] = [inTime(undefined, inTurn, work)]
  begin()
  assert.deepEqual([await early, await forItself], [1, 2])
  assert.equal(done, 2)
})

test('mutexes: a call that waited long is stopped before its client has waited ten seconds without an answer', async (t) => {
  usual(t)
  const now = performance.now()
  const ended = (since: number, connectedAt: number) => {
    const { promise, reject } = Promise.withResolvers<never>()
    const unit = { usage: { statements: 0, waited: 0, connectedAt, isHeavy: false }, stop: reject }
    stopIfAbandoned(unit, () => false, since)
    return promise
  }
  // One that only works for long goes on.
  const busy = ended(now - 60_000, now - 59_000)
  await assert.rejects(ended(now - 60_000, now), { status: 503, retryAfter: 2 })
  assert.equal(await Promise.race([busy, 'goes on']), 'goes on')
})

test('transactions: a failed savepoint rolls back rows, cached values and pending work; the call continues', async () => {
  const id = await db.run(async (env) => {
    const groups = await env.model('works.group').create([{ name: 'G', item_ids: [[0, 0, { price: 3 }]] }])
    await groups.write({ factor: 2 })
    const failing = attempt(env, async () => {
      await groups.write({ factor: 9, name: 'lost', item_ids: [[0, 0, { price: 100 }]] })
      assert.equal((await groups.one(['total'])).total, 927)
      await attempt(env, () => env.model('works.node').create([{ name: 'inner' }]))
      throw new Error('no')
    })
    await assert.rejects(failing, /^Error: no$/)
    const { total, name, size } = await groups.one(['total', 'name', 'size'])
    assert.deepEqual([total, name, size], [6, 'G', 1])
    assert.equal(await env.model('works.node').searchCount([['name', '=', 'inner']]), 0)
    await attempt(env, async () => {
      await assert.rejects(attempt(env, () => env.model('works.group').create([{ name: null as never }])))
      await groups.write({ factor: 4 })
    })
    return groups.ids
  })
  await db.run(async (env) =>
    assert.equal((await env.model('works.group').browse(id).one(['total'])).total, 12),
  )
})

test('transactions: a failed savepoint restores pending values, and adds none', async () => {
  const ids = await db.run(async (env) => {
    const groups = await env.model('works.group').create([{ name: 'S', item_ids: [[0, 0, { price: 3 }]] }])
    await groups.write({ factor: 5 })
    const failing = env.unit.savepoint(async () => {
      assert.equal((await groups.one(['total'])).total, 15)
      await groups.write({ name: 'lost' })
      throw new Error('no')
    })
    await assert.rejects(failing, /^Error: no$/)
    return groups.ids
  })
  await db.run(async (env) => {
    const [first] = await env
      .model('works.group')
      .browse(ids)
      .load(['total', 'factor', 'name', 'item_ids.group_name'])
    assert.deepEqual([first?.total, first?.factor, first?.name], [15, 5, 'S'])
    assert.deepEqual(
      first?.item_ids.map((i) => i.group_name),
      ['S'],
    )
  })
})

test('transactions: a failed one leaves nothing, although parts of it were computed and read', async () => {
  await assert.rejects(
    db.run(async (env) => {
      const groups = await env
        .model('works.group')
        .create([{ name: 'never', item_ids: [[0, 0, { price: 3 }]] }])
      await groups.one(['total'])
      throw new Error('at the end')
    }),
    /at the end/,
  )
  await db.run(async (env) =>
    assert.equal(await env.model('works.group').searchCount([['name', '=', 'never']]), 0),
  )
})

/** A statement that breaks a rule of the table, and one that may not even follow it. */
const twice = (n: number) => sql`INSERT INTO trials_counter (id, value) VALUES (${n}::int, 1), (${n}::int, 2)`
const count = sql`SELECT count(*)::int FROM trials_counter WHERE id BETWEEN 900000 AND 900999`
const left = () => db.run(async (env) => (await env.query(count))[0]?.[0])
const uniqueViolation = (error: unknown) => sqlState(error) === '23505'

test('write buffer: a failed buffered statement fails the next awaited one, with its own message', async () => {
  await assert.rejects(
    db.run(async (env) => {
      env.unit.send(twice(900_001))
      env.unit.send(sql`SELECT 1 / 0`)
      await env.query(count)
    }),
    uniqueViolation,
  )
  assert.equal(await left(), 0)
})

test('transactions: a failure before COMMIT rolls back, and hooks of success do not run', async () => {
  const errors: string[] = []
  await assert.rejects(
    db.run(async (env) => {
      env.unit.ending.afterCommit.push(() => void errors.push('committed'))
      env.unit.send(sql`INSERT INTO trials_counter (id, value) VALUES (900002, 1)`)
      env.unit.send(twice(900_003))
    }),
    uniqueViolation,
  )
  assert.deepEqual([await left(), errors], [0, []])
})

test('transactions: statements that succeed are kept without a wait for them', async () => {
  await db.run(async (env) => {
    env.unit.send(sql`INSERT INTO trials_counter (id, value) VALUES (900004, 1)`)
    env.unit.buffer.check(sql`SELECT 1 WHERE false`, () => new Error('refused'))
    env.unit.send(sql`UPDATE trials_counter SET value = 7 WHERE id = 900004`)
  })
  await db.run(async (env) => {
    assert.deepEqual(await env.query(sql`SELECT value FROM trials_counter WHERE id = 900004`), [[7]])
    await env.query(sql`DELETE FROM trials_counter WHERE id = 900004`)
  })
})

test('transactions: a failed check has its own error, by the number of violations, even if COMMIT is on its way', async () => {
  const refused = (numbers: string, then?: (env: Environment) => Promise<unknown>) =>
    db.run(async (env) => {
      env.unit.send(sql`INSERT INTO trials_counter (id, value) VALUES (900005, 1)`)
      env.unit.buffer.check(
        sql`SELECT * FROM unnest(${numbers}::int[])`,
        (wrong) => new Error(`wrong: ${wrong}`),
      )
      await then?.(env)
    })
  await assert.rejects(refused('{3,4}'), /^Error: wrong: 3$/)
  await assert.rejects(
    refused('{0}', (env) => env.query(count)),
    /^Error: wrong: 0$/,
  )
  assert.equal(await left(), 0)
})

test('transactions: a savepoint rolls back only statements sent in it; a failure before it rolls back all', async () => {
  await db.run(async (env) => {
    env.unit.send(sql`INSERT INTO trials_counter (id, value) VALUES (900006, 1)`)
    await assert.rejects(
      env.unit.savepoint(async () => env.unit.send(twice(900_007))),
      uniqueViolation,
    )
    // The sent failure came before the thrown one.
    const both = env.unit.savepoint(async () => {
      env.unit.buffer.check(sql`SELECT 1`, () => new Error('sent'))
      throw new Error('thrown')
    })
    await assert.rejects(both, /^Error: sent$/)
    await env.query(sql`UPDATE trials_counter SET value = 2 WHERE id = 900006`)
  })
  assert.equal(await left(), 1)
  await assert.rejects(
    db.run(async (env) => {
      env.unit.send(twice(900_008))
      await attempted(env, async () =>
        env.unit.send(sql`INSERT INTO trials_counter (id, value) VALUES (900009, 1)`),
      )
    }),
    uniqueViolation,
  )
  await db.run((env) => env.query(sql`DELETE FROM trials_counter WHERE id = 900006`))
})

test('transactions: the error of an earlier statement wins over that of the code, in the call and in a hook before COMMIT', async () => {
  const throwing = async () => {
    throw new Error('thrown')
  }
  const failing = (work: (env: Environment) => unknown) =>
    db.run(async (env) => {
      env.unit.send(twice(900_010))
      await work(env)
    })
  await assert.rejects(failing(throwing), uniqueViolation)
  await assert.rejects(
    failing((env) => env.unit.ending.beforeCommit.push(throwing)),
    uniqueViolation,
  )
})

test('transactions: after a failure nothing is executed, even before BEGIN, and ignoring it fails again', async () => {
  const tooMany = join(Array.from({ length: 65_536 }, () => sql`${1}`))
  await assert.rejects(
    db.run(async (env) => {
      await assert.rejects(env.query(sql`SELECT ${tooMany}`), InvalidValue)
      await assert.rejects(
        env.query(sql`INSERT INTO trials_counter (id, value) VALUES (900011, 1)`),
        InvalidValue,
      )
      env.unit.send(sql`INSERT INTO trials_counter (id, value) VALUES (900012, 1)`)
    }),
    InvalidValue,
  )
  assert.equal(await left(), 0)
})

test('nested savepoints: what fails inside is undone there, whatever was sent or looked away from, and the rest is kept', async () => {
  await db.run(async (env) => {
    await env.unit.savepoint(async () => {
      env.unit.send(sql`INSERT INTO trials_counter (id, value) VALUES (900013, 1)`)
      await assert.rejects(
        env.unit.savepoint(async () => {
          await assert.rejects(env.query(twice(900_014)), uniqueViolation)
          env.unit.send(sql`INSERT INTO trials_counter (id, value) VALUES (900015, 1)`)
        }),
        uniqueViolation,
      )
      // A failed statement whose result the code dropped does not fail the savepoint.
      await env.unit.savepoint(
        async () => {
          env.unit.send(twice(900_016))
          void env.query(count).catch(() => undefined)
        },
        () => false,
      )
      env.unit.send(sql`INSERT INTO trials_counter (id, value) VALUES (900017, 1)`)
    })
  })
  assert.equal(await left(), 2)
  await db.run((env) => env.query(sql`DELETE FROM trials_counter WHERE id BETWEEN 900000 AND 900999`))
})

/** Throws before any statement of the turn is answered. */
const failAtOnce = async () => {
  throw new Error('no')
}

test('savepoints: a statement that fails after the failure of a savepoint is undone with it, and the call goes on', async () => {
  const late = (failing: (env: Environment) => Promise<unknown>) =>
    db.run(async (env) => {
      await env.query(sql`INSERT INTO trials_counter (id, value) VALUES (900020, 1)`)
      const both = env.unit.savepoint(async () => {
        await env.query(sql`INSERT INTO trials_counter (id, value) VALUES (900021, 1)`)
        await Promise.all([failing(env), failAtOnce()])
      })
      await assert.rejects(both, /^Error: no$/)
      assert.deepEqual(await env.query(count), [[1]])
      await env.query(sql`DELETE FROM trials_counter WHERE id = 900020`)
    })
  await late((env) => env.query(sql`SELECT 1 / 0`))
  // The first of several fails, and the others are rejected with its error.
  await late((env) => Promise.all([env.query(twice(900_022)), env.query(count), env.query(count)]))
  await late((env) => env.unit.savepoint(() => Promise.all([env.query(twice(900_022)), failAtOnce()])))
  // A result that is not wanted leaves nothing either.
  await db.run(async (env) => {
    const unwanted = async () => void env.query(twice(900_023)).catch(() => undefined)
    await env.unit.savepoint(unwanted, () => false)
    assert.deepEqual(await env.query(count), [[0]])
  })
})

const sent = ({ unit }: Environment) => unit.usage.statements

test('transactions: values read in a failed savepoint are not cached', async () => {
  await db.run(async (env) => {
    const su = env.sudo()
    const users = await su.model('res.users').search([['login', '=', 'admin']])
    const [[name] = []] = await su.query(
      sql`SELECT p.name FROM res_users u JOIN res_partner p ON p.id = u.partner_id WHERE u.login = 'admin'`,
    )
    // The name comes with the user, in one statement.
    const nameOf = async () => (await users.load(['partner_id.name']))[0]?.partner_id?.name
    let read: Promise<unknown> | undefined
    const failing = su.unit.savepoint(async () => {
      await su.query(sql`UPDATE res_partner SET name = 'undone'`)
      const before = sent(su)
      read = nameOf()
      // It has left then, and is not answered.
      while (sent(su) === before) await new Promise(process.nextTick)
      throw new Error('no')
    })
    await assert.rejects(failing, /^Error: no$/)
    assert.equal(await read, 'undone')
    assert.equal(await nameOf(), name)
  })
})

const asleep = sql`SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`
const isAsleep = () => db.run(async (env) => (await env.query(asleep))[0]?.[0] === 1)

test('savepoints: a call that is stopped within one does not go on after it', async () => {
  const stop = new Error('stopped')
  const halt = ({ unit }: Environment) => (unit as UnitOfWork).stop(stop)
  const went: string[] = []
  const stopped = (work: (env: Environment) => Promise<unknown>) =>
    db.run(async (env) => {
      await env.query(sql`INSERT INTO trials_counter (id, value) VALUES (900030, 1)`)
      const within = env.unit.savepoint(() => work(env))
      await assert.rejects(within, (error) => error === stop)
      went.push('behind')
      await env.query(sql`INSERT INTO trials_counter (id, value) VALUES (900031, 1)`)
      went.push('and sent')
    })
  const works: ((env: Environment) => Promise<unknown>)[] = [
    // While PostgreSQL is at something, which is called off.
    async (env) => {
      const endless = env.query(sql`SELECT pg_sleep(600)`)
      while (!(await isAsleep())) await new Promise(setImmediate)
      halt(env)
      await endless
    },
    // While the code is at something, whatever it finds.
    async (env) => halt(env),
    async (env) => {
      halt(env)
      throw new Error('no')
    },
    // After another failure of the same work.
    async (env) => {
      await assert.rejects(env.query(twice(900_032)), uniqueViolation)
      halt(env)
    },
    (env) =>
      env.unit.savepoint(async () => {
        halt(env)
        await env.query(count)
      }),
  ]
  for (const work of works) await assert.rejects(stopped(work), (error) => error === stop)
  // The code ignores the error, and continues to send.
  await assert.rejects(
    db.run(async (env) => {
      const within = env.unit.savepoint(async () => halt(env))
      await within.catch(() => undefined)
      env.unit.send(sql`INSERT INTO trials_counter (id, value) VALUES (900033, 1)`)
    }),
    (error) => error === stop,
  )
  assert.deepEqual(
    went,
    works.map(() => 'behind'),
  )
  assert.equal(await left(), 0)
})

test('transactions: a revoked key changes nothing, although the change was sent with its check', async () => {
  const [id] = await db.run(async (env) => (await env.model('trials.counter').create([{ value: 1 }])).ids)
  const key = await createKey(db.databases, 'test', 'admin', { scope: 'rpc', name: 'gone', days: 1 })
  const request = {
    database: 'test',
    credential: { kind: 'key', key },
    model: 'trials.counter',
    remote: '127.0.0.1',
    requestId: 'r',
  } as const
  const write = (value: unknown) =>
    call(db.databases, {
      ...request,
      method: 'write',
      body: () => ({ ids: [id], named: { vals: { value } } }),
    })
  await write(2)
  await db.run((env) => env.query(sql`DELETE FROM res_users_apikeys WHERE name = 'gone'`))
  for (const value of [3, 'no number']) await assert.rejects(write(value), { name: 'InvalidApiKey' })
  const creation = call(db.databases, {
    ...request,
    method: 'create',
    body: () => ({ named: { vals_list: [{ value: 99 }] } }),
  })
  await assert.rejects(creation, { name: 'InvalidApiKey' })
  await db.run(async (env) => {
    assert.equal(
      (
        await env
          .model('trials.counter')
          .browse([id as number])
          .one(['value'])
      ).value,
      2,
    )
    assert.equal(await env.model('trials.counter').searchCount([['value', '=', 99]]), 0)
  })
})

test('transactions: a statement sent during failed work leaves no open transaction', async () => {
  let late: Promise<unknown> | undefined
  const failing = db.run(async (env) => {
    await env.query(sql`SELECT 1`)
    late = new Promise((resolve) => setTimeout(resolve, 50)).then(() => env.query(sql`SELECT 2`))
    throw new Error('first')
  })
  await assert.rejects(failing, { message: 'first' })
  await assert.rejects(late as Promise<unknown>, { message: /after the end of its transaction/ })
  const open = await db.run((env) =>
    env.query(
      sql`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`,
    ),
  )
  assert.equal(Number(open[0]?.[0]), 0)
})
