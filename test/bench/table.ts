// The bench's result as people read it.
import type { Measured } from './measure.ts'

export interface Line {
  readonly name: string
  readonly engine: Measured
  readonly bare: Measured
}

const round = (value: number) => (value >= 100 ? value.toFixed(0) : value.toFixed(1))

/** A Markdown table. The ratio is that of requests per second: 1 would be an engine that costs nothing. */
export function table(lines: readonly Line[]): string {
  const rows = lines.map(({ name, engine, bare }) =>
    [name, ...[engine, bare].flatMap(({ rps, p50, p99 }) => [round(rps), `${p50}`, `${p99}`]), (engine.rps / bare.rps).toFixed(2)].join(
      ' | ',
    ),
  )
  const head = '| call | rps | p50 ms | p99 ms | bare rps | bare p50 | bare p99 | ratio |'
  return [head, '|---|--:|--:|--:|--:|--:|--:|--:|', ...rows.map((row) => `| ${row} |`)].join('\n')
}
