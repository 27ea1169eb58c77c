// What several kinds have in common: refusals that name the field, reading numbers out of values, wire JSON
// of columns.

import { InvalidValue } from '../../errors.ts'
import { flawOf } from '../../kit/text.ts'
import { type Sql, sql } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { FieldType } from '../language/field-type.ts'
import type { Typed } from '../language/wishes.ts'

/** The largest number of a column of 32 bits, ids included. */
export const INT32_MAX = 2 ** 31 - 1
export const INT32_MIN = -(2 ** 31)

type Facts =
  | 'relation'
  | 'filled'
  | 'heldAsGiven'
  | 'plain'
  | 'measure'
  | 'groups'
  | 'isText'
  | 'expected'
  | 'ruleSample'

/** A value in a column of its own, which may be unset: what most kinds are. */
export const value: Pick<FieldType, Facts> = {
  relation: null,
  filled: false,
  heldAsGiven: true,
  plain: true,
  measure: 'value',
  groups: true,
  isText: false,
  expected: null,
  ruleSample: undefined,
}

/** Amounts: 0 where nothing was given, added up by groups. */
export const amount: typeof value = {
  ...value,
  filled: true,
  measure: 'number',
  expected: 'a number',
  ruleSample: 1,
}

/** What is only shown as a whole: no order, no groups, nothing to reckon. */
export const whole: typeof value = {
  ...value,
  heldAsGiven: false,
  plain: false,
  measure: null,
  groups: false,
}

/**
 * The refusal of a value. It says what the field takes and never repeats the value, which may be a secret.
 */
export function refusal(field: FieldDef, expected: string): InvalidValue {
  return new InvalidValue(`Wrong value for ${nameOf(field)}: it takes ${expected}.`, {
    about: { model: field.model.name, field: field.name },
  })
}

/** `res.partner.name`, for messages. */
export function nameOf(field: FieldDef): string {
  return `${field.model.name}.${field.name}`
}

/** The text itself. Throws InvalidValue when it cannot be stored. */
export function storableText(field: FieldDef, text: string): string {
  const flaw = flawOf(text)
  if (flaw) throw new InvalidValue(`Wrong value for ${nameOf(field)}: a text with ${flaw} cannot be stored.`)
  return text
}

const decimal = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i
const digits = /^\s*[+-]?\d+\s*$/

/**
 * A number out of numbers, numeric text and booleans; unset and empty text are 0 (spec/models-api.md section
 * 5, "Values"). Throws InvalidValue.
 */
export function numberFrom(field: FieldDef, value: unknown, whole: boolean): number {
  if (value === null || value === undefined || value === false || value === '') return 0
  const number = unquotedNumber(value, whole)
  if (typeof number !== 'number' || !Number.isFinite(number))
    throw refusal(field, whole ? 'whole numbers' : 'numbers')
  return number
}

/** The number that a text or true stands for where numbers are taken; everything else is what it was. */
export function unquotedNumber(value: unknown, whole: boolean): unknown {
  if (value === true) return 1
  return typeof value === 'string' && (whole ? digits : decimal).test(value) ? Number(value) : value
}

/**
 * Amounts and quantities are less than this: below it a binary number holds every cent, and so do the sums of
 * a day. The digits of a scanned barcode are more.
 */
const MOST = 1e12

/** A number of an amount. Throws InvalidValue for one that is too large to be told exactly. */
export function amountFrom(field: FieldDef, value: unknown): number {
  const number = numberFrom(field, value, false)
  if (number >= MOST || number <= -MOST) throw refusal(field, 'amounts of less than 1,000,000,000,000')
  return number
}

/** A whole number of 32 bits: fractions are cut off. Throws InvalidValue. */
export function integerFrom(field: FieldDef, value: unknown): number {
  // Adding zero makes a negative zero an ordinary one.
  const number = Math.trunc(numberFrom(field, value, true)) + 0
  if (number < INT32_MIN || number > INT32_MAX)
    throw refusal(field, `whole numbers from ${INT32_MIN} to ${INT32_MAX}`)
  return number
}

/** Wire JSON of a text as the driver gives it. */
export const writeText = (value: unknown, none: string): string =>
  value === null ? none : JSON.stringify(value)

/** Wire JSON of an id as the driver gives it. */
export const writeId = (value: unknown, none: string): string => (value === null ? none : String(value))

/** Wire JSON: the value, or false where it is NULL; of typed values nothing stays nothing. */
export function jsonOrFalse(expression: Sql, typed: Typed | null = null): Sql {
  return typed ? sql`to_json(${expression})` : sql`COALESCE(to_json(${expression}), 'false'::json)`
}

/** Wire JSON: the value, or 0 where it is NULL. */
export function jsonOrZero(expression: Sql): Sql {
  return sql`COALESCE(to_json(${expression}), '0'::json)`
}

/** Wire JSON: the list, or an empty one where it is NULL. */
export function jsonOrEmpty(expression: Sql): Sql {
  return sql`COALESCE(to_json(${expression}), '[]'::json)`
}

/** What code sees of most kinds: null where unset. */
export function orNull(_field: FieldDef, value: unknown): unknown {
  return value ?? null
}

/** The wire form of most kinds: false where unset. */
export function orFalse(_field: FieldDef, value: unknown): unknown {
  return value ?? false
}

/** Numbers are never unset in code or on the wire. */
export function orZero(_field: FieldDef, value: unknown): unknown {
  return value ?? 0
}
