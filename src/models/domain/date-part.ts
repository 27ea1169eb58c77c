// Conditions on parts of dates and moments: `date.month_number = 6` (spec/models-api.md section 2, "Parts").
import { present } from '../../kit/present.ts'
import { shown } from '../../kit/text.ts'
import type { Sql } from '../../sql/index.ts'
import { FALSE, or, raw, sql } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Leaf } from '../language/tree.ts'
import { readInteger } from './number.ts'
import { type Definite, isEquality, isLimit, operandsOf, operators } from './operators.ts'
import { invalidCondition } from './refusal.ts'
import { anyValue, whenSet } from './text.ts'
import { zoneOf } from './zone.ts'

/** Parts of dates, as clients name them and as PostgreSQL does. */
export const dayParts = {
  year_number: 'YEAR',
  quarter_number: 'QUARTER',
  month_number: 'MONTH',
  iso_week_number: 'WEEK',
  day_of_year: 'DOY',
  day_of_month: 'DAY',
  day_of_week: 'DOW',
} as const
/** Parts that only moments have. */
export const timeParts = { hour_number: 'HOUR', minute_number: 'MINUTE', second_number: 'SECOND' } as const

type Named = Readonly<Record<string, string>>

/**
 * The part that a path names, as clients and as PostgreSQL call it, and the zone it is counted in. Throws
 * InvalidValue for other names.
 */
export function datePartOf(
  env: Environment,
  field: FieldDef,
  leaf: Leaf,
): { readonly name: string; readonly part: string; readonly zone: string } {
  const name = present(leaf.path[1])
  const moment = field.kind === 'datetime'
  const part = Object.hasOwn(dayParts, name)
    ? (dayParts as Named)[name]
    : moment && Object.hasOwn(timeParts, name)
      ? (timeParts as Named)[name]
      : undefined
  if (!part || leaf.path.length > 2)
    throw invalidCondition(leaf, `there is no part ${shown(name)} of a ${field.kind}`)
  return { name, part, zone: moment ? zoneOf(env) : 'UTC' }
}

/** The part of the field's value, in the zone of the context for moments. */
export function compareDatePart(
  env: Environment,
  field: FieldDef,
  value: Sql,
  operator: Definite,
  leaf: Leaf,
): Sql {
  const { part, zone } = datePartOf(env, field, leaf)
  const local = zone === 'UTC' ? value : sql`(${value} AT TIME ZONE 'UTC' AT TIME ZONE ${zone}::text)`
  // Seconds have fractions: they are cut, not rounded.
  const number = sql`floor(EXTRACT(${raw(part)} FROM ${local}))::int`
  if (isLimit(operator)) {
    if (leaf.value === false) return FALSE
    return whenSet(
      value,
      sql`${number} ${raw(operators[operator].sql)} ${readInteger(leaf.value, leaf)}::numeric`,
    )
  }
  if (!isEquality(operator)) throw invalidCondition(leaf, 'a part of a date is a number')
  const values = operandsOf(operator, leaf.value)
  const numbers = values.filter((one) => one !== false).map((one) => readInteger(one, leaf))
  const matching = numbers.length ? whenSet(value, anyValue(number, numbers, 'numeric')) : FALSE
  return or([matching, values.includes(false) ? sql`${value} IS NULL` : FALSE])
}
