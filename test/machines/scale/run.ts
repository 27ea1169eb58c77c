// Measures the cost of each action, and compares the model's prediction for two other loads with their
// real costs. Writes figures.json, from which docs/scale.md is generated. Linux only: it reads /proc.
// `node test/machines/scale/run.ts`
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Databases } from '../../../src/databases/index.ts'
import { modules } from '../../../src/main.ts'
import { hasOpen } from '../../../src/services/jobs/store.ts'
import { residentBytes, withDescendants } from '../../durability/processes.ts'
import { makeTemp } from '../../support/temp.ts'
import { type Deed, deedNames } from './deeds.ts'
import { DATABASE, Ground, type Run } from './ground.ts'
import { type Cost, expected, type Figures } from './model.ts'

/** Databases of which the cost of one is taken. */
const COPIES = 40
const LANES = 8
/** Of one kind in a measurement, and before it. */
const counts: Readonly<Record<Deed, number>> = {
  'order of a till': 400,
  'sales order, confirmed': 200,
  'contact created': 1500,
  'contact changed': 1500,
  'record read': 4000,
  'list of 80': 1500,
  'till loads 1,000 goods': 60,
}
const ROUNDS = 3

/** Loads that nothing was measured of before: other mixes, nodes, lanes and databases. */
export const checks: readonly (Run & { readonly name: string; readonly nodes: number })[] = [
  {
    name: 'a chain: two nodes, 24 lanes, one database',
    nodes: 2,
    lanes: 24,
    deeds: { 'order of a till': 600, 'till loads 1,000 goods': 10, 'record read': 1200, 'list of 80': 200 },
  },
  {
    name: 'shops: two nodes, 16 lanes, 16 databases',
    nodes: 2,
    lanes: 16,
    databases: 16,
    deeds: {
      'order of a till': 200,
      'sales order, confirmed': 100,
      'contact created': 150,
      'contact changed': 400,
      'record read': 2500,
      'list of 80': 800,
    },
  },
]

const say = (what: string, facts: object) => console.log(what, JSON.stringify(facts))

/** The middle of each part of some measurements. */
function middle(costs: readonly Cost[]): Cost {
  const of = (part: keyof Cost) =>
    costs.map((cost) => cost[part]).sort((a, b) => a - b)[Math.floor(costs.length / 2)] as number
  return { node: of('node'), postgres: of('postgres'), wal: of('wal'), wire: of('wire'), disk: of('disk') }
}

async function deedsOf(ground: Ground): Promise<Figures['deeds']> {
  const costByDeed: Record<string, Cost> = {}
  // Warms up plans, compiled code and pages of the log after a checkpoint, as in a running server.
  await ground.run({ deeds: counts, lanes: LANES })
  for (const deed of deedNames) {
    const costs: Cost[] = []
    for (let round = 0; round < ROUNDS; round++)
      costs.push(await ground.run({ deeds: { [deed]: counts[deed] }, lanes: LANES }))
    costByDeed[deed] = middle(costs)
    say(deed, costByDeed[deed])
  }
  return costByDeed
}

async function databaseOf(ground: Ground): Promise<Figures['database']> {
  const quiet = async () => {
    const before = ground.cpu.postgres
    // Longer than autovacuum takes to come by everywhere.
    await sleep(90_000)
    return (ground.cpu.postgres - before) / 90
  }
  const alone = await quiet()
  await ground.copies(COPIES)
  await sleep(5000)
  const idle = Math.max(0, (await quiet()) - alone) / COPIES
  const node = await ground.serve()
  const names = Array.from({ length: COPIES }, (_, n) => `shop-${n}`)
  const [cpu, memory] = [ground.cpu, residentBytes(node.pid)]
  await ground.touch(names, node)
  const after = ground.cpu
  const opened = {
    node: (after.node - cpu.node) / COPIES,
    postgres: (after.postgres - cpu.postgres) / COPIES,
    memory: (residentBytes(node.pid) - memory) / COPIES,
  }
  return {
    ...(await ground.empty()),
    opened,
    look: await look(ground, names),
    idle,
  }
}

/** One look into a database for jobs that somebody left, in this process. */
async function look(ground: Ground, names: readonly string[]) {
  const temp = makeTemp('scale-look')
  const databases = await Databases.open({ dataDir: temp.path, databaseUrl: ground.url, modules })
  try {
    const all = async () => {
      for (const name of names) await databases.visit(name, hasOpen)
    }
    await all()
    const [ownTime, postgres] = [process.cpuUsage(), ground.cpu.postgres]
    for (let round = 0; round < ROUNDS; round++) await all()
    const { user, system } = process.cpuUsage(ownTime)
    const count = names.length * ROUNDS
    return { node: (user + system) / 1e6 / count, postgres: (ground.cpu.postgres - postgres) / count }
  } finally {
    await databases.close()
    temp.remove()
  }
}

function memoryOf(ground: Ground): Figures['memory'] {
  const sizes = withDescendants(ground.postgres).flatMap((pid) => privateBytes(pid, ` ${DATABASE} `) ?? [])
  return {
    process: residentBytes(ground.nodes[0]?.pid as number),
    connection: sizes.reduce((sum, size) => sum + size, 0) / sizes.length,
  }
}

/** Private memory of a process whose command contains `word`; null if it has just ended. */
function privateBytes(pid: number, word: string): number | null {
  try {
    if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word)) return null
    const said = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
    const parts = [...said.matchAll(/^Private_\w+:\s+(\d+) kB/gm)].map(([, kilobytes]) => Number(kilobytes))
    return parts.reduce((sum, part) => sum + part, 0) * 1024
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(String((error as NodeJS.ErrnoException).code))) return null
    throw error
  }
}

const off = (measured: number, said: number) => `${((measured / said - 1) * 100).toFixed(0)} %`

const file = join(import.meta.dirname, 'figures.json')

/** The measured cost of a load for which the model gave a prediction. */
async function checked(
  ground: Ground,
  { name, nodes, ...run }: (typeof checks)[number],
  deeds: Figures['deeds'],
) {
  await ground.copies(run.databases ?? 1)
  while (ground.nodes.length < nodes) await ground.serve()
  for (let round = 0; round < ROUNDS; round++) await ground.run(run)
  const costs: Cost[] = []
  for (let round = 0; round < ROUNDS; round++) costs.push(await ground.run(run))
  const [said, measured] = [expected(deeds, run.deeds), middle(costs)]
  say(name, {
    said,
    measured,
    node: off(measured.node, said.node),
    postgres: off(measured.postgres, said.postgres),
    wal: off(measured.wal, said.wal),
    wire: off(measured.wire, said.wire),
  })
  return { name, said, measured }
}

async function main(): Promise<void> {
  const ground = await Ground.open()
  try {
    const deeds = await deedsOf(ground)
    const memory = memoryOf(ground)
    say('memory', memory)
    const comparisons = []
    for (const check of checks) comparisons.push(await checked(ground, check, deeds))
    const database = await databaseOf(ground)
    say('database', database)
    const figures: Figures = { deeds, database, memory }
    writeFileSync(file, `${JSON.stringify({ ...figures, checked: comparisons }, undefined, 2)}\n`)
  } finally {
    await ground.close()
  }
}

await main()
