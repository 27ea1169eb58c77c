// New columns of tables that have rows: computed fields are marked for all of them, the others take their
// defaults, as new records would.

import { id, raw, sql } from '../../sql/index.ts'
import { mark } from '../compute/recompute.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { columnTypeIn, expressionIn, jsonValue } from '../row/columns.ts'
import type { AddedColumn } from '../schema/apply.ts'

/** Fills what was just added to tables that were there before; computed values come with the next flush. */
export async function fillColumns(env: Environment, added: readonly AddedColumn[]): Promise<void> {
  for (const model of env.unit.registry.models.values()) {
    if (!model.hasTable) continue
    for (const { table, column } of added) {
      const field = table === model.table ? model.fields.get(column) : undefined
      if (field) await fillColumn(env, model, field)
    }
  }
}

async function fillColumn(env: Environment, model: ModelDef, field: FieldDef): Promise<void> {
  if (field.compute) {
    const rows = await env.query(sql`SELECT "id" FROM ${id(model.table)}`)
    mark(
      env,
      field,
      rows.map((row) => row[0] as number),
    )
    return
  }
  const value = await field.defaultOf?.(env)
  if (value === undefined || value === null) return
  const kept = jsonValue(env, field, field.type.toColumn(field, value))
  const given = typeof kept === 'object' && kept !== null ? JSON.stringify(kept) : kept
  await env.query(
    sql`UPDATE ${id(model.table)} SET ${id(field.name)} = ${expressionIn(field, sql`${given}::${raw(columnTypeIn(field))}`)} WHERE ${id(field.name)} IS NULL`,
  )
}
