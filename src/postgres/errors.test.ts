// Tests of errors.ts and transaction.ts: real errors of a real server become the answers of the table.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import {
  ConcurrencyError,
  InvalidValue,
  PayloadTooLarge,
  ServiceUnavailable,
  ValidationError,
} from '../errors.ts'
import { Connection } from './connection.ts'
import type { Embedded } from './embedded/index.ts'
import { startTemporary } from './embedded/index.ts'
import { isReadOnly, isRetryable, translate } from './errors.ts'
import { withRetries } from './transaction.ts'

let server: Embedded
let first: Connection
let two: Connection

before(async () => {
  server = await startTemporary()
  first = await Connection.connect({ ...server, database: 'test', statementTimeout: 0 })
  two = await Connection.connect({ ...server, database: 'test' })
  await first.simple(`
    CREATE TABLE country (id int PRIMARY KEY);
    CREATE TABLE partner (id serial PRIMARY KEY, name text NOT NULL, ref text, amount numeric(5,2), country_id int,
      CONSTRAINT partner_ref_unique UNIQUE (ref), CONSTRAINT partner_amount_check CHECK (amount >= 0),
      CONSTRAINT partner_country_fk FOREIGN KEY (country_id) REFERENCES country ON DELETE RESTRICT);
    INSERT INTO country VALUES (1);
    INSERT INTO partner (name, ref, country_id) VALUES ('Ann', 'a', 1)`)
})

after(async () => {
  await first?.close()
  await two?.close()
  await server?.stop()
})

const wording = {
  constraint: (name: string) =>
    name === 'partner_amount_check' ? 'The amount cannot be negative.' : undefined,
  field: (table: string, column: string) =>
    table === 'partner' && column === 'ref' ? 'Reference' : undefined,
  reference: (table: string, key: string) =>
    table === 'partner' && key === 'partner_country_fk'
      ? { model: 'Contact (partner)', field: 'Country (country_id)' }
      : undefined,
}

async function failure(text: string, values: unknown[] = []): Promise<unknown> {
  return first.query(text, values).then(
    () => assert.fail('the statement succeeded'),
    (error: unknown) => translate(error, wording),
  )
}

for (const [title, text, expected, message] of [
  [
    'unique',
    "INSERT INTO partner (name, ref) VALUES ('B', 'a')",
    ValidationError,
    /value of Reference must be unique/,
  ],
  ['required', 'INSERT INTO partner (name) VALUES (null)', ValidationError, /field name is required/],
  [
    'check, in words',
    "INSERT INTO partner (name, amount) VALUES ('B', -1)",
    ValidationError,
    /^The amount cannot be negative\.$/,
  ],
  [
    'foreign key, missing',
    "INSERT INTO partner (name, country_id) VALUES ('B', 9)",
    ValidationError,
    /country_id refers to a record/,
  ],
  [
    'foreign key, restricted',
    'DELETE FROM country',
    ValidationError,
    /cannot be deleted: records of Contact \(partner\) still refer to it by the field Country \(country_id\)\.$/,
  ],
  ['bad integer', "SELECT 'x'::int", InvalidValue, /invalid input syntax/],
  ['bad date', "SELECT '2024-02-30'::date", InvalidValue, /out of range/],
  ['overflow', 'SELECT 3000000000::int', InvalidValue, /out of range/],
] as const) {
  test(`${title}: ${expected.name}`, async () => {
    const error = await failure(text)
    assert.ok(error instanceof expected)
    assert.match(error.message, message)
    assert.doesNotMatch(error.message, /INSERT|SELECT|DELETE|_fk|_check|_key/)
  })
}

test('a NUL in a text is a value that does not fit', async () => {
  assert.ok((await failure('SELECT $1::text', ['a\0b'])) instanceof InvalidValue)
})

test('too many parameters are refused before they break the protocol', async () => {
  assert.ok((await failure('SELECT 1', Array(70_000).fill(1))) instanceof InvalidValue)
  assert.deepEqual(await first.query('SELECT 1'), [[1]])
})

test('a statement that takes too long names the limit; one that waits for locks says so', async () => {
  await first.query("SET statement_timeout = '10ms'")
  const slow = await failure('SELECT pg_sleep(60)')
  assert.ok(slow instanceof PayloadTooLarge)
  assert.match(slow.message, /statement-seconds/)
  await first.query('RESET statement_timeout')
  await first.query("SET lock_timeout = '10ms'")
  await two.query('BEGIN')
  await two.query('SELECT 1 FROM partner FOR UPDATE')
  const late = await failure('UPDATE partner SET ref = ref')
  await two.query('ROLLBACK')
  assert.ok(late instanceof ServiceUnavailable)
  assert.equal(isRetryable(late.cause), false)
  await first.query('RESET lock_timeout')
})

