// A field as a column of a statement that loads it, and what code sees of the driver's value.
import { type Sql, sql } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import { leadsToMany, leadsToOne } from '../language/relations.ts'
import type { Scope } from '../language/scope.ts'
import { linkedIds } from './links.ts'

/** Null for values that need code. */
export function expressionOf(scope: Scope, field: FieldDef): Sql | null {
  if (leadsToMany(field)) {
    const links = linkedIds(scope, field)
    return links && sql`ARRAY(${links})`
  }
  return scope.value(field)
}

/** Many2ones as ids, x2manys as arrays of ids. */
export function codeValue(field: FieldDef, value: unknown): unknown {
  if (leadsToOne(field)) return value ?? null
  if (field.comodel) return value ?? []
  return field.type.fromColumn(field, value)
}
