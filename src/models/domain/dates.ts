// Conditions on dates and moments: ISO text, whole days in the user's zone, whole seconds, relative text.
import { DateTime } from 'luxon'
import { isDate, isMoment } from '../../kit/dates.ts'
import { present } from '../../kit/present.ts'
import { type Relative, readRelative, weekStartOf } from '../../kit/relative-date.ts'
import { shown } from '../../kit/text.ts'
import { FALSE, or, raw, type Sql, sql } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leaf as condition, type Leaf } from '../language/tree.ts'
import { readInteger } from './number.ts'
import {
  type Compared,
  type Definite,
  invalidCondition,
  isEquality,
  isLimit,
  operandsOf,
  operators,
  type Positive,
} from './operators.ts'
import { anyValue, compareSet, isIndexed, oneOf, whenSet } from './text.ts'
import { zoneOf } from './zone.ts'

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?$/

/** Dates: a longer text loses its time. */
export const compareDate = (env: Environment, expression: Sql, operator: Compared, leaf: Leaf): Sql =>
  compareSet(expression, operator, leaf, {
    type: 'date',
    text: sql`to_char(${expression}, 'YYYY-MM-DD')`,
    read: (value) => readDay(env, value, leaf),
  })

/** Compares whole seconds; a bare date is midnight in the user's zone, the whole day for `<=` and `>`. */
export const compareMoment = (env: Environment, expression: Sql, operator: Compared, leaf: Leaf): Sql =>
  compareSet(expression, operator, leaf, {
    type: 'timestamp',
    text: sql`to_char(${expression}, 'YYYY-MM-DD HH24:MI:SS')`,
    sign: operator === '>' || operator === '>=' ? '>=' : '<',
    read: () => present(momentLimits(env, operator, leaf)[0]),
    among: (moments) => sameSecond(env, expression, moments, leaf),
  })

/**
 * The limits that moments are compared with, as PostgreSQL reads them: a second from its first instant
 * to that of the next one, or a single limit. Stored moments may have fractions of a second: the end of
 * a second or day is the first instant after it.
 */
export function momentLimits(env: Environment, operator: Positive, leaf: Leaf): string[] {
  const { at, day } = readMoment(env, leaf.value, leaf)
  if (operator === '=' || operator === '=?') return [stamp(at), stamp(at.plus({ seconds: 1 }))]
  const after = operator === '<=' || operator === '>'
  return [stamp(after ? at.plus(day ? { days: 1 } : { seconds: 1 }) : at)]
}

function sameSecond(env: Environment, expression: Sql, values: readonly unknown[], leaf: Leaf): Sql {
  if (values.length === 0) return FALSE
  if (values.length > 1)
    return oneOf(
      sql`date_trunc('second', ${expression})`,
      values.map((value) => stampOf(env, value, leaf)),
      'timestamp',
    )
  const [first, next] = momentLimits(env, '=', condition(leaf.path, leaf.operator, values[0]))
  return whenSet(expression, sql`${expression} >= ${first}::timestamp AND ${expression} < ${next}::timestamp`)
}

/** The day that a text names, whatever the time is; null for other values. */
export function isoDay(value: unknown): string | null {
  const head = typeof value === 'string' ? /^(\d{4}-\d{2}-\d{2})(?:[ T].*)?$/.exec(value)?.[1] : undefined
  return head !== undefined && isDate(head) ? head : null
}

/**
 * The number of values that take time to read: words such as `today`, and days among moments, whose
 * beginning depends on the zone; eight of these count as one.
 */
export function dateWordsIn(value: unknown, moment: boolean): number {
  let [words, days] = [0, 0]
  for (const operand of Array.isArray(value) ? value : [value]) {
    if (typeof operand !== 'string') continue
    if (!/^\d{4}-\d{2}-\d{2}/.test(operand)) words++
    else if (operand.length === 10) days++
  }
  return words + (moment ? Math.floor(days / 8) : 0)
}

/** The day or moment that a text names, whatever the time is; null for other values. */
export function isoMoment(env: Environment, value: unknown): Relative | null {
  const match = typeof value === 'string' ? ISO.exec(value) : null
  const moment = match && fromIso(match, zoneOf(env))
  return moment?.at.isValid ? moment : null
}

/** `YYYY-MM-DD`. Throws InvalidValue for impossible dates, numbers and other text. */
export function readDay(env: Environment, value: unknown, leaf: Leaf): string {
  if (typeof value === 'string') {
    const day = isoDay(value)
    if (day !== null) return day
    const moment = /^\d{4}-\d{2}-\d{2}(?:[ T].*)?$/.test(value) ? null : relative(env, value)
    if (moment) return moment.at.toFormat('yyyy-MM-dd')
  }
  throw invalidCondition(leaf, 'a date is expected on the right, as YYYY-MM-DD')
}

