// Two deployments that the model is asked about, and what it says, as tables of docs/scale.md.
// `node test/machines/scale/deployments.ts` prints them for the figures in figures.json.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Cost, type Figures, type Limits, type Plan, plan, type Workload } from './model.ts'

/** An assumed day of business, which no measurement gives. Replace it by yours. */
export const shops: Workload = {
  databases: 10_000,
  daily: {
    'order of a till': 120,
    'sales order, confirmed': 10,
    'contact created': 15,
    'contact changed': 30,
    'record read': 600,
    'list of 80': 200,
    'till loads 1,000 goods': 2,
  },
  busiestHour: 0.12,
  burst: 2,
  inUse: 0.8,
}

export const chain: Workload = {
  databases: 1,
  daily: {
    'order of a till': 1000 * 400,
    'sales order, confirmed': 1000,
    'contact created': 2000,
    'contact changed': 5000,
    'record read': 1000 * 600,
    'list of 80': 1000 * 50,
    'till loads 1,000 goods': 1000 * 4,
  },
  busiestHour: 0.12,
  burst: 2,
  inUse: 1,
}

const MB = 1e6
export const limits: Limits = {
  postgresCores: 16,
  busy: 0.6,
  wal: 50 * MB,
  connections: 2000,
  connectionsEach: 1.5,
  openDatabases: 200,
  files: 5e6,
  machines: 2,
  lookEvery: 600,
}

/** Few databases with many calls each want all the connections of a process. */
export const ofOne: Limits = { ...limits, connectionsEach: 16 }

interface Kept extends Figures {
  readonly checked: readonly { readonly name: string; readonly said: Cost; readonly measured: Cost }[]
}

export const figures = JSON.parse(readFileSync(join(import.meta.dirname, 'figures.json'), 'utf8')) as Kept

const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
const table = (head: readonly string[], rows: readonly (readonly (string | number)[])[]) =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')

const fixed = (value: number, digits: number) => value.toFixed(digits)
const ms = (seconds: number) => fixed(seconds * 1000, seconds < 0.001 ? 2 : 1)
const kB = (bytes: number) => fixed(bytes / 1000, 1)
const apart = (measured: number, said: number) => {
  const percent = Math.round((measured / said - 1) * 100)
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent)} %`
}

/** The measured cost of each action. */
export const measured = (): string =>
  table(
    ['Deed', 'node, ms', 'PostgreSQL, ms', 'log, kB', 'wire, kB', 'disk, kB'],
    Object.entries(figures.deeds).map(([deed, { node, postgres, wal, wire, disk }]) => [
      deed,
      ms(node),
      ms(postgres),
      kB(wal),
      kB(wire),
      kB(disk),
    ]),
  )

/** The model's predictions for loads that were not measured before, and their measured costs. */
export const compared = (): string =>
  table(
    ['A deed of', '', 'node, ms', 'PostgreSQL, ms', 'log, kB', 'wire, kB'],
    figures.checked.flatMap(({ name, said, measured: measuredCost }) => [
      [name, 'said', ms(said.node), ms(said.postgres), kB(said.wal), kB(said.wire)],
      [
        '',
        'measured',
        ms(measuredCost.node),
        ms(measuredCost.postgres),
        kB(measuredCost.wal),
        kB(measuredCost.wire),
      ],
      [
        '',
        '',
        apart(measuredCost.node, said.node),
        apart(measuredCost.postgres, said.postgres),
        apart(measuredCost.wal, said.wal),
        apart(measuredCost.wire, said.wire),
      ],
    ]),
  )

const GB = 1e9
const gigabytes = (bytes: number) => `${fixed(bytes / GB, bytes < 10 * GB ? 1 : 0)} GB`
const facts: readonly (readonly [string, (said: Plan) => string])[] = [
  ['deeds a second, busiest minutes', ({ rate }) => fixed(rate, 0)],
  ['cores busy: nodes', ({ nodeCores }) => fixed(nodeCores, 1)],
  ['cores busy: PostgreSQL', ({ postgresCores }) => fixed(postgresCores, 1)],
  ['processes of nodes', ({ processes }) => String(processes)],
  ['PostgreSQL servers of 16 cores', ({ servers }) => String(servers)],
  ['connections, all servers', ({ connections }) => fixed(connections, 0)],
  ['memory of all processes', ({ nodeMemory }) => gigabytes(nodeMemory)],
  ['memory of all connections', ({ connectionMemory }) => gigabytes(connectionMemory)],
  ['log, busiest minutes', ({ wal }) => `${fixed(wal / MB, 1)} MB/s`],
  ['log a day', ({ walDaily }) => gigabytes(walDaily)],
  ['wire, busiest minutes', ({ wire }) => `${fixed(wire / MB, 1)} MB/s`],
  ['disk at first', ({ disk }) => gigabytes(disk)],
  ['disk a year more', ({ diskYearly }) => gigabytes(diskYearly)],
]

export const planned = (): string => {
  const [many, single] = [plan(figures, shops, limits), plan(figures, chain, ofOne)]
  return table(
    ['', '10,000 shops', '1,000 tills of one chain'],
    facts.map(([name, of]) => [name, of(many), of(single)]),
  )
}

/** The use of each resource at the breaking point, as a share of its capacity. */
export const breaking = (): string => {
  const [many, single] = [plan(figures, shops, limits).breaks, plan(figures, chain, ofOne).breaks]
  const shareIn = (all: Plan['breaks'], what: string) =>
    fixed(all.find((each) => each.what === what)?.share ?? 0, 2)
  return table(
    ['One of each, asked for this many times what it can', '10,000 shops', '1,000 tills of one chain'],
    many.map(({ what, share }) => [what, fixed(share, 2), shareIn(single, what)]),
  )
}

if (import.meta.main) for (const part of [measured, compared, planned, breaking]) console.log(`${part()}\n`)
