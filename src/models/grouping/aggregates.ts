// Aggregates: the SQL that reckons them, and their wire form.
import { InvalidValue } from '../../errors.ts'
import { isInteger } from '../../kit/present.ts'
import type { Sql } from '../../sql/index.ts'
import { raw, sql } from '../../sql/index.ts'
import { decimalSql, momentSql } from '../kinds/typed.ts'
import type { FieldDef } from '../language/definitions.ts'
import { isAskable } from '../language/field-options.ts'
import type { Typed } from '../language/preferences.ts'
import type { Scope } from '../language/scope.ts'
import { decimalsOf } from '../row/decimals.ts'
import type { AggregateSpec } from './specs.ts'

/**
 * The aggregate over the rows of a group; lists in the form that the caller wants. Throws InvalidValue
 * for fields that only code can compute.
 */
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

/** A value in a list of them. */
function elementSql(scope: Scope, field: FieldDef, value: Sql, typed: Typed | null): Sql {
  if (field.kind === 'datetime')
    return typed ? momentSql(value, typed) : sql`to_char(${value}, 'YYYY-MM-DD HH24:MI:SS')`
  const scale = typed?.decimal ? decimalsOf(scope, field) : null
  return scale ? sql`CASE WHEN ${value} IS NOT NULL THEN ${decimalSql(value, scale)} END` : value
}

/** Functions that give numbers of the field's own kind. */
const NUMBERS: ReadonlySet<string> = new Set(['sum', 'min', 'max', 'avg'])

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

/**
 * The wire form of what the driver gives: `false` when there was nothing to reckon with, lists always a list.
 */
export function wireAggregate({ field, func }: AggregateSpec, value: unknown): unknown {
  if (func === 'count' || func === 'count_distinct') return value ?? 0
  if (isList({ func })) return typeof value === 'string' ? JSON.parse(value) : []
  if (field?.kind === 'datetime' && typeof value === 'string') return value.slice(0, 19)
  return value ?? false
}

/** Whether the aggregate gives a list. */
export const isList = ({ func }: Pick<AggregateSpec, 'func'>): boolean =>
  func === 'array_agg' || func === 'array_agg_distinct' || func === 'recordset'

/** Missing in the library of TypeScript: a value that is written as its text. */
declare global {
  interface JSON {
    rawJSON(text: string): unknown
  }
}

/** Functions whose result is of the field's own kind. */
const KEEPING: ReadonlySet<string> = new Set(['sum', 'min', 'max', 'array_agg', 'array_agg_distinct'])

/**
 * An aggregate as it is written: `434.0` where the field is a float or an amount, or where it is an average.
 */
export function wireAggregateValue({ field, func }: AggregateSpec, value: unknown): unknown {
  const isDecimal =
    func === 'avg' || (KEEPING.has(func) && (field?.kind === 'float' || field?.kind === 'monetary'))
  if (!isDecimal) return value
  return Array.isArray(value) ? value.map(pointed) : pointed(value)
}

const pointed = (value: unknown): unknown =>
  // Beyond, JavaScript writes an exponent, which is no integer to anybody.
  isInteger(value) && Math.abs(value) < 1e21 ? JSON.rawJSON(`${value}.0`) : value
