// npm run bench: requests per second and latencies of the server, each beside a bare handler that sends the same SQL, in one run.
// By hand and not in the tests: what it prints depends on the machine.
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { serialize } from 'node:v8'
import { attachEmbedded } from '../../src/postgres/embedded/index.ts'
import { residentBytes } from '../durability/processes.ts'
import { serve } from '../support/serve.ts'
import { makeTemp } from '../support/temp.ts'
import { bulk } from './bulk.ts'
import { type CapturedCase, capture } from './capture.ts'
import { benchCases } from './cases.ts'
import { callerOf, fill } from './data.ts'
import { type Load, measure, middle } from './measure.ts'
import { type Line, table } from './table.ts'

const help = `npm run bench -- [--seconds 3] [--rounds 3] [--warm-up 5] [--connections 16] [--partners 10000] [--only PATTERN] [--json FILE] [--memory] [--bulk [--rows 1000000]]
  --seconds      length of one measurement; each case has one per round for either side
  --warm-up      seconds before the first measurement of a case, on either side
  --only         cases by name, such as read
  --memory       only the memory of an idle server
  --bulk         single large calls instead: create of 1,000, load of 10,000, formatted_read_group over many rows beside its bare SQL
  --rows         how many rows the groups of --bulk are made of
  --json         writes the numbers to a file too`

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    'warm-up': { type: 'string', default: '5' },
    connections: { type: 'string', default: '16' },
    partners: { type: 'string', default: '10000' },
    only: { type: 'string', default: '.' },
    json: { type: 'string' },
    memory: { type: 'boolean', default: false },
    bulk: { type: 'boolean', default: false },
    rows: { type: 'string', default: '1000000' },
    help: { type: 'boolean', default: false },
  },
})

/** The bare handler in a process of its own. */
async function startBare(database: string, statements: string): Promise<{ url: string; stop(): void }> {
  const env = { ...process.env, BENCH_DATABASE: database, BENCH_STATEMENTS: statements }
  const bare = spawn(process.execPath, [join(import.meta.dirname, 'bare.ts')], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await new Promise<string>((done, fail) => {
    bare.stdout.on('data', (chunk: Buffer) => {
      const found = /listening on (\S+)/.exec(chunk.toString())?.[1]
      if (found) done(found)
    })
    bare.on('exit', (code) => fail(new Error(`the bare handler ended with ${code}`)))
  })
  return { url, stop: () => bare.kill() }
}

/** Both sides of each case in turns, so that whatever the machine does meanwhile does it to both. */
async function compare(
  engine: Load,
  bare: Load,
  captured: readonly CapturedCase[],
  length: { seconds: number },
  rounds: number,
): Promise<Line[]> {
  const lines: Line[] = []
  for (const bench of benchCases) {
    const path = captured.find((one) => one.name === bench.name)?.path
    if (!path) continue
    const sides = [
      { load: engine, bench, runs: [] as Awaited<ReturnType<typeof measure>>[] },
      { load: bare, bench: { ...bench, path }, runs: [] as Awaited<ReturnType<typeof measure>>[] },
    ] as const
    // Long enough for the compiler to have seen the path; both sides get the same.
    for (const side of sides) await measure(side.load, side.bench, { seconds: Number(values['warm-up']) })
    for (let round = 0; round < rounds; round++) {
      for (const side of sides) side.runs.push(await measure(side.load, side.bench, length))
    }
    lines.push({ name: bench.name, engine: middle(sides[0].runs), bare: middle(sides[1].runs) })
    console.error(`${bench.name}: ${lines.at(-1)?.engine.rps.toFixed(0)} against ${lines.at(-1)?.bare.rps.toFixed(0)}`)
  }
  return lines
}

const megabytes = (bytes: number) => Number((bytes / 1024 ** 2).toFixed(1))

async function main(): Promise<void> {
  const temp = makeTemp('bench')
  const server = await serve(temp.path)
  const stops: (() => unknown)[] = [() => temp.remove(), () => server.stop()]
  try {
    const key = server.said('API key')
    const database = server.said('database')
    const call = callerOf(server.url, key)
    await call('res.users', 'context_get', {})
    const idle = megabytes(residentBytes(server.pid))
    if (values.memory) {
      console.log(`an idle server: ${idle} MB resident`)
      return
    }
    const ids = await fill(call, Number(values.partners), (done) => console.error(`${done} partners`))
    const at = await attachEmbedded(temp.path)
    if (!at) throw new Error('the embedded server does not run')
    const address = `postgres://${at.user}:${encodeURIComponent(at.password)}@${at.host}:${at.port}/${database}`
    if (values.bulk) {
      const rows = Number(values.rows)
      for (const line of await bulk({ call, pid: server.pid, rows, dataDir: temp.path, database, address, key, ids })) console.log(line)
      return
    }
    const only = new RegExp(values.only)
    const captured = await capture(
      { dataDir: temp.path, database, key, ids },
      benchCases.filter((bench) => only.test(bench.name)),
      200,
    )
    const statements = join(temp.path, 'statements')
    writeFileSync(statements, serialize(captured))
    const bare = await startBare(address, statements)
    stops.push(bare.stop)
    const connections = Number(values.connections)
    const lines = await compare(
      { url: server.url, key, ids, connections },
      { url: bare.url, key, ids, connections },
      captured,
      { seconds: Number(values.seconds) },
      Number(values.rounds),
    )
    console.log(table(lines))
    for (const { name, calls } of captured) console.log(`statements of ${name}: ${calls[0]?.length}`)
    const busy = megabytes(residentBytes(server.pid))
    console.log(`memory: ${idle} MB idle, ${busy} MB after the bench`)
    if (values.json) writeFileSync(values.json, `${JSON.stringify({ idle, busy, lines }, undefined, 2)}\n`)
  } finally {
    for (const stop of stops.reverse()) await stop()
  }
}

if (values.help) console.log(help)
else await main()
