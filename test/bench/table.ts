// The benchmark's result for people: a table of this run, and a comparison with an earlier run.
import type { Measured } from './measure.ts'

export interface Line {
  readonly name: string
  /** The baseline: the bare handler, or another case. */
  readonly beside: string
  readonly engine: Measured
  readonly bare: Measured
  /** The engine at 64 connections. */
  readonly crowd: Measured
  readonly ratio: number
  /** The ratio that it shall have at least. */
  readonly least: number
  /** Sent to PostgreSQL for one call, and how often the call waits for it. */
  readonly statements: number
  readonly trips: number
}

/** The content of a result file, with which a later run is compared. */
export interface Report {
  readonly node: string
  readonly cores: number
  readonly partners: number
  readonly products: number
  /** Megabytes of an idle server and of one that did all this. */
  readonly idle: number
  readonly busy: number
  readonly lines: readonly Line[]
}

/** 99 of 100 calls at 64 connections take at most so many times what the middle one takes. */
const SPREAD = 10

const round = (value: number) => (value >= 100 ? value.toFixed(0) : value.toFixed(1))
const judged = (holds: boolean) => (holds ? 'yes' : 'NO')

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|---|${'--:|'.repeat(head.length - 1)}`, ...rows.map(line)].join('\n')
}

/**
 * The ratio is that of requests per second: 1 would be an engine that costs nothing. Processor times in
 * microseconds a request.
 */
export function table(lines: readonly Line[]): string {
  const head = [
    'call',
    'rps',
    'p50 ms',
    'p99 ms',
    'CPU µs',
    'SQL CPU µs',
    'bare rps',
    'p50',
    'p99',
    'CPU',
    'SQL CPU',
  ]
  const numbers = ({ rps, p50, p99, cpu, postgresCpu }: Measured) => [
    round(rps),
    `${p50}`,
    `${p99}`,
    round(cpu),
    round(postgresCpu),
  ]
  const rows = lines.map((line) => [
    line.beside === 'bare' ? line.name : `${line.name} (beside ${line.beside})`,
    ...numbers(line.engine),
    ...numbers(line.bare),
    line.ratio.toFixed(2),
    `${line.least}: ${judged(line.ratio >= line.least)}`,
    `${line.statements}`,
    `${line.trips}`,
    `${line.crowd.p50}`,
    `${line.crowd.p99}: ${judged(line.crowd.p99 < SPREAD * Math.max(line.crowd.p50, 1))}`,
  ])
  return markdown([...head, 'ratio', 'at least', 'statements', 'round trips', 'p50 of 64', 'p99 of 64'], rows)
}

/**
 * This run compared with an earlier one, for cases that both have. Ratios can be compared between
 * machines, other figures only on the same machine.
 */
export function comparison(now: Report, then: Report): string {
  const rows = now.lines.flatMap((line) => {
    const old = then.lines.find(({ name }) => name === line.name)
    if (!old) return []
    const change = `${((line.ratio / old.ratio - 1) * 100).toFixed(0)} %`
    const cpu = [old.engine.cpu, line.engine.cpu].map(round)
    return [
      [
        line.name,
        old.ratio.toFixed(2),
        line.ratio.toFixed(2),
        change,
        ...cpu,
        `${old.statements}`,
        `${line.statements}`,
      ],
    ]
  })
  const memory = `memory then ${then.idle} MB idle, ${then.busy} MB after the bench; now ${now.idle} and ${now.busy}`
  return `${markdown(['call', 'ratio then', 'now', 'change', 'CPU µs then', 'now', 'statements then', 'now'], rows)}\n${memory}`
}
