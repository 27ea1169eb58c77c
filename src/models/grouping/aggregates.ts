// Aggregates: the SQL that reckons them, and their wire form.
import { InvalidValue } from '../../errors.ts'
import { isDate, isMoment } from '../../kit/dates.ts'
import { isNothing } from '../../kit/nothing.ts'
import { isInteger } from '../../kit/present.ts'
import { and, FALSE, not, or, raw, type Sql, sql, TRUE } from '../../sql/index.ts'
import {
  invalidCondition,
  isEquality,
  isLimit,
  operandsOf,
  operators,
  type Positive,
  senseOf,
} from '../domain/operators.ts'
import { anyValue } from '../domain/text.ts'
import { decimalSql, decimalsOf, momentSql } from '../kinds/shared.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Typed } from '../language/environment.ts'
import { isAskable } from '../language/field-options.ts'
import type { Scope } from '../language/scope.ts'
import type { Leaf, Tree } from '../language/tree.ts'
import { type AggregateSpec, parseAggregate } from './specs.ts'

/** The aggregate over a group's rows. Throws InvalidValue for fields that only code can compute. */
export function aggregateSql(scope: Scope, { field, func }: AggregateSpec, typed: Typed | null = null): Sql {
  if (!field) return sql`count(*)`
  const value = field.name === 'id' ? scope.id : isAskable(field) && scope.value(field)
  if (!value)
    throw new InvalidValue(
      `Invalid aggregate "${field.name}:${func}" on ${field.model.name}: the field is not stored`,
    )
  const element = isList({ func }) ? elementSql(scope, field, value, typed) : value
  switch (func) {
    case 'count_distinct':
      return sql`count(DISTINCT ${value})`
    // A set of records goes out as the list it was made from, under that name.
    case 'recordset':
    case 'array_agg':
      return sql`json_agg(${element} ORDER BY ${scope.id})`
    case 'array_agg_distinct':
      return sql`to_json(array_agg(DISTINCT ${element}))`
    default:
      return sql`${raw(func)}(${value})`
  }
}

function elementSql(scope: Scope, field: FieldDef, value: Sql, typed: Typed | null): Sql {
  if (field.kind === 'datetime')
    return typed ? momentSql(value, typed) : sql`to_char(${value}, 'YYYY-MM-DD HH24:MI:SS')`
  const scale = typed?.decimal ? decimalsOf(scope, field) : null
  return scale ? sql`CASE WHEN ${value} IS NOT NULL THEN ${decimalSql(value, scale)} END` : value
}

/** Functions that give numbers of the field's own kind, and null where there was nothing to reckon with. */
export const NUMBERS: ReadonlySet<string> = new Set(['sum', 'min', 'max', 'avg'])

/**
 * The number of decimals of an aggregate as exact text: that of the field, or of the one currency of
 * its amounts, NULL for several currencies; null if the aggregate is a number.
 */
export function scaleSql(
  scope: Scope,
  { field, func }: AggregateSpec,
  typed: Typed | null | undefined,
): Sql | null {
  if (!typed?.decimal || !field || !NUMBERS.has(func)) return null
  const scale = decimalsOf(scope, field)
  return scale && sql`CASE WHEN min(${scale}::int) = max(${scale}::int) THEN max(${scale}::int) END`
}

/** The wire form: `false` when there was nothing to reckon with, lists always a list. */
export function wireAggregate({ field, func }: AggregateSpec, value: unknown): unknown {
  if (func === 'count' || func === 'count_distinct') return value ?? 0
  if (isList({ func })) return typeof value === 'string' ? JSON.parse(value) : []
  if (field?.kind === 'datetime' && typeof value === 'string') return value.slice(0, 19)
  return value ?? false
}

export const isList = ({ func }: Pick<AggregateSpec, 'func'>): boolean =>
  func === 'array_agg' || func === 'array_agg_distinct' || func === 'recordset'

/** Missing in the library of TypeScript: a value that is written as its text. */
declare global {
  interface JSON {
    rawJSON(text: string): unknown
  }
}

