// Opened databases: few of many stay open, busy ones are left alone, and other processes learn about changes.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeDataDir } from '../../test/support/temp.ts'
import { NotFound, ServiceUnavailable, UserError } from '../errors.ts'
import { setLimits } from '../limits.ts'
import { base } from '../modules/base/index.ts'
import { Admin } from '../postgres/index.ts'
import { FileCollector } from './collector.ts'
import { CopySlots } from './copy-slots.ts'
import type { Database } from './database.ts'
import { Handles } from './handles.ts'
import { Databases } from './index.ts'

const temp = makeDataDir('handles')
let databases: Databases
let other: Databases
const NAMES = Array.from({ length: 10 }, (_, n) => `db-${n}`)

before(async () => {
  const options = {
    dataDir: temp.path,
    modules: [base],
    durable: false,
    maxOpen: 3,
    masterPassword: 'master',
  }
  databases = await Databases.open(options)
  other = await Databases.open(options)
  await databases.create('db-0')
  const admin = new Admin(databases.address)
  for (const name of NAMES.slice(1)) await admin.createDatabase(name, 'db-0')
})
after(async () => {
  await other?.close()
  await databases?.close()
  temp.remove()
})

const ask = (database: Database) =>
  database.pool.use((connection) => connection.query('SELECT current_database()::text'))
/** The schema of a database, and its number of rows. */
const SHAPE = `WITH own AS (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)
  SELECT count(*)::int, md5(string_agg(line, '\n' ORDER BY line)) FROM (
    SELECT concat_ws(' ', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull, attidentity)
      FROM pg_attribute WHERE attrelid IN (SELECT oid FROM own) AND attnum > 0 AND NOT attisdropped
    UNION ALL SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid IN (SELECT oid FROM own)
    UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint WHERE conrelid IN (SELECT oid FROM own)
    UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid IN (SELECT oid FROM own) AND NOT tgisinternal
    UNION ALL SELECT concat_ws(' ', objoid::regclass, objsubid, description) FROM pg_description WHERE objoid IN (SELECT oid FROM own)
    UNION ALL SELECT concat_ws(' ', 'partners', count(*), max(id)) FROM res_partner
    UNION ALL SELECT concat_ws(' ', sequencename, last_value) FROM pg_sequences WHERE sequencename ~ '^res_'
  ) lines(line)`
const until = async (holds: () => boolean) => {
  while (!holds()) await sleep(10)
}

test('of many databases no more than the limit stay open, and each answers whenever it is asked', async () => {
  const first = await databases.database('db-0')
  for (let round = 0; round < 2; round++) {
    for (const name of NAMES) {
      assert.deepEqual(await ask(await databases.database(name)), [[name]])
      assert.ok(databases.open <= 3, `${databases.open} are open`)
    }
  }
  assert.deepEqual(await ask(first), [['db-0']], 'who has a database that was closed goes on with it')
  await until(() => first.pool.stats().open === 0)
  const [row] = await (await databases.database('db-9')).pool.use((connection) =>
    connection.query("SELECT count(DISTINCT datname)::int FROM pg_stat_activity WHERE datname LIKE 'db-%'"),
  )
  assert.ok(Number(row?.[0]) <= 4, `${row?.[0]} databases have connections`)
})

test('busy databases stay open beyond the limit', async () => {
  await Promise.all(
    NAMES.slice(0, 5).map(async (name) =>
      (await databases.database(name)).pool.use((connection) => connection.query('SELECT pg_sleep(0.2)')),
    ),
  )
  await databases.database('db-7')
  assert.ok(databases.open <= 3)
})

test('a drop closes the database in other processes, and a new one of the name is taken for new', async () => {
  const theirs = await other.database('db-1')
  assert.deepEqual(await ask(theirs), [['db-1']])
  assert.equal(await databases.drop('db-1'), true)
  await until(() => !other.isOpen('db-1'))
  await assert.rejects(async () => other.choose({ header: 'db-1', host: undefined }), { name: 'NotFound' })
  await databases.create('db-1', { login: 'fresh' })
  const fresh = await other.database('db-1')
  assert.notEqual(fresh, theirs)
  assert.notEqual(await fresh.callers.login('fresh', 'admin'), null)
})

test('a rename by another process is noticed', async () => {
  await other.database('db-2')
  await databases.rename('db-2', 'moved')
  await until(() => !other.isOpen('db-2'))
  assert.deepEqual(await ask(await other.database('moved')), [['moved']])
})

test('copies are made while others use the database, and see it as of one moment', async () => {
  const database = await databases.database('db-8')
  database.enter()
  try {
    await Promise.all([databases.duplicate('db-8', 'copy-1'), databases.duplicate('db-8', 'copy-2')])
    assert.deepEqual(await ask(database), [['db-8']], 'its connections were not cut')
  } finally {
    database.leave()
  }
  const shapeOf = async (name: string) =>
    (await databases.database(name)).pool.use((connection) => connection.query(SHAPE))
  assert.deepEqual(await shapeOf('copy-1'), await shapeOf('db-8'))
  for (const name of ['copy-1', 'copy-2']) assert.equal(await databases.drop(name), true)
})

test('deeds beyond the places wait for a while, whichever process does them', async (t) => {
  t.after(() => setLimits())
  setLimits({ copies: 1 })
  const admin = new Admin(databases.address)
  const begun = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<string>()
  const first = new CopySlots(admin).run(() => {
    begun.resolve()
    return gate.promise
  })
  await begun.promise
  const hasty = new CopySlots(admin, 0)
  await assert.rejects(
    hasty.run(async () => 'second'),
    ServiceUnavailable,
  )
  const second = new CopySlots(admin).run(async () => 'second')
  gate.resolve('first')
  assert.deepEqual(await Promise.all([first, second]), ['first', 'second'])
  await assert.rejects(
    new CopySlots(admin).run(() => Promise.reject(new UserError('third'))),
    UserError,
  )
})

