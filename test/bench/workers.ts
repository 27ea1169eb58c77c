// Reads by several processes that share a port, compared with one process on the same database.
import { serve } from '../support/serve.ts'
import { makeTemp } from '../support/temp.ts'
import { benchCases } from './cases.ts'
import { measure } from './measure.ts'

export interface WorkersOptions {
  /** Processes at most: 1, 2, 4 and so on are measured. */
  readonly most: number
  readonly seconds: number
  readonly rounds: number
}

interface Where {
  /** Address of the database. */
  readonly address: string
  readonly database: string
  readonly key: string
  readonly ids: readonly number[]
}

const CONNECTIONS = 64
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number

/**
 * Runs it; gives lines for people. The load generator wants a core of its own: what is left is what workers
 * can share.
 */
export async function workersBench(
  { address, key, ids, database }: Where,
  { most, seconds, rounds }: WorkersOptions,
): Promise<string[]> {
  const counts = [...new Set([1, 2, 4, 8, 16, 32].filter((count) => count < most).concat(most))]
  const url = address.slice(0, address.lastIndexOf('/'))
  const lines: string[] = []
  const ratesByCount = new Map<string, number[][]>()
  const servers = []
  const temps = []
  try {
    for (const count of counts) {
      const temp = makeTemp('bench-workers')
      temps.push(temp)
      servers.push(
        await serve(temp.path, [
          '--database-url',
          url,
          '--db-filter',
          `^${database}$`,
          '--workers',
          String(count),
        ]),
      )
    }
    const cases = benchCases.filter((bench) => !bench.writes && !bench.wire && !bench.as)
    for (const bench of cases) {
      const rates: number[][] = counts.map(() => [])
      for (let round = 0; round <= rounds; round++) {
        for (const [i, server] of servers.entries()) {
          const { rps } = await measure({ url: server.url, key, ids, connections: CONNECTIONS }, bench, {
            seconds,
          })
          // The first round warms up.
          if (round > 0) rates[i]?.push(rps)
        }
      }
      ratesByCount.set(bench.name, rates)
    }
  } finally {
    for (const server of servers) await server.stop()
    for (const temp of temps) temp.remove()
  }
  for (const [name, rates] of ratesByCount) {
    const [single = 1] = rates.map(median)
    const each = rates.map(
      (runs, i) => `${counts[i]}: ${median(runs).toFixed(0)}/s (${(median(runs) / single).toFixed(2)} times)`,
    )
    lines.push(`${name}, by workers: ${each.join(', ')}`)
  }
  return lines
}
