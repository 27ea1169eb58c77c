// Commands of administrators at the machine: each writes an entry of the database's audit log in the name of
// the command line.
import type { Environment } from '../models/index.ts'
import { auditInsert } from '../models/rights/audit.ts'
import type { Sql } from '../sql/index.ts'

/** Content of an audit entry. */
interface Deed {
  readonly event: string
  readonly model: string
  readonly record: number
  readonly name: string
  readonly detail?: Readonly<Record<string, unknown>>
}

/** The server's own work leaves no audit entries; a typed command has to. */
export async function auditCommands(env: Environment, deeds: readonly Deed[]): Promise<void> {
  const by = 'command line'
  const rows = deeds.map((deed) => ({
    ...deed,
    uid: null,
    login: null,
    address: null,
    detail: { ...deed.detail, by },
  }))
  if (rows.length) await env.query(auditInsert(rows))
}

/** The rows of a query that gives each as the text of a JSON object. */
export async function objectsOf<T>(env: Environment, query: Sql): Promise<readonly T[]> {
  return (await env.query<[string]>(query)).map((row) => JSON.parse(row[0]) as T)
}
