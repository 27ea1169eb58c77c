// Aggregates: the SQL that reckons them, and their wire form.
import { InvalidValue } from '../../errors.ts'
import type { Sql } from '../../sql/index.ts'
import { raw, sql } from '../../sql/index.ts'
import { isAskable } from '../language/field-options.ts'
import type { Scope } from '../language/scope.ts'
import type { AggregateSpec } from './specs.ts'

/** The aggregate over the rows of a group. Throws InvalidValue for fields that only code can tell. */
export function aggregateSql(scope: Scope, { field, func }: AggregateSpec): Sql {
  if (!field) return sql`count(*)`
  const value = field.name === 'id' ? scope.id : isAskable(field) && scope.value(field)
  if (!value)
    throw new InvalidValue(
      `Invalid aggregate "${field.name}:${func}" on ${field.model.name}: the field is not stored`,
    )
  switch (func) {
    case 'count_distinct':
      return sql`count(DISTINCT ${value})`
    // A set of records goes out as the list it was made from, under that name.
    case 'recordset':
    case 'array_agg':
      return sql`json_agg(${element(field.kind, value)} ORDER BY ${scope.id})`
    case 'array_agg_distinct':
      return sql`to_json(array_agg(DISTINCT ${element(field.kind, value)}))`
    default:
      return sql`${raw(func)}(${value})`
  }
}

const element = (kind: string, value: Sql): Sql =>
  kind === 'datetime' ? sql`to_char(${value}, 'YYYY-MM-DD HH24:MI:SS')` : value

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