/** A day or moment, in the user's zone or UTC. Throws InvalidValue for anything else. */
export function readMoment(env: Environment, value: unknown, leaf: Leaf): Relative {
  if (typeof value === 'string') {
    const moment = ISO.test(value) ? isoMoment(env, value) : relative(env, value)
    if (moment?.at.isValid) return moment
  }
  throw invalidCondition(leaf, 'a moment is expected on the right, as YYYY-MM-DD HH:MM:SS in UTC')
}

function fromIso(match: RegExpExecArray, zone: string): Relative | null {
  const [year, month, day, hour, minute, second] = match
    .slice(1)
    .map((digits) => (digits === undefined ? undefined : Number(digits)))
  if (!year || (hour ?? 0) > 23 || (minute ?? 0) > 59 || (second ?? 0) > 59) return null
  const bare = hour === undefined
  const at = DateTime.fromObject(
    { year, month, day, hour: hour ?? 0, minute: minute ?? 0, second: second ?? 0 },
    { zone: bare ? zone : 'utc' },
  )
  return { at, day: bare }
}

/** The moment that a text means, as PostgreSQL reads it. Throws InvalidValue. */
function stampOf(env: Environment, value: unknown, leaf: Leaf): string {
  const [, year, month, day, hour, minute, second = '00'] =
    (typeof value === 'string' && ISO.exec(value)) || []
  const text = hour === undefined ? '' : `${year}-${month}-${day} ${hour}:${minute}:${second}`
  if (isMoment(text)) return text
  return stamp(readMoment(env, value, leaf).at)
}

function relative(env: Environment, text: string): Relative | null {
  return readRelative(text, DateTime.fromJSDate(env.now(), { zone: zoneOf(env) }), weekStartOf(env.lang))
}

/** UTC as PostgreSQL reads it; beyond the years 1 to 9999 nothing is stored. */
export function stamp(at: DateTime): string {
  const utc = at.toUTC()
  if (utc.year > 9999) return 'infinity'
  return utc.year < 1 ? '-infinity' : utc.toFormat('yyyy-MM-dd HH:mm:ss')
}

// Conditions on parts of dates and moments: `date.month_number = 6` (spec/models-api.md section 2, "Parts").

export const dayParts = {
  year_number: 'YEAR',
  quarter_number: 'QUARTER',
  month_number: 'MONTH',
  iso_week_number: 'WEEK',
  day_of_year: 'DOY',
  day_of_month: 'DAY',
  day_of_week: 'DOW',
} as const
export const timeParts = { hour_number: 'HOUR', minute_number: 'MINUTE', second_number: 'SECOND' } as const

/** A moment in a zone; dates have none. */
export const localSql = (value: Sql, zone: string): Sql =>
  zone === 'UTC' ? value : sql`(${value} AT TIME ZONE 'UTC' AT TIME ZONE ${zone}::text)`

/** A part of a date or a moment. Seconds have fractions: they are cut, not rounded. */
export const datePartSql = (value: Sql, part: string, zone: string): Sql =>
  sql`floor(EXTRACT(${raw(part)} FROM ${localSql(value, zone)}))::int`

type Named = Readonly<Record<string, string>>

/** The part that a path names, for clients and PostgreSQL, and its zone. Throws InvalidValue. */
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
    throw invalidCondition(leaf, `a ${field.kind} field has no part ${shown(name)}`)
  return { name, part, zone: moment ? zoneOf(env) : 'UTC' }
}

export function compareDatePart(
  env: Environment,
  field: FieldDef,
  value: Sql,
  operator: Definite,
  leaf: Leaf,
): Sql {
  const { part, zone } = datePartOf(env, field, leaf)
  const number = datePartSql(value, part, zone)
  if (isLimit(operator)) {
    if (leaf.value === false) return FALSE
    return whenSet(
      value,
      sql`${number} ${raw(operators[operator].sql)} ${readInteger(leaf.value, leaf)}::numeric`,
    )
  }
  if (!isEquality(operator))
    throw invalidCondition(leaf, 'a part of a date can only be compared with a number')
  const values = operandsOf(operator, leaf.value)
  const numbers = values.filter((one) => one !== false).map((one) => readInteger(one, leaf))
  const matching = numbers.length ? whenSet(value, anyValue(number, numbers, 'numeric')) : FALSE
  return or([matching, values.includes(false) ? sql`${value} IS NULL` : FALSE])
}

// Conditions on kinds whose values are texts in an order of their own (`operand` of the kind): times of day,
// and what may come.

/** The right side of a condition on an ordered kind. Throws InvalidValue for what is not a value of the kind. */
export function operandOf(field: FieldDef, value: unknown, leaf: Leaf): string {
  const operand = field.type.operand?.(value)
  if (operand === undefined)
    throw invalidCondition(
      leaf,
      `a ${field.kind} is compared with ${field.type.expected ?? `values of ${field.kind}`}`,
    )
  return operand
}

export const compareOrdered = (field: FieldDef, expression: Sql, operator: Compared, leaf: Leaf): Sql =>
  compareSet(expression, operator, leaf, {
    type: field.type.columnType(field) ?? 'text',
    text: sql`${expression}::text`,
    read: (value) => operandOf(field, value, leaf),
    indexed: isIndexed(field),
  })