test('a call for a database that is being dropped gets its refusal, and nothing of the database stays open', async () => {
  const call = async () => {
    const database = await databases.database('db-9')
    database.enter()
    try {
      await ask(database)
    } finally {
      database.leave()
    }
  }
  const refused: unknown[] = []
  let dropped = false
  const callers = Array.from({ length: 8 }, async () => {
    while (!dropped) await call().catch((error: unknown) => refused.push(error))
  })
  const drop = databases.drop('db-9').finally(() => {
    dropped = true
  })
  await Promise.all(callers)
  assert.equal(await drop, true)
  assert.equal(databases.isOpen('db-9'), false)
  await assert.rejects(call(), NotFound)
  assert.deepEqual(
    refused.filter((error) => !(error instanceof NotFound)),
    [],
  )
})

test('a database that went without a word is found out by the first who wants a connection', async () => {
  const gone = await databases.database('db-7')
  await ask(gone)
  await new Admin(databases.address).dropDatabase('db-7')
  await until(() => gone.pool.stats().open === 0)
  await Promise.all(Array.from({ length: 40 }, () => assert.rejects(ask(gone), NotFound)))
  assert.equal(databases.isOpen('db-7'), false)
})

test('those who want a database for themselves take turns, and newcomers wait for the last', async () => {
  const done: string[] = []
  const fake = { close: async () => void done.push('closed') }
  const handles = new Handles({ open: async () => fake as unknown as Database, most: 9, idleMs: 60_000 })
  await handles.get('one')
  const turn = Promise.withResolvers<void>()
  const work = (who: string) => async () => {
    done.push(`${who} begins`)
    await turn.promise
    await sleep(5)
    done.push(`${who} ends`)
  }
  const first = handles.apart('one', work('first'))
  const second = handles.apart('one', work('second'))
  const newcomer = first.then(() => handles.get('one')).then(() => done.push('newcomer'))
  assert.equal(handles.known('one'), undefined)
  turn.resolve()
  await Promise.all([second, newcomer])
  assert.deepEqual(done, ['closed', 'first begins', 'first ends', 'second begins', 'second ends', 'newcomer'])
  assert.notEqual(handles.known('one'), undefined)
  await handles.end()
})

test('an idle database is closed after a while; one that could not be opened is tried again', async () => {
  let closed = 0
  let fail = true
  const fake = {
    pool: { quiet: true, shed: () => undefined },
    retire: async () => void closed++,
    close: async () => void closed++,
  }
  const handles = new Handles({
    open: async (name) => {
      if (name === 'broken' && fail) throw new Error('not now')
      return fake as unknown as Database
    },
    most: 1000,
    idleMs: 20,
  })
  await assert.rejects(handles.get('broken'), /not now/)
  fail = false
  await handles.get('broken')
  for (let n = 0; n < 500; n++) await handles.get(`one-${n}`)
  await until(() => handles.size === 0 && closed === 501)
  await handles.end()
})

test('files are looked through once of each database that was used, open or let go of meanwhile; to look is no use', async () => {
  const looked: string[] = []
  const lost: string[] = []
  const handles = new Handles({
    open: async (name) => {
      if (name === 'lost' && lost.push(name) > 1) throw new Error('not there')
      const fake = {
        pool: { quiet: true },
        collectFiles: async () => looked.push(name),
        retire: async () => undefined,
        close: async () => undefined,
      }
      return fake as unknown as Database
    },
    most: 9,
    idleMs: 60_000,
  })
  for (const name of ['open', 'closed', 'retired', 'lost', 'dropped', 'upkeep'])
    await (name === 'upkeep' ? handles.forUpkeep(name) : handles.get(name))
  await handles.close('closed')
  for (const name of ['retired', 'lost', 'dropped', 'upkeep']) handles.retire(name)
  handles.forgetUse('dropped')
  const messages: string[] = []
  const collector = new FileCollector(handles, (message) => messages.push(message), 1)
  await until(() => looked.length + messages.length === 4)
  assert.deepEqual(looked.splice(0).sort(), ['closed', 'open', 'retired'])
  assert.match(messages.join(), /^Unused files could not be removed: Error: not there$/)
  assert.deepEqual(handles.takeUsed(), [])
  handles.known('closed')
  await until(() => looked.length > 0)
  collector.close()
  assert.deepEqual([looked, handles.takeUsed()], [['closed'], []])
  await handles.get('open')
  assert.deepEqual(handles.takeUsed(), ['open'])
  await handles.end()
})

test('a server without room for connections gets some from databases that do not need theirs', async () => {
  const admin = (await databases.database('db-3')).pool
  const [row] = await admin.use((connection) =>
    connection.query("SELECT setting::int FROM pg_settings WHERE name = 'max_connections'"),
  )
  const most = Number(row?.[0])
  // Each database opens as many connections as it may; together that is more than the server accepts.
  const wide = await Databases.open({
    dataDir: temp.path,
    modules: [base],
    durable: false,
    pool: { max: Math.ceil(most / 2) },
  })
  try {
    for (const name of ['db-4', 'db-5', 'db-6']) {
      const { pool } = await wide.database(name)
      const held = await Promise.all(Array.from({ length: Math.ceil(most / 2) - 10 }, () => pool.acquire()))
      assert.equal(held.length, Math.ceil(most / 2) - 10)
      for (const connection of held) pool.release(connection)
    }
  } finally {
    await wide.close()
  }
})
