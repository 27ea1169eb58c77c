// URLs of several hosts, and the search for the server among them that takes writes.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openWay } from '../../test/support/muffled.ts'
import { StartupError } from '../errors.ts'
import { Connection } from './connection.ts'
import { type Embedded, startTemporary } from './embedded/index.ts'
import { isConnectionLost } from './errors.ts'
import { fits, hostsOf, ofReplica } from './hosts.ts'
import { Pool } from './pool.ts'
import { positionIn, positionOf, tokenOf } from './replica/position.ts'

let server: Embedded
before(async () => {
  server = await startTemporary()
})
after(() => server?.stop())

test('a URL of several hosts is one URL a host, the same in all else', () => {
  const { urls, attrs } = hostsOf(
    'postgres://shop:p%40ss@one:5432,two,[::1]:5433/till?sslmode=require&target_session_attrs=primary',
  )
  assert.deepEqual(
    urls.map(({ href }) => href),
    ['one:5432', 'two', '[::1]:5433'].map(
      (host) => `postgres://shop:p%40ss@${host}/till?sslmode=verify-full`,
    ),
  )
  assert.equal(attrs, 'primary')
  assert.equal(hostsOf('postgres://a,b/').attrs, 'read-write', 'of several the one that takes writes')
  assert.equal(hostsOf('postgres://a/').attrs, 'any')
  assert.equal(hostsOf('postgres://shop@/x?host=/run/postgresql').urls[0]?.hostname, 'localhost')
  for (const wrong of [
    'mysql://a',
    'nothing',
    'postgres://a:x/',
    'postgres://a/?target_session_attrs=best',
    'postgres://a/?sslmode=verfy-full',
    // Passwords with characters that end them.
    'postgres://a:b@/1#?%@db:5432/',
    'postgres://a:12/b@db:5432/',
    'postgres://a:1?b@db:5432/',
    'postgres://a:b#c@db:5432/',
    'postgres://a:b%zz@db:5432/',
  ])
    assert.throws(() => hostsOf(wrong), StartupError, wrong)
})

test('every encrypted mode checks the certificate, but for the one that says otherwise', () => {
  const modeOf = (mode: string) =>
    hostsOf(`postgres://a/?sslmode=${mode}`).urls[0]?.searchParams.get('sslmode')
  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full'])
    assert.equal(modeOf(mode), 'verify-full')
  for (const mode of ['disable', 'no-verify']) assert.equal(modeOf(mode), mode)
  assert.equal(modeOf('require&uselibpqcompat=true'), 'require')
})

test('who is asked for gets who fits; a server that says nothing of itself is taken at its word', () => {
  const primary = { standby: false, readOnly: false }
  const standby = { standby: true, readOnly: false }
  const locked = { standby: false, readOnly: true }
  const silent = { standby: undefined, readOnly: undefined }
  const taken = (attrs: Parameters<typeof fits>[0]) =>
    [primary, standby, locked, silent].map((server) => fits(attrs, server))
  assert.deepEqual(taken('any'), [true, true, true, true])
  assert.deepEqual(taken('read-write'), [true, false, false, true])
  assert.deepEqual(taken('primary'), [true, false, true, true])
  assert.deepEqual(taken('standby'), [false, true, false, true])
  assert.deepEqual(taken('read-only'), [false, true, true, true])
})

test('hosts that do not answer and servers that take no writes are passed over', async () => {
  const { host, port, user, password } = server
  const owner = await Connection.connect({ ...server, database: 'test' })
  const where = `${host}:1,${host}:${port}`
  const connection = await Connection.connect({ url: `postgres://${user}:${password}@${where}/test` })
  assert.deepEqual(await connection.query('SELECT current_database()'), [['test']])
  await connection.close()
  await owner.simple('ALTER DATABASE test SET default_transaction_read_only = on')
  const seeking = Connection.connect({ url: `postgres://${user}:${password}@${where}/test` })
  await assert.rejects(seeking, (error) => isConnectionLost(error) && /not read-write/.test(String(error)))
  const any = await Connection.connect({
    url: `postgres://${user}:${password}@${where}/test?target_session_attrs=any`,
  })
  await any.close()
  await owner.simple(
    'SET default_transaction_read_only = off; ALTER DATABASE test RESET default_transaction_read_only',
  )
  await owner.close()
})

test('hosts: one that owed an answer is tried after the others the next time', async () => {
  const ways = [await openWay(server), await openWay(server)]
  const where = ways.map(({ port }) => `127.0.0.1:${port}`).join()
  const url = `postgres://${server.user}:${server.password}@${where}/test`
  const silent = await Connection.connect({ url })
  silent.cut()
  const next = await Connection.connect({ url })
  ways[0]?.muffle()
  assert.deepEqual(await next.query('SELECT 1'), [[1]])
  await next.close()
  for (const way of ways) await way.close()
})

test('hosts: if a connection waits too long for an answer, idle ones are closed at once, and those in use stay', async () => {
  const way = await openWay(server)
  const pool = new Pool({
    ...{ port: way.port, user: server.user, password: server.password, database: 'test', max: 3 },
    ...{ statementTimeout: 50, patience: { everyMs: 10, graceMs: 50 } },
  })
  const [owing, lent, free] = await Promise.all([pool.acquire(), pool.acquire(), pool.acquire()])
  pool.release(free)
  way.muffle()
  await assert.rejects(owing.query('SELECT 1'), isConnectionLost)
  assert.deepEqual([free.usable, lent.usable], [false, true])
  const next = await Promise.all([pool.acquire(), pool.acquire()])
  for (const connection of next) {
    assert.ok(connection.usable)
    pool.release(connection)
  }
  pool.release(owing)
  pool.release(lent, true)
  await pool.end()
  await way.close()
})

test('the URL of a replica means servers that follow, unless it says otherwise', () => {
  assert.equal(hostsOf(ofReplica('postgres://a,b/')).attrs, 'standby')
  assert.equal(hostsOf(ofReplica('postgres://a/?target_session_attrs=any')).attrs, 'any')
})

test('positions go out with their server and come back as numbers', () => {
  const token = tokenOf('7', positionOf('16/B374D848'))
  assert.equal(token, '7-16/B374D848')
  assert.equal(positionIn(token, '7'), 0x16 * 2 ** 32 + 0xb374d848)
  assert.deepEqual(
    [positionIn(token, '8'), positionIn('7-x/1', '7'), positionIn('7', '7')],
    [null, null, null],
  )
})
