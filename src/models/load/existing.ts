// Which records there are.
import { idList, sql } from '../../sql/index.ts'
import type { ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fromItemOf } from '../row/scope.ts'

/** Ids of a model that exist. */
export async function existing(env: Environment, model: ModelDef, ids: readonly number[]): Promise<number[]> {
  if (ids.length === 0) return []
  const rows = await env.query(
    sql`SELECT "id" FROM ${fromItemOf(model)} AS t WHERE "id" = ANY(${idList(ids)})`,
  )
  const existingIds = new Set(rows.map((row) => row[0]))
  return ids.filter((record) => existingIds.has(record))
}
