// npm run bench: requests per second and latencies of the server, each compared with a bare handler
// that sends the same SQL, in one run.
// Run by hand, not by the tests: the figures depend on the machine.
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { serialize } from 'node:v8'
import pg from 'pg'
import { attachEmbedded } from '../../src/postgres/embedded/index.ts'
import { postmasterOf, residentBytes } from '../durability/processes.ts'
import { comptoir, type Served, serve } from '../support/serve.ts'
import { makeTemp } from '../support/temp.ts'
import { books } from './books.ts'
import { bulk } from './bulk.ts'
import { capture } from './capture.ts'
import { type BenchCase, benchCases } from './cases.ts'
import { type Call, callerOf, fill, fillProducts } from './data.ts'
import { goods } from './goods.ts'
import { leanest } from './leanest/index.ts'
import type { Load } from './measure.ts'
import { orders } from './orders.ts'
import { INSPECT, inspectorOf, Profiler } from './profile.ts'
import { makeRuled } from './ruled.ts'
import { rulesBench } from './rules.ts'
import { scale } from './scale/index.ts'
import { compare, startBare } from './sides.ts'
import { comparison, type Report, table } from './table.ts'
import { tills } from './tills.ts'
import { workersBench } from './workers.ts'

const help = `npm run bench -- [options]
  --seconds      length of one measurement, 3; each case has one per round for either side
  --rounds       rounds of each case, 3; of each number the middle one counts
  --warm-up      seconds before the first measurement of a case, on either side, 5
  --connections  kept open by the load generator, 16
  --partners     rows of the table that is read and written, 100000
  --products     beside them, where their module is installed, 10000
  --modules      modules to install besides base
  --only         cases by name, such as read
  --json FILE    writes the numbers to a file too
  --compare FILE shows them beside those of an earlier run
  --profile DIR  writes .cpuprofile files of the server and of the bare handler for every case (at 64 connections)
Instead of the suite:
  --memory       only the memory of an idle server
  --workers N    reads by one process, and by 2 to N that share the port
  --bulk         single large calls: create of 1,000, load of 10,000, formatted_read_group over many rows beside its bare SQL
  --rows         how many rows the groups of --bulk are made of, 1000000
  --rules        what three record rules cost beyond what PostgreSQL itself needs
  --orders       creation of sales orders beside the bare inserts of their rows
  --leanest      lists, contacts, orders (--only) beside the leanest handlers by hand, by processor time
  --books        posting and paying an invoice, and what customers owe by age, beside bare SQL
  --goods        confirming an order of three lines with its delivery, and validating that, beside bare SQL
  --scale        lists, searches, counts and groups over --rows contacts and lines of orders, and over a hundredth;
                 pages that PostgreSQL touches, and plans of what grows without a reason (--only)
  --keep DIR     a folder in which the databases of --scale stay, and are found again
  --tills        orders of tills, what a till loads, and the closing of a session, beside bare SQL`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    'warm-up': { type: 'string', default: '5' },
    connections: { type: 'string', default: '16' },
    partners: { type: 'string', default: '100000' },
    products: { type: 'string', default: '10000' },
    modules: { type: 'string' },
    only: { type: 'string', default: '.' },
    json: { type: 'string' },
    compare: { type: 'string' },
    profile: { type: 'string' },
    memory: { type: 'boolean', default: false },
    workers: { type: 'string' },
    bulk: { type: 'boolean', default: false },
    rows: { type: 'string', default: '1000000' },
    rules: { type: 'boolean', default: false },
    orders: { type: 'boolean', default: false },
    leanest: { type: 'boolean', default: false },
    scale: { type: 'boolean', default: false },
    keep: { type: 'string' },
    tills: { type: 'boolean', default: false },
    books: { type: 'boolean', default: false },
    goods: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const megabytes = (bytes: number) => Number((bytes / 1024 ** 2).toFixed(1))

/** A server with its data, ready to be measured. */
interface Ready {
  readonly server: Served
  readonly dataDir: string
  readonly database: string
  /** Address of the database for the bare SQL. */
  readonly address: string
  readonly key: string
  readonly call: Call
  readonly idle: number
  readonly ids: readonly number[]
}

