// Functions for several field types: errors that name the field, conversion of values to numbers, wire
// JSON of columns, and the typed form of values (null for unset, moments with their time zone, decimals
// as exact text).

import { IANAZone } from 'luxon'
import { InvalidValue, ValidationError } from '../../errors.ts'
import { isMoment } from '../../kit/dates.ts'
import { flawOf } from '../../kit/text.ts'
import { literal, raw, type Sql, sql } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Typed } from '../language/environment.ts'
import { currencyOf, digitsOf } from '../language/field-options.ts'
import type { FieldType } from '../language/field-type.ts'
import type { Scope } from '../language/scope.ts'

/** The largest number in a column of 32 bits, including ids. */
export const INT32_MAX = 2 ** 31 - 1
const INT32_MIN = -(2 ** 31)

/** Properties of most types: a value in a column, which may be unset. */
export const value = {
  relation: null,
  filled: false,
  isCachedVerbatim: true,
  plain: true,
  measure: 'value',
  groups: true,
  isText: false,
  expected: null,
  ruleSample: undefined,
  unset: false,
  toJson(field, expression, typed = null) {
    const { type } = field
    const json = sql`to_json(${type.outward?.(expression, typed) ?? expression})`
    const unset = unsetIn(field, typed)
    return unset === null ? json : sql`COALESCE(${json}, ${literal(JSON.stringify(unset))}::json)`
  },
  fromColumn: ({ type: { unset } }, column) => column ?? (unset === false ? null : fresh(unset)),
  toWire: ({ type }, known) => known ?? fresh(type.unset),
} as const satisfies Partial<FieldType>

/** Properties of amounts: 0 if unset, summed in groups. */
export const amount = {
  ...value,
  filled: true,
  measure: 'number',
  expected: 'a number',
  ruleSample: 1,
  unset: 0,
} as const

/** Properties of values that can only be read as a whole: no order, no groups, no aggregates. */
export const whole = {
  ...value,
  isCachedVerbatim: false,
  plain: false,
  measure: null,
  groups: false,
} as const

/** Readers may change a list that they get, so each gets a new one. */
const fresh = (unset: FieldType['unset']) => (typeof unset === 'object' ? [] : unset)

/** Unset on the wire: null in the typed form of most types, else false, 0 or an empty list. */
export const unsetIn = ({ type }: FieldDef, typed: Typed | null): FieldType['unset'] | null =>
  typed && type.unset === false && type.typedAs ? null : type.unset

/** The error for a value. It names the expected type and never repeats the value, which may be a secret. */
export function invalidValue(field: FieldDef, expected: string): InvalidValue {
  return new InvalidValue(`Wrong value for ${nameOf(field)}: it takes ${expected}.`, {
    about: { model: field.model.name, field: field.name },
  })
}

/** The id of a record that is given as an object; other values as they are. */
export const idOrValue = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'id' in value ? value.id : value

export function nameOf(field: FieldDef): string {
  return `${field.model.name}.${field.name}`
}

export function storableText(field: FieldDef, text: string): string {
  const flaw = flawOf(text)
  if (flaw) throw new InvalidValue(`Wrong value for ${nameOf(field)}: a text with ${flaw} cannot be stored.`)
  return text
}

const decimal = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i
const digits = /^\s*[+-]?\d+\s*$/

/**
 * Converts numbers, numeric text and booleans to a number; unset and empty text are 0
 * (spec/models-api.md section 5, "Values"). Throws InvalidValue.
 */
export function numberFrom(field: FieldDef, value: unknown, whole: boolean): number {
  if (value === null || value === undefined || value === false || value === '') return 0
  const number = unquotedNumber(value, whole)
  if (typeof number !== 'number' || !Number.isFinite(number))
    throw invalidValue(field, whole ? 'whole numbers' : 'numbers')
  return number
}

/**
 * Converts numeric text and true to numbers. Numbers beyond the largest one are texts, which are refused when
 * they are stored: code must not count with Infinity. Other values are returned as they are.
 */
export function unquotedNumber(value: unknown, whole: boolean): unknown {
  if (value === true) return 1
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value !== 'string' || !(whole ? digits : decimal).test(value)) return value
  const number = Number(value)
  return Number.isFinite(number) ? number : value
}

export const noRecord = (field: FieldDef, id: unknown) =>
  new ValidationError(`The record ${id} given for ${nameOf(field)} does not exist.`)

/**
 * Amounts and quantities are smaller than this: a binary number represents every cent of them, and of
 * the sums of a day. Scanned barcodes have more digits.
 */
const MOST = 1e12

/** The number of an amount. Throws InvalidValue for a number that is too large to be exact. */
export function amountFrom(field: FieldDef, value: unknown): number {
  const number = numberFrom(field, value, false)
  if (number >= MOST || number <= -MOST) throw invalidValue(field, 'amounts of less than 1,000,000,000,000')
  return number
}

