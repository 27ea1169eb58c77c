// Computed fields that have an SQL form besides their function: records for which the two differ.

import { isDeepStrictEqual } from 'node:util'
import { computeValues } from '../../src/models/compute/values.ts'
import type { Environment } from '../../src/models/index.ts'
import type { FieldDef, ModelDef } from '../../src/models/language/definitions.ts'
import { loadFields } from '../../src/models/load/load.ts'
import { scopeOver } from '../../src/models/row/scope.ts'
import { join, sql } from '../../src/sql/index.ts'

/** Fields of a model that PostgreSQL computes in this environment, though a function could. */
function fieldsWithBoth(env: Environment, model: ModelDef, except: readonly string[]): FieldDef[] {
  const scope = scopeOver(env, model)
  return [...model.fields.values()].filter(
    (field) =>
      !field.column &&
      field.compute?.options.sql &&
      !except.includes(`${model.name}.${field.name}`) &&
      scope.json(field),
  )
}

/**
 * Wire values of all records of a model by field: as PostgreSQL renders them, and as the functions compute
 * them.
 */
export async function bothForms(
  env: Environment,
  model: ModelDef,
  except: readonly string[] = [],
): Promise<{ compared: string[]; different: string[] }> {
  const fields = fieldsWithBoth(env, model, except)
  if (fields.length === 0) return { compared: [], different: [] }
  const scope = scopeOver(env, model)
  const columns = fields.map((field) => scope.json(field) ?? sql`NULL`)
  const rows = await env.query(
    sql`SELECT ${join([scope.id, ...columns.map((column) => sql`(${column})::text`)])} FROM ${scope.from()}`,
  )
  const ids = rows.map((row) => row[0] as number)
  const different: string[] = []
  for (const [i, field] of fields.entries()) {
    const computed = await computeValues(env, field, ids)
    const { of } = await loadFields(env, model, ids, [field])
    for (const row of rows) {
      const id = row[0] as number
      const rendered = JSON.parse(row[i + 1] as string) as unknown
      const value = idOf(computed.get(id) ?? null)
      const wire = field.type.toWire(field, value)
      const where = `${model.name}.${field.name} of ${id}`
      if (!isDeepStrictEqual(rendered, wire))
        different.push(`${where}: SQL ${JSON.stringify(rendered)}, code ${JSON.stringify(wire)}`)
      const loaded = field.type.toWire(field, of.get(field)?.get(id) ?? null)
      if (!isDeepStrictEqual(loaded, wire))
        different.push(`${where}: loaded ${JSON.stringify(loaded)}, code ${JSON.stringify(wire)}`)
    }
  }
  return { compared: rows.length ? fields.map((field) => `${model.name}.${field.name}`) : [], different }
}

const idOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'id' in value ? value.id : value
