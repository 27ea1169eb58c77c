// The place of a field's values: its own expression, or the row at the end of the many2ones of a
// related field without one.
import { FALSE, literal, not, or, raw, type Sql, sql, TRUE } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import { isAskable } from '../language/field-options.ts'
import type { Scope } from '../language/scope.ts'
import type { Leaf } from '../language/tree.ts'
import { companyDefault } from '../row/company-values.ts'
import {
  type Compared,
  invalidCondition,
  isEquality,
  isLimit,
  isPattern,
  operandsOf,
  operators,
  senseOf,
} from './operators.ts'
import { comparePattern, whenSet } from './text.ts'

/** Throws InvalidValue when the value needs code and no search rule replaces the condition. */
export function expressionOf(scope: Scope, field: FieldDef, leaf: Leaf): Sql {
  return (isAskable(field) && scope.value(field)) || fail(leaf)
}

interface Place {
  readonly scope: Scope
  readonly field: FieldDef
  /** The row was joined: there may be none. */
  readonly joined: boolean
}

/** The row at the end of a related field's path. Throws InvalidValue when that takes code. */
export function placeOf(scope: Scope, field: FieldDef, leaf: Leaf): Place {
  let place: Place = { scope, field, joined: false }
  while (place.field.related && !place.field.stored) {
    const end = place.scope.along(place.field.related) ?? fail(leaf)
    place = { ...end, joined: place.joined || end.scope !== place.scope }
  }
  return place
}

function fail(leaf: Leaf): never {
  throw invalidCondition(leaf, 'the field is not stored and cannot be searched')
}

/** Binary fields: `= false` and `in [false]` are true where there is no content. */
export function comparePresence(scope: Scope, field: FieldDef, operator: Compared, leaf: Leaf): Sql {
  const values = operandsOf(operator, leaf.value)
  if (!isEquality(operator) || values.some((value) => value !== false)) {
    throw invalidCondition(leaf, 'the field can only be compared with false')
  }
  return values.length === 0 ? FALSE : not(hasFile(scope, field, leaf))
}

function hasFile(scope: Scope, from: FieldDef, leaf: Leaf): Sql {
  const place = placeOf(scope, from, leaf)
  const field = source(place.field)
  const { id } = place.scope
  if (field.kind === 'binary' && field.stored && !field.column) {
    const holders = place.scope.nested(place.scope.env.def('ir.attachment'))
    const [model, name, record] = ['res_model', 'res_field', 'res_id'].map((column) =>
      holders.column(column),
    ) as [Sql, Sql, Sql]
    const hasFile = sql`${id} IN (SELECT ${record} FROM ${holders.from()} WHERE ${model} = ${literal(field.model.name)} AND ${name} = ${literal(field.name)} AND ${record} IS NOT NULL)`
    return place.joined ? whenSet(id, hasFile) : sql`(${hasFile})`
  }
  return sql`${expressionOf(place.scope, field, leaf)} IS NOT NULL`
}

/** A smaller image that is made from another one is there when that one is. */
function source(field: FieldDef): FieldDef {
  const [only, ...others] = field.stored ? [] : (field.compute?.depends ?? [])
  const from = only && others.length === 0 ? field.model.fields.get(only) : undefined
  return from?.kind === 'binary' && from !== field ? source(from) : field
}

// Conditions on properties, `properties.<name>`: values of JSON, compared by their own type
// (spec/models-api.md section 6, "Properties").

/** Negative operators ask for a value: records without one satisfy neither the condition nor its negation. */
export function compareProperty(scope: Scope, field: FieldDef, leaf: Leaf): Sql {
  const [, name, ...rest] = leaf.path
  if (rest.length || name === undefined)
    throw invalidCondition(leaf, 'a path cannot continue after a property')
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
  throw invalidCondition(leaf, 'properties do not support this operator')
}

function unset(value: Sql): Sql {
  return sql`(COALESCE(${value}, 'null') IN ('null', 'false', '""', '[]'))`
}

const set = (value: Sql): Sql => sql`(COALESCE(${value}, 'null') NOT IN ('null', 'false', '""', '[]'))`

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

// Conditions on values by company, narrowed in a form that their index knows.

const MOST = 50

/** True of every row that can equal the given texts; TRUE where the index does not help. */
export function ofCompany(scope: Scope, field: FieldDef, operator: Compared, { value }: Leaf): Sql {
  if (!field.column || !field.options.companyDependent || !field.options.index) return TRUE
  if (!isEquality(operator) || companyDefault(scope.env, field) !== null) return TRUE
  const wanted = [value].flat()
  if (wanted.length === 0 || wanted.length > MOST || wanted.some((one) => !one)) return TRUE
  const held = (one: unknown) => JSON.stringify({ [scope.env.companyId]: String(one) })
  return or(wanted.map((one) => sql`${scope.column(field.name)} @> ${held(one)}::jsonb`))
}
