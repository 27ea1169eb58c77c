// Calls asked twice: of a database that remembers all it ever made for calls, and of one that knows nothing
// yet. And what both ask PostgreSQL.

import { Callers } from '../../src/access/index.ts'
import type { Database, Databases } from '../../src/databases/index.ts'
import { ServiceError } from '../../src/errors.ts'
import { flush } from '../../src/models/compute/recompute.ts'
import { bindNamed, type Registry } from '../../src/models/engine.ts'
import { manualRows, parseManualRows } from '../../src/models/manual/custom.ts'
import { composeRegistry } from '../../src/models/registry/registry.ts'
import { environmentOf, recordsOf } from '../../src/models/unit/environment.ts'
import { UnitOfWork } from '../../src/models/unit/unit.ts'
import { WriteBuffer } from '../../src/models/unit/write-buffer.ts'
import { sqlState } from '../../src/postgres/index.ts'
import { call } from '../../src/services/call.ts'
import type { Credential, RequestPreferences } from '../../src/services/request.ts'
import type { Statement } from '../../src/sql/index.ts'

/** A call as JSON-2 has it. `undone`: its work is not kept. */
export interface Asked {
  readonly key: string
  readonly model: string
  readonly method: string
  readonly ids?: unknown
  readonly context?: Readonly<Record<string, unknown>>
  readonly named: Readonly<Record<string, unknown>>
  readonly pieces?: boolean
  /** Typed values, requested in addition to the call. */
  readonly typed?: NonNullable<RequestPreferences['typed']> | null
  readonly undone?: boolean
}

/** The answer's JSON or the error, and the statements that the call's own work sent. */
export interface Told {
  readonly answer: string
  readonly statements: readonly Statement[]
}

/** The functions of a server that calls need. */
type Server = Pick<Databases, 'database' | 'forget'> & {
  readonly handles: Pick<Databases['handles'], 'known'>
}

const serverOf = (database: Database): Server => ({
  handles: { known: () => database },
  database: async () => database,
  forget: async () => undefined,
})

/** The models of a database, composed anew: nothing was ever found out about them. */
async function composed(database: Database): Promise<Registry> {
  const { text, values } = manualRows.compile()
  const [row] = await database.pool.use((connection) => connection.query(`SELECT ${text}`, values))
  return composeRegistry(database.registry.declared, parseManualRows(row?.[0] as string))
}

/** The database as a process finds it that has just been started. */
export async function coldly<T>(database: Database, work: (cold: Database) => Promise<T>): Promise<T> {
  const registry = await composed(database)
  const callers = new Callers({ pool: database.pool, registry })
  const cold = new Proxy(database, {
    get(_, name) {
      if (name === 'registry') return registry
      if (name === 'callers') return callers
      // Private members are the database's own, not the proxy's.
      const value: unknown = Reflect.get(database, name, database)
      return typeof value === 'function' ? value.bind(database) : value
    },
  })
  try {
    return await work(cold)
  } finally {
    await callers.settle()
  }
}

/** Runs the call on a database, and returns its answer and statements. */
export async function tell(database: Database, call: Asked): Promise<Told> {
  const statements: Statement[] = []
  const { run } = UnitOfWork.prototype
  const { post } = WriteBuffer.prototype
  UnitOfWork.prototype.run = function <R extends readonly unknown[]>(
    this: UnitOfWork,
    statement: Statement,
    last?: boolean,
  ) {
    statements.push({ text: statement.text, values: [...statement.values] })
    return run.call(this, statement, last) as Promise<readonly R[]>
  }
  WriteBuffer.prototype.post = function (statement, refusal) {
    statements.push({ text: statement.text, values: [...statement.values] })
    return post.call(this, statement, refusal)
  }
  try {
    return { answer: await (call.undone ? undone(database, call) : kept(database, call)), statements }
  } catch (error) {
    const { name, message } = error as Error
    // Where work is undone, what PostgreSQL refuses is not put into other words.
    const refused = error instanceof ServiceError || (call.undone && sqlState(error) !== undefined)
    return { answer: refused ? `${name}: ${message}` : `FAULT ${name}: ${message}`, statements }
  } finally {
    UnitOfWork.prototype.run = run
    WriteBuffer.prototype.post = post
  }
}

async function kept(
  database: Database,
  { key, model, method, ids, context, named, pieces, typed }: Asked,
): Promise<string> {
  const credential: Credential = { kind: 'key', key }
  const body = () => ({ ids, context, named: structuredClone(named) as Record<string, unknown> })
  const request = {
    database: database.name,
    credential,
    model,
    method,
    body,
    remote: '127.0.0.1',
    requestId: 'test',
  }
  const { json, more } = await call(serverOf(database) as Databases, {
    ...request,
    ...(pieces ? { pieces } : {}),
    ...(typed ? { asks: { typed, tell: () => undefined } } : {}),
  })
  let text = json
  if (more) for await (const piece of more) text += piece
  return text
}

/** The call in a transaction that is rolled back; all that leaves unheard is waited for. */
async function undone(
  database: Database,
  { key, model, method, ids, context, named }: Asked,
): Promise<string> {
  const { profile, rights } = await database.callers.byKey(key)
  const unit = new UnitOfWork(database.pool, rights.registry, rights, {
    readonly: false,
    files: database.files,
  })
  try {
    const env = environmentOf(unit, profile, { ...context })
    const def = rights.registry.get(model)
    const contract = def?.methods.get(method)
    if (!def || !contract) throw new Error(`There is no ${model}.${method}`)
    const bound = bindNamed(model, contract, ids, structuredClone(named) as Record<string, unknown>)
    await contract.run(recordsOf(env, def, bound.ids) as never, bound.params)
    await flush(env)
    const failed = await unit.first(undefined)
    if (failed) throw failed
    return 'done'
  } catch (error) {
    throw await unit.first(error)
  } finally {
    await unit.rollback()
  }
}

/** Statements of one list that are not in the other: remembering saves some, and makes none. */
export function unheardOf(
  warm: readonly Statement[],
  cold: readonly Statement[],
  withValues: boolean,
): string[] {
  const left = cold.map((statement) => textOf(statement, withValues))
  return warm
    .map((statement) => textOf(statement, withValues))
    .filter((statement) => {
      const at = left.indexOf(statement)
      if (at >= 0) left.splice(at, 1)
      return at < 0
    })
}

const textOf = ({ text, values }: Statement, withValues: boolean): string =>
  withValues ? `${text} ${JSON.stringify(values)}` : text
