// Transport of values to columns, inside JSON or as parameters, and their conversion there.
import { present } from '../../kit/present.ts'
import { type Sql, sql } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { stored } from './values.ts'

/** The type a value travels as: bytes as base64, JSON as its text. */
export function columnTypeIn(field: FieldDef): string {
  if (field.translate || field.options.companyDependent) return 'jsonb'
  const type = present(field.type.columnType(field))
  return type === 'bytea' || type === 'jsonb' ? 'text' : type
}

/** From what travels to what the column holds. */
export function expressionIn(field: FieldDef, value: Sql): Sql {
  if (field.translate || field.options.companyDependent) return value
  const type = field.type.columnType(field)
  if (type === 'bytea') return sql`decode(${value}, 'base64')`
  return type === 'jsonb' ? sql`(${value})::jsonb` : value
}

export function jsonValue(env: Environment, field: FieldDef, value: unknown): unknown {
  if (value === undefined || value === null)
    return field.kind === 'boolean' && value === undefined ? undefined : null
  return stored(env, field, value)
}
