// Tests of connection.ts against a real server, and through a proxy that shows what travels together.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { after, before, test } from 'node:test'
import { StartupError } from '../errors.ts'
import { Connection } from './connection.ts'
import type { Embedded } from './embedded/index.ts'
import { startTemporary } from './embedded/index.ts'
import { isConnectionLost, isStalePlan, sqlState } from './errors.ts'
import { LONGEST_PREPARED } from './prepared.ts'

let server: Embedded
let connection: Connection

before(async () => {
  server = await startTemporary()
  connection = await Connection.connect({ ...server, database: 'test' })
})

after(async () => {
  await connection?.close()
  await server?.stop()
})

test('values arrive as the rest of the project expects them', async () => {
  const [row] =
    await connection.query(`SELECT 1::int2, 2::int4, 3::int8, 0.1::float8, 12.50::numeric, true, false, null,
    '2024-02-29'::date, '2024-02-29 12:34:56'::timestamp, '2024-02-29 12:34:56.789'::timestamp, '{"b":1, "a":[]}'::json,
    ARRAY[1,2]::int4[], 'é'::text, '\\x00ff'::bytea, ARRAY['a','b c']`)
  assert.deepEqual(row, [
    1,
    2,
    3,
    0.1,
    12.5,
    true,
    false,
    null,
    '2024-02-29',
    '2024-02-29 12:34:56',
    '2024-02-29 12:34:56.789',
    '{"b":1, "a":[]}',
    [1, 2],
    'é',
    Buffer.from([0, 255]),
    ['a', 'b c'],
  ])
})

test('parameters arrive as they are meant', async () => {
  const [row] = await connection.query(
    'SELECT $1::int4[], $2::text[], $3::jsonb, $4::timestamp, $5::bytea, $6::bool, $7::numeric',
    [[1, 2], ['x"y', null], { a: 'ü' }, new Date(0), Buffer.from('hi'), true, 1.5],
  )
  assert.deepEqual(row, [
    [1, 2],
    ['x"y', null],
    '{"a": "ü"}',
    '1970-01-01 00:00:00',
    Buffer.from('hi'),
    true,
    1.5,
  ])
})

test('the session is in UTC with ISO dates, whatever the process', async () => {
  const rows = await connection.query(
    "SELECT current_setting('TimeZone'), current_setting('DateStyle'), current_setting('application_name'), current_setting('client_encoding')",
  )
  assert.deepEqual(rows, [['UTC', 'ISO, YMD', 'comptoir', 'UTF8']])
})

test('a repeated text is prepared once, a single one not at all', async () => {
  const count = async (text: string) =>
    (
      await connection.query('SELECT count(*) FROM pg_prepared_statements WHERE statement = $1', [text])
    )[0]?.[0]
  await connection.query('SELECT 1 AS once')
  assert.equal(await count('SELECT 1 AS once'), 0)
  for (let i = 0; i < 4; i++) await connection.query('SELECT $1::int AS often', [i])
  assert.equal(await count('SELECT $1::int AS often'), 1)
})

test('a changed table makes one statement fail, and the repetition work', async () => {
  await connection.simple('CREATE TABLE changing (a int); INSERT INTO changing VALUES (1)')
  for (let i = 0; i < 3; i++) await connection.query('SELECT * FROM changing')
  await connection.simple('ALTER TABLE changing ADD b int DEFAULT 2')
  await assert.rejects(connection.query('SELECT * FROM changing'), isStalePlan)
  assert.deepEqual(await connection.query('SELECT * FROM changing'), [[1, 2]])
})

test('prepared statements: beyond the limit the least recently used ones are deallocated', async () => {
  const others = await Connection.connect({ ...server, database: 'test' })
  const isPrepared = async (text: string) => {
    const [row] = await others.query(
      'SELECT count(*)::int FROM pg_prepared_statements WHERE statement = $1',
      [text],
    )
    return row?.[0] === 1
  }
  for (let i = 0; i < 1000; i++) {
    for (let twice = 0; twice < 2; twice++) await others.query(`SELECT ${i}, 'of many'`)
    await others.query(`SELECT 'often'`)
  }
  const [row] = await others.query('SELECT count(*)::int FROM pg_prepared_statements')
  assert.ok(Number(row?.[0]) <= 800, `${row?.[0]} statements are still prepared`)
  assert.deepEqual(
    [await isPrepared(`SELECT 'often'`), await isPrepared(`SELECT 0, 'of many'`)],
    [true, false],
  )
  await others.close()
})

test('prepared statements: are deallocated before a batch that fails, except those that it uses', async () => {
  const others = await Connection.connect({ ...server, database: 'test' })
  const sent = (text: string) => ({ text, values: [] })
  for (let round = 0; round < 2; round++)
    for (let i = 0; i < 795; i++) await others.query(`SELECT ${i}, 'of a full connection'`)
  const texts = [...Array(20).keys()].map((i) => `SELECT ${i}, 'of a failing batch'`)
  await Promise.all(texts.map((text) => others.query(text)))
  const answers = await Promise.allSettled(
    others.flush([sent(`SELECT 0, 'of a full connection'`), ...texts.map(sent), sent('SELECT 1/0')]),
  )
  assert.equal(answers.filter(({ status }) => status === 'rejected').length > 0, true)
  for (let round = 0; round < 2; round++)
    for (let i = 0; i < 795; i++)
      assert.deepEqual(await others.query(`SELECT ${i}, 'of a full connection'`), [
        [i, 'of a full connection'],
      ])
  await others.close()
})