test('a request that PostgreSQL has no room for is refused as too large, not as a fault of the server', async () => {
  const deep = `SELECT ${'('.repeat(100_000)}1${')'.repeat(100_000)}`
  const wide = `SELECT ${Array.from({ length: 2000 }, () => '1').join()}`
  const statements = [
    deep,
    wide,
    "SELECT repeat('x', 2000000000)",
    'SELECT array_agg(g) FROM (SELECT generate_series(1, 300000000)) AS s (g)',
  ]
  for (const statement of statements)
    assert.ok((await failure(statement)) instanceof PayloadTooLarge, statement.slice(0, 40))
  assert.deepEqual(await first.query('SELECT 1'), [[1]])
})

test('a server that is not there is unavailable', async () => {
  const error = await Connection.connect({ ...server, port: 1 }).catch((caught: unknown) => translate(caught))
  assert.ok(error instanceof ServiceUnavailable)
  assert.doesNotMatch(error.message, /127\.0\.0\.1/)
})

test('a server that does not say in time what it is is unavailable', async () => {
  const client = new pg.Client({ ...server, database: 'test' }).on('error', () => undefined)
  await client.connect()
  const question = { text: 'SELECT pg_sleep(60)', query_timeout: 1 }
  const error = await client.query(question).catch((caught: unknown) => translate(caught))
  client.connection.stream.destroy()
  assert.ok(error instanceof ServiceUnavailable)
})

test('a socket that was closed by the other side is a lost connection, a file that cannot be opened is not', () => {
  const failed = (code: string, syscall?: string) =>
    Object.assign(new Error(code), { code, ...(syscall ? { syscall } : {}) })
  for (const lost of [
    failed('EPIPE'),
    failed('ERR_STREAM_DESTROYED'),
    failed('ENETUNREACH', 'connect'),
    failed('EMFILE', 'connect'),
  ])
    assert.ok(translate(lost) instanceof ServiceUnavailable, lost.message)
  const file = failed('EMFILE', 'open')
  assert.equal(translate(file), file)
})

test('a server that takes no writes is unavailable for them', async () => {
  await first.query('SET default_transaction_read_only = on')
  const error = await failure('CREATE TABLE nothing ()')
  assert.ok(error instanceof ServiceUnavailable)
  assert.ok(isReadOnly(error.cause))
  await first.query('RESET default_transaction_read_only')
})

test('other errors come back as they are', () => {
  const error = new TypeError('of our own')
  assert.equal(translate(error), error)
})

test('a serialization failure is retried with its number, and then succeeds', async () => {
  const attempts: number[] = []
  await withRetries(
    async (attempt) => {
      attempts.push(attempt)
      try {
        await first.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
        await first.query('SELECT name FROM partner')
        if (attempt === 1) await two.query("UPDATE partner SET name = 'Bob'")
        await first.query("UPDATE partner SET name = name || '!'")
        await first.query('COMMIT')
      } catch (error) {
        await first.query('ROLLBACK')
        throw error
      }
    },
    { pause: () => Promise.resolve() },
  )
  assert.deepEqual(attempts, [1, 2])
  assert.deepEqual(await two.query('SELECT name FROM partner'), [['Bob!']])
})

test('a lock that stays taken ends in ConcurrencyError after all attempts', async () => {
  await two.query('BEGIN')
  await two.query('SELECT 1 FROM partner FOR UPDATE')
  const pauses: number[] = []
  const pause = async (attempt: number) => void pauses.push(attempt)
  await assert.rejects(
    withRetries(() => first.query('SELECT 1 FROM partner FOR UPDATE NOWAIT'), { attempts: 3, pause }),
    ConcurrencyError,
  )
  assert.deepEqual(pauses, [2, 3])
  await two.query('ROLLBACK')
})

test('what is wrong is not tried again', async () => {
  let calls = 0
  const run = () => {
    calls++
    return first.query('SELECT 1/0')
  }
  await assert.rejects(withRetries(run), (error) => !isRetryable(error))
  assert.equal(calls, 1)
})
