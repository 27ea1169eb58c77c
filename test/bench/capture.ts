// Records the statements that the engine sends for the bench's calls, values and all, so that the bare
// handler sends the very same.
import { join } from 'node:path'
import { Databases } from '../../src/databases/index.ts'
import { modules } from '../../src/main.ts'
import type { Query } from '../../src/postgres/index.ts'
import { call } from '../../src/services/call.ts'
import { recordStatements } from '../support/statements.ts'
import type { BenchCase } from './cases.ts'

/** The statements of one call, in order. */
export type Recorded = readonly Query[]

export interface CapturedCase {
  readonly name: string
  /** Path of the bare handler for this case. */
  readonly path: string
  /** One entry a call; the bare handler goes round them. */
  readonly calls: readonly Recorded[]
  /** Round trips to PostgreSQL of one call. */
  readonly trips: number
}

/**
 * Makes `count` calls of each case in this process, on a database that another process serves, and records
 * them.
 * Records that they made are removed again: later cases would have to step over them.
 */
export async function capture(
  where: { dataDir: string; database: string; keyOf: (bench: BenchCase) => string; ids: readonly number[] },
  cases: readonly BenchCase[],
  count: number,
): Promise<CapturedCase[]> {
  const databases = await Databases.open({ dataDir: where.dataDir, modules })
  const recorder = recordStatements()
  try {
    const captured: CapturedCase[] = []
    for (const [index, bench] of cases.entries()) {
      let trips = 0
      const [model, method] = bench.path.split('/').slice(-2) as [string, string]
      const recordCall = async (n: number): Promise<Recorded> => {
        recorder.forget()
        const { ids, context, ...named } = bench.body(n, where.ids) as Record<string, unknown>
        const credential = { kind: 'key', key: where.keyOf(bench) } as const
        const request = {
          database: where.database,
          credential,
          model,
          method,
          remote: '127.0.0.1',
          requestId: `bench-${n}`,
        }
        const { json } = await call(databases, { ...request, body: () => ({ ids, context, named }) })
        const statements = [...recorder.statements]
        trips = recorder.trips()
        if (method === 'create')
          await call(databases, { ...request, method: 'unlink', body: () => ({ ids: JSON.parse(json) }) })
        return statements
      }
      // The first calls read rights and prepare plans, which later calls find in memory.
      for (let n = 0; n < 3; n++) await recordCall(n)
      const calls: Recorded[] = []
      for (let n = 0; n < count; n++) calls.push(await recordCall(n))
      captured.push({ name: bench.name, path: join('/bare', String(index)), calls, trips })
    }
    return captured
  } finally {
    recorder.stop()
    await databases.close()
  }
}
