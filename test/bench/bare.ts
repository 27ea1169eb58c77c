// The bare handler: Fastify and pg send the engine's own SQL in one flush, without the engine. The
// difference to it is the cost of rights, models and checks.
// run.ts starts it as a separate process. BENCH_DATABASE is the database's address, BENCH_STATEMENTS a
// file with the statements that `capture` recorded.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { deserialize } from 'node:v8'
import Fastify from 'fastify'
import pg from 'pg'
import { encode } from '../../src/postgres/values.ts'
import type { CapturedCase } from './capture.ts'

const MAX = 16
const free: pg.Client[] = []
const waiting: ((client: pg.Client) => void)[] = []
/** Passes the JSON of PostgreSQL through unparsed. */
const types = { getTypeParser: () => (text: unknown) => text }

/** A connection as the engine has them: pipelined, with the same session settings. */
async function connect(): Promise<pg.Client> {
  const options =
    '-c TimeZone=UTC -c DateStyle=ISO,YMD -c IntervalStyle=postgres -c bytea_output=hex -c jit=off'
  const config = {
    connectionString: process.env.BENCH_DATABASE,
    pipeline: true,
    options,
    types: types as unknown as pg.CustomTypesConfig,
  }
  const client = new pg.Client(config)
  client.on('error', (error) => console.error(error.message))
  await client.connect()
  return client
}

function acquire(): Promise<pg.Client> {
  const client = free.pop()
  return client ? Promise.resolve(client) : new Promise((done) => waiting.push(done))
}

function release(client: pg.Client): void {
  const next = waiting.shift()
  if (next) next(client)
  else free.push(client)
}

interface Prepared {
  readonly name: string
  readonly text: string
  readonly values: unknown[]
  readonly rowMode: 'array'
}

const names = new Map<string, string>()
const nameOf = (text: string): string => {
  const name = names.get(text) ?? `s${names.size}`
  names.set(text, name)
  return name
}

/**
 * Sends all statements of a call as one packet; gives the first value of the last answer. A serialization
 * failure is tried again, as the engine does.
 */
async function send(statements: readonly Prepared[], attempt = 1): Promise<unknown> {
  const client = await acquire()
  try {
    const socket = client.connection.stream
    socket.cork()
    const answers = statements.map((statement) => client.query(statement))
    process.nextTick(() => socket.uncork())
    const settled = await Promise.allSettled(answers)
    const failure = settled.find((answer) => answer.status === 'rejected')
    // Statements after a failed one fail too, and COMMIT then rolls back.
    if (failure && attempt < 5 && failure.reason.code === '40001') return send(statements, attempt + 1)
    if (failure) throw failure.reason
    const results = settled.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
    const last = results.findLast((result) => result.command === 'SELECT' || result.command === 'INSERT')
    return (last?.rows as unknown as unknown[][] | undefined)?.[0]?.[0]
  } finally {
    release(client)
  }
}

/** Ids that a recorded call reserved for the records it made: no second run may take the same. */
function madeIds(statements: readonly Prepared[]): ReadonlySet<number> {
  const ids = statements.flatMap(({ text, values }) => {
    const place = /^INSERT INTO .* FROM unnest\(\$(\d+)::int\[\].*\bAS x\(id\b/s.exec(text)?.[1]
    const list = place && values[Number(place) - 1]
    return typeof list === 'string' ? list.slice(1, -1).split(',').map(Number) : []
  })
  return new Set(ids)
}

let shift = 0

/**
 * The statements with other ids in the place of those made, far above the ones that the engine's own sequence
 * gives.
 */
function renewed(statements: readonly Prepared[], sequences: ReadonlySet<number>): readonly Prepared[] {
  if (sequences.size === 0) return statements
  shift += 1000
  const moved = (id: number) => (sequences.has(id) ? id + 100_000_000 + shift : id)
  const inText = (text: string) => text.replaceAll(/\b\d{3,9}\b/g, (digits) => String(moved(Number(digits))))
  const fresh = (value: unknown): unknown => {
    if (typeof value === 'number') return moved(value)
    if (typeof value === 'string') return inText(value)
    return Array.isArray(value) ? value.map(fresh) : value
  }
  return statements.map((statement) => ({ ...statement, values: statement.values.map(fresh) }))
}

const app = Fastify()
const captured = deserialize(readFileSync(process.env.BENCH_STATEMENTS ?? '')) as CapturedCase[]
for (const { path, calls } of captured) {
  const prepared = calls.map((statements) =>
    statements.map(
      ({ text, values }): Prepared => ({
        name: nameOf(text),
        text,
        values: values.map(encode),
        rowMode: 'array',
      }),
    ),
  )
  const sequencesOfStatements = prepared.map(madeIds)
  let turn = 0
  app.post(path, async (request, reply) => {
    // The key is hashed as everybody must; the recorded credential check carries the same hash.
    createHash('sha256')
      .update(request.headers.authorization ?? '')
      .digest()
    const call = turn++ % prepared.length
    const answer = await send(
      renewed(prepared[call] as Prepared[], sequencesOfStatements[call] as ReadonlySet<number>),
    )
    return reply.type('application/json; charset=utf-8').send(typeof answer === 'string' ? answer : 'true')
  })
}
for (let i = 0; i < MAX; i++) release(await connect())
console.log(`listening on ${await app.listen({ host: '127.0.0.1', port: 0 })}`)
process.on('SIGTERM', () => process.exit(0))
