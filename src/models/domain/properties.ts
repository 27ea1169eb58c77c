// Conditions on properties, `properties.<name>`: values of JSON, compared by their own type
// (spec/models-api.md section 6, "Properties").
import type { Sql } from '../../sql/index.ts'
import { FALSE, not, or, raw, sql, TRUE } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Scope } from '../language/scope.ts'
import type { Leaf } from '../language/tree.ts'
import { expressionOf } from './field-sql.ts'
import { isLimit, isPattern, operators, senseOf } from './operators.ts'
import { invalidCondition } from './refusal.ts'
import { comparePattern } from './text.ts'

/** Negative operators ask for a value: records without one satisfy neither the condition nor its negation. */
export function compareProperty(scope: Scope, field: FieldDef, leaf: Leaf): Sql {
  const [, name, ...rest] = leaf.path
  if (rest.length || name === undefined) throw invalidCondition(leaf, 'a property leads no further')
  const value = sql`(${expressionOf(scope, field, leaf)} -> ${name}::text)`
  const { positive, negated } = senseOf(leaf.operator)
  if (positive === '=?' && !leaf.value) return TRUE
  if (positive === '=' || positive === 'in' || positive === '=?') {
    const values: readonly unknown[] = Array.isArray(leaf.value) ? leaf.value : [leaf.value]
    // A property that is not true is false, whether it is set or not.
    if (negated && values.length === 1 && values[0] === true) return unset(value)
    const matching = or(values.map((one) => (one === false ? unset(value) : holds(value, one))))
    return negated ? sql`(NOT ${matching} AND ${set(value)})` : matching
  }
  const text = sql`(${expressionOf(scope, field, leaf)} ->> ${name}::text)`
  if (isPattern(positive)) {
    const matching = comparePattern(text, positive, leaf, unset(value))
    return negated ? sql`(${not(matching)} AND ${set(value)})` : matching
  }
  if (isLimit(positive)) return ordered(value, text, operators[positive].sql, leaf)
  throw invalidCondition(leaf, 'properties take no such operator')
}

/** Nothing there, or what counts as nothing. */
function unset(value: Sql): Sql {
  return sql`(COALESCE(${value}, 'null') IN ('null', 'false', '""', '[]'))`
}

const set = (value: Sql): Sql => sql`(COALESCE(${value}, 'null') NOT IN ('null', 'false', '""', '[]'))`

/** The value itself, or one of several. */
function holds(value: Sql, wanted: unknown): Sql {
  return sql`COALESCE(${value} @> ${JSON.stringify(wanted)}::jsonb, FALSE)`
}

/** Numbers are compared with numbers, texts (dates among them) with texts. */
function ordered(value: Sql, text: Sql, sign: string, { value: wanted }: Leaf): Sql {
  if (typeof wanted === 'number') {
    return sql`COALESCE(CASE WHEN jsonb_typeof(${value}) = 'number' THEN (${text})::numeric ${raw(sign)} ${wanted}::numeric END, FALSE)`
  }
  if (typeof wanted !== 'string') return FALSE
  return sql`COALESCE(CASE WHEN jsonb_typeof(${value}) = 'string' THEN ${text} ${raw(sign)} ${wanted}::text END, FALSE)`
}