test('shapes without end leave the memory of server and PostgreSQL as it is', {
  skip: process.platform === 'linux' ? false : 'reads /proc',
}, async () => {
  const [row] = await connection.query('SELECT pg_backend_pid()')
  const memory = () =>
    Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${row?.[0]}/status`, 'utf8'))?.[1])
  const few = memory()
  for (let i = 0; i < 800; i++) {
    const text = `SELECT relname FROM pg_class c WHERE ${Array.from({ length: 30 }, (_, j) => `relname <> $1 || '${i * 100 + j}'`).join(' AND ')} AND oid = 1`
    await connection.query(text, ['x'])
    await connection.query(text, ['x'])
  }
  const kept = memory() - few
  assert.ok(kept < 100_000, `the backend took ${kept} kB`)
  // A long one is not kept at all, however often it comes.
  const long = `SELECT '${'x'.repeat(LONGEST_PREPARED)}'::text`
  for (let i = 0; i < 3; i++) await connection.query(long)
  assert.deepEqual(
    await connection.query('SELECT count(*)::int FROM pg_prepared_statements WHERE length(statement) > $1', [
      LONGEST_PREPARED,
    ]),
    [[0]],
  )
})

test('in a transaction that sends ever more shapes, not all of them are kept', async () => {
  await connection.query('BEGIN')
  for (let i = 0; i < 2000; i++) await connection.query(`SELECT ${i % 1000}, 'in a transaction'`)
  const [row] = await connection.query('SELECT count(*)::int FROM pg_prepared_statements')
  await connection.query('ROLLBACK')
  assert.ok(Number(row?.[0]) <= 800, `${row?.[0]} statements are prepared`)
})

test('in a batch in which one statement fails the later ones fail with it, and their promises need not be awaited', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  const [begin, broken, later] = connection.flush([
    { text: 'BEGIN', values: [] },
    { text: 'SELECT 1/0', values: [] },
    { text: 'SELECT 1', values: [] },
  ])
  await begin
  await assert.rejects(broken ?? Promise.resolve(), (error) => sqlState(error) === '22012')
  await new Promise((resolve) => setImmediate(resolve))
  await assert.rejects(later ?? Promise.resolve(), (error) => sqlState(error) === '22012')
  assert.equal(connection.idle, false)
  await assert.rejects(connection.query('SELECT 2'), (error) => sqlState(error) === '25P02')
  await connection.query('ROLLBACK')
  assert.equal(connection.idle, true)
  process.off('unhandledRejection', note)
  assert.deepEqual(unhandled, [])
})

test('a name whose statement failed is prepared anew, and whatever a column was before is read as what it is', async () => {
  const divide = (by: number) => connection.query('SELECT 6 / $1::int AS divided', [by])
  for (let i = 0; i < 2; i++) await assert.rejects(divide(0), (error) => sqlState(error) === '22012')
  for (let i = 0; i < 2; i++) assert.deepEqual(await divide(3), [[2]])
  await assert.rejects(divide(0), (error) => sqlState(error) === '22012')
  assert.deepEqual(await divide(2), [[3]])
  await connection.simple('CREATE TABLE typed (a int); INSERT INTO typed VALUES (7)')
  for (let i = 0; i < 3; i++) assert.deepEqual(await connection.query('SELECT a FROM typed'), [[7]])
  await connection.simple("ALTER TABLE typed ALTER a TYPE text USING a || ' pieces'")
  await assert.rejects(connection.query('SELECT a FROM typed'), isStalePlan)
  assert.deepEqual(await connection.query('SELECT a FROM typed'), [['7 pieces']])
})

test('after a statement that failed before it was described, the same one, sent already, is read correctly', async () => {
  const next = (to: unknown) => connection.query('SELECT $1::int + 1 AS next', [to])
  await next(0)
  const [failing, following] = [next('no number'), next(5)]
  await assert.rejects(failing, (error) => sqlState(error) === '22P02')
  assert.deepEqual(await following, [[6]])
})

test('rows that cannot be read fail their own statement and nothing else', async () => {
  const [odd, plain] = connection.flush([
    { text: "SELECT '[0:1]={1,2}'::int4[]", values: [] },
    { text: 'SELECT 1', values: [] },
  ])
  await assert.rejects(odd ?? Promise.resolve(), SyntaxError)
  assert.deepEqual(await plain, [[1]])
})

test('of a batch with a value that cannot be sent nothing leaves', async () => {
  const answers = connection.flush([
    { text: 'BEGIN', values: [] },
    { text: 'SELECT $1::timestamp', values: [new Date(Number.NaN)] },
    { text: 'COMMIT', values: [] },
  ])
  for (const answer of answers) await assert.rejects(answer, RangeError)
  assert.equal(connection.idle, true)
})

test('a batch is one transaction, prepared or not, and long and odd values arrive whole', async () => {
  const long = 'ü€😀'.repeat(300_000)
  for (let i = 0; i < 3; i++) {
    const [first, second] = connection.flush([
      { text: 'SELECT txid_current()::text', values: [] },
      {
        text: 'SELECT txid_current()::text, $1::text, $2::bytea, $3::text[], $4::int[]',
        values: [
          long,
          new Uint8Array([0, 1]),
          [
            ['a"', null],
            ['\\', ''],
          ],
          [[1], [2]],
        ],
      },
    ])
    const [[mine]] = (await first) as [[string]]
    assert.deepEqual(await second, [[mine, long, Buffer.from([0, 1]), ['a"', null, '\\', ''], [[1], [2]]]])
  }
})

test('statements of one turn leave in one packet, before any is answered', async () => {
  const packets: string[] = []
  const held: Buffer[] = []
  let holding = false
  let release = () => {}
  const proxy = createServer((client) => {
    const upstream = connect(server.port, server.host)
    client.on('data', (data) => {
      if (holding) packets.push(data.toString('latin1'))
      upstream.write(data)
    })
    upstream.on('data', (data) => (holding ? held.push(data) : client.write(data)))
    release = () => {
      holding = false
      client.write(Buffer.concat(held))
    }
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const through = await Connection.connect({
    ...server,
    port: (proxy.address() as AddressInfo).port,
    database: 'postgres',
  })
  holding = true
  const batch = through.flush([
    { text: "SELECT 'one'", values: [] },
    { text: "SELECT 'two', $1::int", values: [2] },
  ])
  const third = through.query("SELECT 'three'")
  while (packets.length === 0 || held.length === 0) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(packets.length, 1)
  for (const text of ['one', 'two', 'three']) assert.ok(packets[0]?.includes(`'${text}'`))
  release()
  assert.deepEqual(await Promise.all([...batch, third]), [[['one']], [['two', 2]], [['three']]])
  await through.close()
  await new Promise((resolve) => proxy.close(resolve))
})

test('what goes back to a savepoint is run, though what failed left in the same turn', async () => {
  const query = (text: string) => ({ text, values: [] })
  await Promise.all(connection.flush([query('BEGIN'), query('SAVEPOINT work')]))
  const [wrong] = connection.flush([query('SELECT 1 / 0')])
  const [back] = connection.flush([query('ROLLBACK TO SAVEPOINT work')])
  const rest = connection.flush([query('SELECT 2'), query('COMMIT')])
  await assert.rejects(Promise.resolve(wrong), (error) => sqlState(error) === '22012')
  assert.deepEqual(await Promise.all([back, ...rest]), [[], [[2]], []])
  assert.ok(connection.idle)
})

test('a lost connection fails what is in flight and is not usable', async () => {
  const victim = await Connection.connect({ ...server, database: 'postgres' })
  const [row] = await victim.query('SELECT pg_backend_pid()')
  const ended = new Promise<void>((resolve) => victim.onEnd(resolve))
  const waiting = assert.rejects(victim.query('SELECT pg_sleep(60)'), isConnectionLost)
  await connection.query('SELECT pg_terminate_backend($1)', row)
  await waiting
  await ended
  assert.equal(victim.usable, false)
  await assert.rejects(victim.query('SELECT 1'), isConnectionLost)
})

test('a connection receives notifications', async () => {
  const listener = await Connection.connect({ ...server, database: 'test' })
  const payload = new Promise((resolve) => void listener.listen('registry', resolve))
  await listener.query('SELECT 1')
  await connection.query("SELECT pg_notify('registry', 'changed')")
  assert.equal(await payload, 'changed')
  await listener.close()
})

test('a URL may name everything, and our session settings hold', async () => {
  const url = `postgres://${server.user}:${encodeURIComponent(server.password)}@${server.host}:${server.port}/nowhere?application_name=other`
  const other = await Connection.connect({ url, database: 'postgres' })
  const rows = await other.query(
    "SELECT current_database(), current_setting('TimeZone'), current_setting('application_name')",
  )
  assert.deepEqual(rows, [['postgres', 'UTC', 'comptoir']])
  await other.close()
})

test('a password that is missing is named, with where it belongs', async () => {
  const url = `postgres://${server.user}@${server.host}:${server.port}/postgres`
  await assert.rejects(Connection.connect({ url }), /asks for a password; neither the URL nor ~\/\.pgpass/)
})

test('an invalid database URL is reported without its password', async () => {
  for (const url of ['localhost', 'mysql://u:hidden@h/d', 'postgres://u:hidden@:port/d']) {
    const error = await Connection.connect({ url }).catch((caught: unknown) => caught)
    assert.ok(error instanceof StartupError)
    assert.doesNotMatch(error.message, /hidden/)
  }
})
