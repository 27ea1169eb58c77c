// Functions for several field types: errors that name the field, conversion of values to numbers, wire
// JSON of columns.

import { InvalidValue, ValidationError } from '../../errors.ts'
import { flawOf } from '../../kit/text.ts'
import { literal, sql } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { FieldType } from '../language/field-type.ts'
import type { Typed } from '../language/preferences.ts'

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

/**
 * The wire form of unset. In the typed form it is null, except for numbers, lists and types without a
 * typed form.
 */
export const unsetIn = ({ type }: FieldDef, typed: Typed | null): FieldType['unset'] | null =>
  typed && type.unset === false && type.typedAs ? null : type.unset

/**
 * The error for a value. It names the expected type and never repeats the value, which may be a secret.
 */
export function invalidValue(field: FieldDef, expected: string): InvalidValue {
  return new InvalidValue(`Wrong value for ${nameOf(field)}: it takes ${expected}.`, {
    about: { model: field.model.name, field: field.name },
  })
}

/** `res.partner.name`, for messages. */
export function nameOf(field: FieldDef): string {
  return `${field.model.name}.${field.name}`
}

/** The text, checked. Throws InvalidValue if it cannot be stored. */
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

/** The error about an id that no record can have. */
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