const KEEPING: ReadonlySet<string> = new Set(['sum', 'min', 'max', 'array_agg', 'array_agg_distinct'])

/** As it is written: `434.0` where the field is a float or an amount, or for an average. */
export function wireAggregateValue({ field, func }: AggregateSpec, value: unknown): unknown {
  const isDecimal =
    func === 'avg' || (KEEPING.has(func) && (field?.kind === 'float' || field?.kind === 'monetary'))
  if (!isDecimal) return value
  return Array.isArray(value) ? value.map(pointed) : pointed(value)
}

const pointed = (value: unknown): unknown =>
  // Beyond, JavaScript writes an exponent, which is no integer to anybody.
  isInteger(value) && Math.abs(value) < 1e21 ? JSON.rawJSON(`${value}.0`) : value

// Conditions on groups: a domain whose fields are aggregates, `[["__count", ">", 1]]`.

/** The condition, never NULL. Throws InvalidValue for lists, and for wrong operators and values. */
export function compileHaving(scope: Scope, tree: Tree): Sql {
  switch (tree.type) {
    case 'always':
      return tree.value ? TRUE : FALSE
    case 'not':
      return not(compileHaving(scope, tree.child))
    case 'all':
      return and(tree.children.map((child) => compileHaving(scope, child)))
    case 'anyOf':
      return or(tree.children.map((child) => compileHaving(scope, child)))
    default:
      return condition(scope, tree)
  }
}

function condition(scope: Scope, leaf: Leaf): Sql {
  const aggregate = parseAggregate(scope.env, scope.model, leaf.path.join('.'))
  const type = typeOf(aggregate)
  if (!type) throw invalidCondition(leaf, 'lists cannot be compared')
  const { positive, negated } = senseOf(leaf.operator)
  // Reckoned for each group anew.
  scope.cost.costly()
  const value = aggregateSql(scope, aggregate)
  const matching = compare(value, type, positive, leaf)
  return negated ? not(matching) : matching
}

function compare(value: Sql, type: string, operator: Positive, leaf: Leaf): Sql {
  if (isEquality(operator)) {
    const operands = operandsOf(operator, leaf.value)
    const isUnset = (one: unknown) => one === false && type !== 'boolean'
    const wanted = operands.filter((one) => !isUnset(one)).map((one) => fit(one, type, leaf))
    return or([
      wanted.length ? sql`COALESCE(${anyValue(value, wanted, type)}, FALSE)` : FALSE,
      operands.some(isUnset) ? sql`${value} IS NULL` : FALSE,
    ])
  }
  if (!isLimit(operator) || type === 'boolean')
    throw invalidCondition(leaf, 'aggregates can only be compared with = != < <= > >= in and not in')
  return sql`COALESCE(${value} ${raw(operators[operator].sql)} ${fit(leaf.value, type, leaf)}::${raw(type)}, FALSE)`
}

/** The PostgreSQL type that an aggregate is compared as; null for lists. */
function typeOf({ field, func }: AggregateSpec): string | null {
  if (isList({ func })) return null
  if (func === 'bool_and' || func === 'bool_or') return 'boolean'
  if (!field || (func !== 'min' && func !== 'max')) return 'numeric'
  const types: Readonly<Record<string, string>> = {
    text: 'text',
    selection: 'text',
    reference: 'text',
    date: 'date',
    datetime: 'timestamp',
  }
  return types[field.type.comparison] ?? (field.type.operand ? field.type.columnType(field) : 'numeric')
}

function fit(value: unknown, type: string, leaf: Leaf): unknown {
  const fits: Readonly<Record<string, boolean>> = {
    numeric: typeof value === 'number',
    boolean: typeof value === 'boolean',
    text: typeof value === 'string',
    date: typeof value === 'string' && isDate(value),
    timestamp: typeof value === 'string' && isMoment(value),
  }
  if (!fits[type]) throw invalidCondition(leaf, `a value of type ${type} is expected on the right`)
  return value
}

export function isHaving(value: unknown): value is unknown[] {
  if (isNothing(value)) return false
  if (!Array.isArray(value)) throw new InvalidValue('having must be a list of conditions')
  return value.length > 0
}