async function suite(ready: Ready, stops: (() => unknown)[]): Promise<void> {
  const { server, dataDir, database, address, key, call, idle, ids } = ready
  const products = await fillProducts(call, Number(values.products))
  const ruled = await makeRuled(call, address)
  const { uid } = (await call('res.users', 'context_get', {})) as { uid: number }
  const only = new RegExp(values.only)
  const chosen = benchCases.filter((bench) => only.test(bench.name))
  const keyOf = (bench: BenchCase) => (bench.as === 'ruled' ? ruled : key)
  const captured = await capture({ dataDir, database, keyOf, ids }, chosen, 200)
  await settle(address)
  const statements = join(dataDir, 'statements')
  writeFileSync(statements, serialize(captured))
  const bare = await startBare(address, statements, values.profile ? [INSPECT] : [])
  stops.push(bare.stop)
  const profilerOf = (folder: string, { output }: { output(): string }) =>
    Profiler.open(inspectorOf(output()), folder)
  const profilers = values.profile
    ? ([await profilerOf(values.profile, server), await profilerOf(values.profile, bare)] as const)
    : undefined
  const common = { ids, connections: Number(values.connections), postgres: postmasterOf(dataDir) }
  const lines = await compare({
    engine: (bench): Load => ({
      ...common,
      url: server.url,
      pid: server.pid,
      key: keyOf(bench),
      database,
      uid,
    }),
    bare: { ...common, url: bare.url, pid: bare.pid, key },
    captured,
    seconds: Number(values.seconds),
    warmUp: Number(values['warm-up']),
    rounds: Number(values.rounds),
    profilers,
  })
  for (const profiler of profilers ?? []) profiler.close()
  const busy = megabytes(residentBytes(server.pid))
  const machine = { node: process.version, cores: availableParallelism() }
  const report: Report = { ...machine, partners: ids.length, products, idle, busy, lines }
  console.log(table(lines))
  console.log(
    `memory: ${idle} MB idle, ${busy} MB after the bench; ${ids.length} partners, ${products} products`,
  )
  if (values.compare)
    console.log(`\n${comparison(report, JSON.parse(readFileSync(values.compare, 'utf8')) as Report)}`)
  if (values.json) writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`)
}

/**
 * PostgreSQL knows its tables as it would a minute later by itself, and does not begin to look while others
 * measure.
 */
async function settle(address: string): Promise<void> {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  await client.query('VACUUM ANALYZE')
  await client.end()
}

/** A server of this checkout on a fresh directory; with an inspector where profiles are wanted. */
async function start(dataDir: string): Promise<Served> {
  const before = process.env.NODE_OPTIONS
  if (values.profile) process.env.NODE_OPTIONS = `${before ?? ''} ${INSPECT}`
  try {
    return await serve(dataDir)
  } finally {
    if (before === undefined) delete process.env.NODE_OPTIONS
    else process.env.NODE_OPTIONS = before
  }
}

async function main(): Promise<void> {
  const temp = makeTemp('bench')
  const server = await start(temp.path)
  const stops: (() => unknown)[] = [() => temp.remove(), () => server.stop()]
  try {
    const key = server.said('API key')
    const database = server.said('database')
    const call = callerOf(server.url, key)
    await call('res.users', 'context_get', {})
    const idle = megabytes(residentBytes(server.pid))
    if (values.memory) return console.log(`an idle server: ${idle} MB resident`)
    if (values.modules) {
      const { code, output } = await comptoir(
        'module',
        'install',
        '--data-dir',
        temp.path,
        '--database',
        database,
        ...values.modules.split(','),
      )
      if (code !== 0) throw new Error(output)
    }
    const ids = await fill(call, Number(values.partners), (done) => console.error(`${done} partners`))
    const at = await attachEmbedded(temp.path)
    if (!at) throw new Error('the embedded server does not run')
    const address = `postgres://${at.user}:${encodeURIComponent(at.password)}@${at.host}:${at.port}/${database}`
    await settle(address)
    const ready: Ready = { server, dataDir: temp.path, database, address, key, call, idle, ids }
    const lines = await instead(ready)
    if (lines) for (const line of lines) console.log(line)
    else await suite(ready, stops)
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

/**
 * Runs the benchmark that replaces the suite, if the command line names one; returns printable lines.
 */
async function instead(ready: Ready): Promise<string[] | null> {
  if (values.bulk) return bulk({ ...ready, pid: ready.server.pid, rows: Number(values.rows) })
  if (values.rules) return rulesBench({ ...ready, url: ready.server.url })
  if (values.workers)
    return workersBench(ready, {
      most: Number(values.workers),
      seconds: Number(values.seconds),
      rounds: Number(values.rounds),
    })
  return null
}

if (values.help) console.log(help)
else if (values.orders) for (const line of await orders()) console.log(line)
else if (values.leanest) for (const line of await leanest(new RegExp(values.only))) console.log(line)
else if (values.scale) {
  const [only, keep] = [new RegExp(values.only), values.keep ?? null]
  for (const line of await scale(Number(values.rows), only, keep)) console.log(line)
} else if (values.tills) for (const line of await tills()) console.log(line)
else if (values.books) for (const line of await books()) console.log(line)
else if (values.goods) for (const line of await goods()) console.log(line)
else await main()
