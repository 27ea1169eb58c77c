// Scheduled jobs: run once by one process at a time, moved on in their rhythm, tried again when they fail,
// deactivated when that goes on.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { UserError } from '../../src/errors.ts'
import {
  char,
  defineModule,
  type Environment,
  implement,
  integer,
  model,
  type Of,
  required,
  returns,
} from '../../src/models/index.ts'
import { base } from '../../src/modules/base/index.ts'
import { call } from '../../src/services/call.ts'
import { runDueJobs, secondsToNext } from '../../src/services/scheduled-actions.ts'
import { Scheduler } from '../../src/services/scheduler.ts'
import { sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

const counterModel = model('test.tally', {
  label: 'Tally',
  fields: { name: char({ required: true }), count: integer({}), login: char({}) },
  methods: {
    count_up: {
      doc: 'Counts.',
      level: 'model',
      params: { name: required<string>('string'), by: required<number>('integer') },
      returns: returns<null>('nothing', 'None'),
    },
    fail: {
      doc: 'Fails after it wrote something.',
      level: 'model',
      params: {},
      returns: returns<null>('nothing', 'None'),
    },
    secret: {
      doc: 'Private.',
      level: 'model',
      private: true,
      params: {},
      returns: returns<null>('nothing', 'None'),
    },
  },
})
declare module '../../src/models/index.ts' {
  interface Models {
    'test.tally': Tally
  }
  interface Tally extends Of<typeof counterModel> {}
}

/** Held back until a test lets it go, so that two processes are sure to meet. */
let gate: Promise<void> | undefined
/** Called with the backend pid of the connection that waits at the gate. */
let arrived: ((pid: number) => void) | undefined

const tallies = implement(counterModel, {
  methods: {
    count_up: async (records, { name, by }) => {
      const { env } = records
      const all = env.model('test.tally')
      const actions = await all.search([['name', '=', name]])
      const [row] = await actions.load(['count'])
      if (row) await actions.write({ count: row.count + by })
      else await all.create([{ name, count: by, login: env.user.login }])
      if (arrived) arrived(Number((await env.query<[number]>(sql`SELECT pg_backend_pid()`))[0]?.[0]))
      await gate
      return null
    },
    fail: async ({ env }) => {
      await env.model('test.tally').create([{ name: 'half done' }])
      throw new UserError('It cannot be done.')
    },
    secret: () => null,
  },
})
const module = defineModule({
  name: 'jobs_test',
  version: '1',
  summary: '',
  depends: ['base'],
  models: [tallies],
  data: [
    async (env) => ({
      model: 'ir.model.access',
      records: {
        all: {
          name: 'all',
          model_id: (
            await env.query<[number]>(sql`SELECT id FROM ir_model WHERE model = 'test.tally'`)
          )[0]?.[0],
          perm_read: true,
          perm_write: true,
          perm_create: true,
          perm_unlink: true,
        },
      },
    }),
  ],
})

let database: TestDatabase
before(async () => {
  database = await openTestDatabase([base, module])
  // Scheduled actions of the modules are out of scope here.
  await database.run((env) => env.query(sql`UPDATE ir_cron SET active = false`))
})
after(() => database?.close())

async function job(code: string, more: Record<string, unknown> = {}): Promise<number> {
  return database.run(async (env) => {
    const [model] = await env.query(sql`SELECT id FROM ir_model WHERE model = 'test.tally'`)
    const admin = await env.ref('base.user_admin')
    const vals = {
      name: 'Test',
      model_id: model?.[0],
      state: 'code',
      code,
      user_id: admin,
      interval_type: 'days',
      nextcall: '2024-02-03 04:05:06',
    }
    const actions = await env.model('ir.cron').create([{ ...vals, ...more } as never])
    return actions.ids[0] as number
  })
}
const read = (id: number, fields: string[]) =>
  database.run(
    async (env) => (await env.model('ir.cron').browse([id]).read(fields))[0] as Record<string, unknown>,
  )
const tallyOf = (name: string) =>
  database.run(async (env) =>
    (await env.model('test.tally').search([['name', '=', name]])).read(['count', 'login']),
  )
const run = () => runDueJobs(database.database)
/** The button of people, pressed by the administrator. */
const byHand = (id: number) =>
  call(database.databases, {
    database: 'test',
    credential: { kind: 'password', uid: 2, password: 'admin' },
    model: 'ir.cron',
    method: 'method_direct_trigger',
    body: () => ({ ids: [id], named: {} }),
    remote: '127.0.0.1',
    requestId: 'test',
  })

test('scheduled actions: a due one runs as its user, with the arguments of its text, and is rescheduled', async () => {
  const id = await job(`# every day\nmodel.count_up(name='a, (b', by=-2 + 4)`)
  assert.deepEqual(
    (await run()).map(({ id, outcome }) => ({ id, outcome })),
    [{ id, outcome: 'done' }],
  )
  assert.deepEqual(
    (await tallyOf('a, (b')).map(({ count, login }) => ({ count, login })),
    [{ count: 2, login: 'admin' }],
  )
  const { nextcall, lastcall, failure_count } = await read(id, ['nextcall', 'lastcall', 'failure_count'])
  assert.ok(String(nextcall) > new Date().toISOString().replace('T', ' '), 'the next time lies ahead')
  assert.match(String(nextcall), / 04:05:06$/, 'and is in the rhythm')
  assert.ok(lastcall)
  assert.equal(failure_count, 0)
  assert.deepEqual(await run(), [], 'nothing is due any more')
  assert.ok(((await secondsToNext(database.database)) ?? 0) > 0)
  assert.equal((await byHand(id)).json, 'true')
  assert.equal((await tallyOf('a, (b'))[0]?.count, 4)
  assert.equal((await read(id, ['nextcall'])).nextcall, nextcall, 'by hand, the rhythm stays')
  await database.run((env) => env.model('ir.cron').browse([id]).trigger({ at: '2024-01-01 00:00:00' }))
  await run()
  assert.equal((await tallyOf('a, (b'))[0]?.count, 6, 'an extra run')
  await database.run((env) => env.model('ir.cron').browse([id]).unlink())
})

test('scheduled jobs: two nodes run a job once, and it cannot be started by hand meanwhile', async () => {
  const id = await job(`model.count_up(name='both', by=1)`)
  const { promise, resolve } = Promise.withResolvers<void>()
  gate = promise
  const nodes = [run(), run(), database.databases.visit('test', (other) => runDueJobs(other))]
  // The one that works waits for the gate; the others are done when they have found the job taken.
  await Promise.any(nodes)
  await assert.rejects(byHand(id), /already running/)
  resolve()
  gate = undefined
  const runs = (await Promise.all(nodes)).flat()
  assert.equal(runs.length, 1)
  assert.equal((await tallyOf('both'))[0]?.count, 1)
  await database.run((env) => env.model('ir.cron').browse([id]).unlink())
})

test('scheduled actions: a failure leaves only its note, is retried soon, and deactivates after a week', async () => {
  const id = await job('model.fail()')
  const [failed] = await run()
  assert.equal(failed?.outcome, 'failed')
  assert.match(String(failed?.error), /cannot be done/)
  assert.equal((await tallyOf('half done')).length, 0)
  const first = await read(id, ['failure_count', 'first_failure_date', 'active', 'lastcall'])
  assert.deepEqual([first.failure_count, first.active, first.lastcall], [1, true, false])
  const wait = (await secondsToNext(database.database)) ?? 0
  assert.ok(wait > 0 && wait <= 60, `tried again in ${wait} seconds`)
  const hurry = (env: Environment) =>
    env.query(sql`UPDATE ir_cron_trigger SET call_at = call_at - interval '1 day'`)
  for (let i = 2; i <= 5; i++) {
    await database.run(hurry)
    await run()
  }
  assert.deepEqual(await read(id, ['failure_count', 'active']), { id, failure_count: 5, active: true })
  await database.run((env) =>
    env.query(sql`UPDATE ir_cron SET first_failure_date = first_failure_date - interval '8 days'`),
  )
  await database.run(hurry)
  await run()
  assert.deepEqual(await read(id, ['failure_count', 'active']), { id, failure_count: 6, active: false })
  assert.deepEqual(await run(), [])
})

test('scheduled actions: a broken connection is not a failure; it runs when the database is back', async () => {
  const id = await job(`model.count_up(name='cut', by=1)`)
  const [open, waiting] = [Promise.withResolvers<void>(), Promise.withResolvers<number>()]
  gate = open.promise
  arrived = waiting.resolve
  const cut = assert.rejects(run())
  const pid = await waiting.promise
  await database.run((env) => env.query(sql`SELECT pg_terminate_backend(${pid}::int)`))
  arrived = undefined
  open.resolve()
  gate = undefined
  await cut
  assert.equal((await read(id, ['failure_count'])).failure_count, 0)
  assert.deepEqual(
    (await run()).map(({ outcome }) => outcome),
    ['done'],
  )
  assert.equal((await tallyOf('cut'))[0]?.count, 1)
  await database.run((env) => env.model('ir.cron').browse([id]).unlink())
})

test('scheduled actions: code is never evaluated, and private methods cannot be called', async () => {
  for (const code of [
    'import os',
    'model.env.cr.execute("x")',
    'model.secret()',
    'model._x()',
    'model.count_up()',
    'model.no_such()',
    'model.fail(); model.fail()',
  ]) {
    const id = await job(code)
    const [failed] = await run()
    assert.deepEqual([failed?.id, failed?.outcome], [id, 'failed'], code)
    await database.run((env) => env.model('ir.cron').browse([id]).unlink())
  }
  const idle = await job('pass')
  assert.equal((await run())[0]?.outcome, 'done')
  await database.run((env) => env.model('ir.cron').browse([idle]).unlink())
})

test('scheduled actions: the scheduler finds and runs due ones', async () => {
  const id = await job(`model.count_up(name='found', by=1)`)
  const { promise, resolve } = Promise.withResolvers<object | undefined>()
  const log = {
    info: (message: string, facts?: object) => message === 'Scheduled job done' && resolve(facts),
    error: (_: string, facts?: object) => resolve(facts),
  }
  const scheduler = new Scheduler(database.databases, { log, delay: 0.01 })
  const facts = await promise
  await scheduler.stop()
  assert.deepEqual({ ...facts, seconds: 0 }, { database: 'test', job: id, seconds: 0 })
  assert.equal((await tallyOf('found'))[0]?.count, 1)
})

test('scheduled actions: the vacuum removes old wizard records, expired keys and files of deleted records', async () => {
  await database.run(async (env) => {
    await env.model('base.language.install').create([{}, {}] as never)
    await env.query(
      sql`UPDATE base_language_install SET write_date = write_date - interval '2 hours' WHERE id = (SELECT min(id) FROM base_language_install)`,
    )
    await env.query(
      sql`INSERT INTO res_users_apikeys (name, user_id, key_hash, expiration_date) VALUES ('old', 2, 'x', now() - interval '10 days'), ('new', 2, 'y', now() + interval '2 days')`,
    )
    await env.model('ir.attachment').create([
      { name: 'gone', res_model: 'res.partner', res_field: 'image_1920', res_id: 999_999, datas: 'YQ==' },
      { name: 'here', res_model: 'res.partner', res_field: 'image_1920', res_id: 1, datas: 'YQ==' },
      { name: 'loose', datas: 'YQ==' },
    ])
    await env.model('ir.autovacuum').run_vacuum_cleaner({})
    const left = async (statement: ReturnType<typeof sql>) =>
      (await env.query(statement)).map(([value]) => value)
    assert.equal((await left(sql`SELECT id FROM base_language_install`)).length, 1)
    assert.deepEqual(await left(sql`SELECT name FROM res_users_apikeys WHERE name IN ('old', 'new')`), [
      'new',
    ])
    assert.deepEqual(
      await left(sql`SELECT name FROM ir_attachment WHERE name IN ('gone', 'here', 'loose') ORDER BY 1`),
      ['here', 'loose'],
    )
  })
})
