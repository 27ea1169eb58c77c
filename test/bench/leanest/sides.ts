// The engine and handlers by hand, side by side in one process: processor time of both ends and bytes
// allocated, a call, measured in turns.
import { Session } from 'node:inspector/promises'
import { modules } from '../../../src/main.ts'
import { Connection, type Query } from '../../../src/postgres/index.ts'
import { createKey } from '../../../src/services/admin.ts'
import { call as serve } from '../../../src/services/call.ts'
import type { RequestPreferences } from '../../../src/services/request.ts'
import { openTestDatabase, type TestDatabase } from '../../support/databases.ts'
import { recordStatements } from '../../support/statements.ts'
import { cpuSeconds } from '../cpu.ts'
import { middle } from '../timed.ts'

export type Rows = readonly (readonly unknown[])[]

/** Carries out one call; the number says which. Gives the answer. */
export type Side = (n: number) => Promise<unknown>

export interface Lean {
  /** A call of the engine, credential and all; gives the answer's text. */
  ask(
    model: string,
    method: string,
    named: Record<string, unknown>,
    ids?: readonly number[],
    asks?: RequestPreferences,
  ): Promise<string>
  /** Work of the system user in a transaction that is committed. */
  readonly run: TestDatabase['run']
  /** One connection for the handlers. */
  readonly connection: Connection
  /** The engine's check of the caller's credential, for handlers to send. */
  check(): Promise<Query>
  close(): Promise<void>
}

/** Opens a database with the modules named; `dataDir`: a folder that stays, with a database if it has one. */
export async function openLean(installed: readonly string[], dataDir?: string): Promise<Lean> {
  const database = await openTestDatabase(modules, { installed, ...(dataDir ? { dataDir } : {}) })
  const key = await createKey(database.databases, 'test', 'admin', { scope: null, name: 'bench', days: 1 })
  const connection = await Connection.connect({ ...database.databases.address, database: 'test' })
  // Databases of tests keep one plan for all values; those of servers are measured.
  await connection.simple('ALTER DATABASE test SET plan_cache_mode = auto')
  await database.databases.forget('test')
  const ask: Lean['ask'] = async (model, method, named, ids, asks) => {
    const credential = { kind: 'key', key } as const
    const from = { database: 'test', credential, remote: '127.0.0.1', requestId: 'bench' }
    const body = () => ({ ids, context: undefined, named })
    return (await serve(database.databases, { ...from, model, method, body, asks })).json as string
  }
  return {
    ask,
    run: async (work) => (await database.databases.database('test')).system(work),
    connection,
    async check() {
      for (let n = 0; n < 2; n++) await ask('res.users', 'context_get', {})
      const recorder = recordStatements()
      await ask('res.users', 'context_get', {})
      recorder.stop()
      const check = recorder.statements.find(({ text }) => text.includes('res_users_apikeys'))
      if (!check) throw new Error('a call sends its credential check')
      return check
    },
    async close() {
      await connection.close()
      await database.close()
    },
  }
}

interface Cost {
  /** Microseconds of processor time. */
  readonly ours: number
  readonly theirs: number
  readonly bytes: number
}

/** Measurements of a case, and calls in each of them. */
export interface Amount {
  readonly calls: number
  readonly rounds: number
}

/**
 * Measures the sides in turns. `prepare` gets the number of calls that follow on a side, and is not
 * measured. Returns printable lines: `engine` first, then its speed as a share of each handler's.
 */
export async function besideLeanest(
  what: string,
  sides: Readonly<Record<string, Side>>,
  { calls, rounds }: Amount,
  prepare: (calls: number) => Promise<void> = async () => undefined,
): Promise<string[]> {
  const costs = new Map<string, [number, number][]>()
  const bytes = new Map<string, number>()
  const postgres = () =>
    cpuSeconds(process.pid) - process.cpuUsage().user / 1e6 - process.cpuUsage().system / 1e6
  const run = async (side: Side) => {
    for (let n = 0; n < calls; n++) await side(n)
  }
  for (let round = 0; round <= rounds; round++)
    for (const [name, side] of Object.entries(sides)) {
      await prepare(calls)
      const [processorTime, theirs] = [process.cpuUsage(), postgres()]
      await run(side)
      const { user, system } = process.cpuUsage(processorTime)
      const cost: [number, number] = [(user + system) / calls, ((postgres() - theirs) * 1e6) / calls]
      // The first round warms up.
      if (round) costs.set(name, [...(costs.get(name) ?? []), cost])
    }
  for (const [name, side] of Object.entries(sides)) {
    await prepare(calls)
    bytes.set(name, (await allocated(() => run(side))) / calls)
  }
  const table = [...costs].map(([name, all]): [string, Cost] => [
    name,
    {
      ours: middle(all.map(([ours]) => ours)),
      theirs: middle(all.map(([, theirs]) => theirs)),
      bytes: bytes.get(name) ?? 0,
    },
  ])
  return linesOf(what, table)
}

/** The best handler is the one that takes the least processor time at both ends. */
function linesOf(what: string, table: readonly (readonly [string, Cost])[]): string[] {
  const sum = ({ ours, theirs }: Cost) => ours + theirs
  const [engine, ...handlers] = table
  if (!engine) return []
  const best = handlers.toSorted(([, a], [, b]) => sum(a) - sum(b))[0]?.[0]
  return [
    `${what}`,
    ...table.map(([name, cost]) => {
      const ratio = sum(cost) / sum(engine[1])
      const beside = name === engine[0] ? '' : `; the engine has ${ratio.toFixed(2)} of its speed`
      return `  ${name}: ${cost.ours.toFixed(0)} µs here, ${cost.theirs.toFixed(0)} µs in PostgreSQL, ${(cost.bytes / 1024).toFixed(0)} KiB${beside}${name === best ? ', the leanest' : ''}`
    }),
  ]
}

/** Bytes that work allocates on the heap, by samples. */
async function allocated(work: () => Promise<void>): Promise<number> {
  const session = new Session()
  session.connect()
  try {
    await session.post('HeapProfiler.startSampling', {
      samplingInterval: 4096,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    } as never)
    await work()
    const { profile } = await session.post('HeapProfiler.stopSampling')
    const sizeOf = (node: typeof profile.head): number =>
      node.children.reduce((sum, child) => sum + sizeOf(child), node.selfSize)
    return sizeOf(profile.head)
  } finally {
    session.disconnect()
  }
}