/** A whole number of 32 bits; fractions are cut off. Throws InvalidValue. */
export function integerFrom(field: FieldDef, value: unknown): number {
  // Adding zero makes a negative zero an ordinary one.
  const number = Math.trunc(numberFrom(field, value, true)) + 0
  if (number < INT32_MIN || number > INT32_MAX)
    throw invalidValue(field, `whole numbers from ${INT32_MIN} to ${INT32_MAX}`)
  return number
}

/** A moment of UTC in RFC 3339. Historic zones with offsets in seconds are rounded to minutes. */
export function momentSql(moment: Sql, { zone }: Typed): Sql {
  if (zone === null) return sql`to_char(${moment}, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`
  const away = sql`date_trunc('minute', (m.at AT TIME ZONE 'UTC' AT TIME ZONE ${literal(zone)}) - m.at)`
  return sql`(SELECT to_char(m.at + o.away, 'YYYY-MM-DD"T"HH24:MI:SS') || CASE WHEN o.away < '0' THEN to_char(-o.away, '"-"HH24:MI') ELSE to_char(o.away, '"+"HH24:MI') END
    FROM (SELECT ${moment} AS at) AS m CROSS JOIN LATERAL (SELECT ${away} AS away) AS o)`
}

/** A number with at least `scale` digits after the point, and all that it has; `scale` may be NULL. */
export function decimalSql(value: Sql, scale: Sql): Sql {
  return sql`(SELECT round(d.n, GREATEST(scale(trim_scale(d.n)), d.s))::text FROM (SELECT COALESCE(${value}, 0)::numeric AS n, ${scale}::int AS s) AS d)`
}

/** `YYYY-MM-DD HH:MM:SS` of UTC in RFC 3339. */
function momentText(moment: string, { zone }: Typed): string {
  if (zone === null) return `${moment.slice(0, 10)}T${moment.slice(11, 19)}Z`
  const at = Date.parse(`${moment.slice(0, 10)}T${moment.slice(11, 19)}Z`)
  const away = Math.trunc(IANAZone.create(zone).offset(at))
  const [hours, minutes] = [Math.trunc(Math.abs(away) / 60), Math.abs(away) % 60]
  const two = (number: number) => String(number).padStart(2, '0')
  const local = new Date(at + away * 60_000).toISOString().slice(0, 19)
  return `${local}${away < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`
}

export function decimalText(value: number, scale: number): string {
  const plain = /e/.test(String(value))
    ? value.toFixed(Math.max(scale, 20)).replace(/0+$/, '')
    : String(value)
  const [whole = '0', digits = ''] = plain.split('.')
  const all = digits.padEnd(scale, '0')
  return all ? `${whole}.${all}` : whole
}

/** The typed form of a documented value; readers convert records and amounts. */
export function typedValue(field: FieldDef, wire: unknown, typed: Typed): unknown {
  if (wire === false || wire === null || wire === undefined)
    return unsetIn(field, typed) === null ? null : wire
  return field.type.typedAs === 'moment' && typeof wire === 'string' ? momentText(wire, typed) : wire
}

const RFC3339 = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.\d{1,9})?([Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/

/** RFC 3339 with any offset as `YYYY-MM-DD HH:MM:SS` of UTC; other text as it is. */
function utcOf(text: string): string {
  const [, day, time, zone, sign, hours, minutes] = RFC3339.exec(text) ?? []
  if (!zone || !isMoment(`${day} ${time}`)) return text
  const away = sign ? (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1) : 0
  const at = new Date(Date.parse(`${day}T${time}Z`) - away * 60_000)
  const year = at.getUTCFullYear()
  return year < 1 || year > 9999 ? text : at.toISOString().slice(0, 19).replace('T', ' ')
}

/** Converts a value in typed form to the documented form; other values are returned as they are. */
export function untyped(field: FieldDef, value: unknown): unknown {
  const { typedAs } = field.type
  if (typedAs === 'moment') return typeof value === 'string' ? utcOf(value) : value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { id, model } = value as { id?: unknown; model?: unknown }
  if (typedAs === 'record' && id !== undefined) return id
  return typedAs === 'reference' && typeof model === 'string' && id !== undefined ? `${model},${id}` : value
}

/**
 * Decimal places of a number: those of its field, or of its record's currency. Null for numbers without
 * any, NULL where the record has no currency.
 */
export function decimalsOf(scope: Scope, field: FieldDef): Sql | null {
  if (field.kind !== 'monetary') {
    const digits = digitsOf(field)
    return digits ? literal(String(digits[1])) : null
  }
  const currency = scope.model.fields.get(currencyOf(field))
  if (currency?.kind !== 'many2one' || !scope.value(currency)) return raw('NULL')
  return sql`scale(trim_scale(${scope.join(currency).column('rounding')}))`
}
