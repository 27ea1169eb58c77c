// Fills new columns of tables with rows: computed fields are marked for recomputation, others get their
// defaults as new records do.

import { id, raw, type Sql, sql } from '../../sql/index.ts'
import { mark } from '../compute/recompute.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { columnTypeIn, expressionIn, jsonValue } from '../row/columns.ts'
import type { AddedColumn } from '../schema/apply.ts'

/** Fills columns that were added to existing tables. Computed values are stored by the next flush. */
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
    const rows = await env.query<[number]>(sql`SELECT "id" FROM ${id(model.table)}`)
    mark(
      env,
      field,
      rows.map((row) => row[0]),
    )
    return
  }
  const value = await valueFor(env, field)
  if (value)
    await env.query(
      sql`UPDATE ${id(model.table)} SET ${id(field.name)} = ${value} WHERE ${id(field.name)} IS NULL`,
    )
}

/** The value of existing records in a new column, as SQL; null if there is no default. */
export async function valueFor(env: Environment, field: FieldDef): Promise<Sql | null> {
  const value = await field.defaultOf?.(env)
  if (value === undefined || value === null) return null
  const kept = jsonValue(env, field, field.type.toColumn(field, value))
  const parameter = typeof kept === 'object' && kept !== null ? JSON.stringify(kept) : kept
  return expressionIn(field, sql`${parameter}::${raw(columnTypeIn(field))}`)
}

/** Whether the value can be a DEFAULT of the column. */
export function isPlain(field: FieldDef): boolean {
  const type = field.column ? field.type.columnType(field) : null
  return (
    type !== null &&
    type !== 'bytea' &&
    type !== 'jsonb' &&
    !field.translate &&
    !field.options.companyDependent
  )
}

/**
 * The text of a value for all new records, for the column's DEFAULT; null if there is no default, or if
 * it depends on the database's contents.
 */
export async function fixedDefault(env: Environment, field: FieldDef): Promise<string | null> {
  const value = field.options.default
  if (field.compute || value === undefined || value === null || !isPlain(field)) return null
  return literalOf(
    env,
    field,
    expressionIn(
      field,
      sql`${jsonValue(env, field, field.type.toColumn(field, value))}::${raw(columnTypeIn(field))}`,
    ),
  )
}

/** An expression's value as an SQL literal. */
export async function literalOf(env: Environment, field: FieldDef, value: Sql): Promise<string> {
  const [row] = await env.query(sql`SELECT quote_literal((${value})::text)`)
  return `${row?.[0]}::${columnTypeIn(field)}`
}
