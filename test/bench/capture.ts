// Records the statements that the engine sends for the bench's calls, values and all, so that the bare handler sends the very same.
import { join } from 'node:path'
import { Databases } from '../../src/databases/index.ts'
import { modules } from '../../src/main.ts'
import { Connection, type Query } from '../../src/postgres/index.ts'
import { call } from '../../src/services/call.ts'
import type { BenchCase } from './cases.ts'

/** What one call sent, in order. */
export type Recorded = readonly Query[]

export interface CapturedCase {
  readonly name: string
  /** Path of the bare handler for this case. */
  readonly path: string
  /** One entry a call; the bare handler goes round them. */
  readonly calls: readonly Recorded[]
}

/** Makes `count` calls of each case in this process, on a database that another process serves, and records them. */
export async function capture(
  where: { dataDir: string; database: string; key: string; ids: readonly number[] },
  cases: readonly BenchCase[],
  count: number,
): Promise<CapturedCase[]> {
  const databases = await Databases.open({ dataDir: where.dataDir, modules })
  const recorder = recordStatements()
  try {
    const captured: CapturedCase[] = []
    for (const [index, bench] of cases.entries()) {
      const [model, method] = bench.path.split('/').slice(-2) as [string, string]
      const one = async (n: number): Promise<Recorded> => {
        recorder.statements.length = 0
        const { ids, context, ...named } = bench.body(n, where.ids) as Record<string, unknown>
        const credential = { kind: 'key', key: where.key } as const
        const request = { database: where.database, credential, model, method, remote: '127.0.0.1', requestId: `bench-${n}` }
        await call(databases, { ...request, body: () => ({ ids, context, named }) })
        return [...recorder.statements]
      }
      // The first calls read rights and prepare plans, which later calls find in memory.
      for (let n = 0; n < 3; n++) await one(n)
      const calls: Recorded[] = []
      for (let n = 0; n < count; n++) calls.push(await one(n))
      captured.push({ name: bench.name, path: join('/bare', String(index)), calls })
    }
    return captured
  } finally {
    recorder.stop()
    await databases.close()
  }
}

/** Looks over the shoulder of every connection of this process. */
function recordStatements(): { statements: Query[]; stop(): void } {
  const statements: Query[] = []
  const { query, flush } = Connection.prototype
  Connection.prototype.query = function (text, values = []) {
    statements.push({ text, values: [...values] })
    return query.call(this, text, values)
  }
  Connection.prototype.flush = function (queries) {
    for (const { text, values } of queries) statements.push({ text, values: [...values] })
    return flush.call(this, queries)
  }
  const stop = () => {
    Connection.prototype.query = query
    Connection.prototype.flush = flush
  }
  return { statements, stop }
}
