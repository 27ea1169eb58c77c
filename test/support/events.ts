// Business events of the change feed, as rows of its table.
import type { Environment } from '#models'
import { sql } from '../../src/sql/index.ts'

/** Names of events that happened to a record, in order. */
export async function eventsOf(env: Environment, model: string, id: number): Promise<string[]> {
  const rows = await env.query(sql`SELECT event FROM comptoir_change
    WHERE op = 'e' AND model = ${model} AND ${id}::int = ANY(ids) ORDER BY seq, n`)
  return rows.map((row) => row[0] as string)
}
