// One measurement: a stream of requests against one server for a bounded time, by autocannon.
import autocannon from 'autocannon'
import type { BenchCase } from './cases.ts'

export interface Measured {
  readonly rps: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

export interface Load {
  readonly url: string
  readonly key: string
  readonly ids: readonly number[]
  readonly connections: number
}

/** Numbers requests through all measurements, so that bodies do not repeat. */
let sent = 0

/** Runs a case for some seconds, or for `amount` requests. Throws when any answer is not 200. */
export async function measure(load: Load, bench: BenchCase, length: { seconds: number } | { amount: number }): Promise<Measured> {
  const result = await autocannon({
    url: load.url,
    connections: load.connections,
    ...('amount' in length ? { amount: length.amount } : { duration: length.seconds }),
    timeout: 60,
    requests: [
      {
        method: 'POST',
        path: bench.path,
        headers: { authorization: `bearer ${load.key}`, 'content-type': 'application/json' },
        setupRequest: (request) => ({ ...request, body: JSON.stringify(bench.body(sent++, load.ids)) }),
      },
    ],
  })
  if (result.non2xx || result.errors)
    throw new Error(`${bench.name} at ${load.url}: ${result.non2xx} answers were not 200, ${result.errors} failed`)
  return { rps: result['2xx'] / result.duration, p50: result.latency.p50, p99: result.latency.p99 }
}

/** The middle one by requests per second, with the latencies of all. */
export function middle(runs: readonly Measured[]): Measured {
  const of = (key: keyof Measured) => runs.map((run) => run[key]).sort((a, b) => a - b)[Math.floor(runs.length / 2)] as number
  return { rps: of('rps'), p50: of('p50'), p99: of('p99') }
}
