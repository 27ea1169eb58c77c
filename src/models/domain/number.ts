// Conditions on numbers, where unset is zero, on booleans, where unset is false, and on the id, which is
// never unset.

import { roundToScale } from '../../kit/rounding.ts'
import { decisive, FALSE, idList, or, raw, type Sql, sql, TRUE } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import { digitsOf } from '../language/field-options.ts'
import type { Leaf } from '../language/tree.ts'
import {
  type Compared,
  invalidCondition,
  isEquality,
  isLimit,
  isPattern,
  operandsOf,
  operators,
} from './operators.ts'
import { anyValue, comparePattern, isIndexed, LONG, whenSet } from './text.ts'

const isInt4 = (n: number): boolean => Number.isInteger(n) && Math.abs(n) <= 2147483647

/** Numbers of 32 bits are compared as such, so that an index serves; others as they are. */
const typeFor = (numbers: readonly number[]): string => (numbers.every(isInt4) ? 'int' : 'numeric')

/** integer, float, monetary, many2one_reference: 0 and unset are one. */
export function compareNumber(field: FieldDef, expression: Sql, operator: Compared, leaf: Leaf): Sql {
  if (isPattern(operator)) return comparePattern(sql`(${expression})::text`, operator, leaf, zero(expression))
  const integer = isInteger(field)
  const read = numberReader(field)
  const type = integer ? typeFor : () => (digitsOf(field) || field.kind === 'monetary' ? 'numeric' : 'float8')
  if (isLimit(operator)) {
    const number = read(leaf.value, leaf)
    const comparison = operators[operator]
    const compared = sql`${expression} ${raw(comparison.sql)} ${decisive(number)}::${raw(type([number]))}`
    return comparison.test(0, number)
      ? sql`(${compared} OR ${expression} IS NULL)`
      : whenSet(expression, compared)
  }
  const values = operandsOf(operator, leaf.value)
  const numbers = values.map((value) => read(value, leaf))
  if (numbers.length === 0) return FALSE
  const matching = anyValue(expression, numbers, type(numbers), isIndexed(field))
  return numbers.includes(0) ? sql`(${matching} OR ${expression} IS NULL)` : whenSet(expression, matching)
}

const isInteger = (field: FieldDef): boolean => field.type.comparison !== 'number' || field.kind === 'integer'

export function numberReader(field: FieldDef): (value: unknown, leaf: Leaf) => number {
  return isInteger(field) ? readInteger : (value, leaf) => rounded(readNumber(value, leaf), field)
}

const zero = (expression: Sql): Sql => sql`(${expression} = 0 OR ${expression} IS NULL)`

/** The record's own id: false never matches. */
export function compareId(expression: Sql, operator: Compared, leaf: Leaf): Sql {
  const { value } = leaf
  if (isPattern(operator)) return comparePattern(sql`(${expression})::text`, operator, leaf, FALSE)
  if (isLimit(operator)) {
    if (value === false) return FALSE
    const number = readInteger(value, leaf)
    return sql`(${expression} ${raw(operators[operator].sql)} ${number}::${raw(typeFor([number]))})`
  }
  const ids = operandsOf(operator, value)
    .filter((one) => one !== false)
    .map((one) => readInteger(one, leaf))
  const possible = ids.filter(isInt4)
  if (possible.length === 0) return FALSE
  return possible.length > 1 && possible.length <= LONG
    ? sql`(${expression} = ANY(${idList(possible)}))`
    : sql`(${anyValue(expression, possible, 'int', true)})`
}

/** Whole numbers, digits as text, true as 1, unset as 0. Throws InvalidValue for other text. */
export function readInteger(value: unknown, leaf: Leaf): number {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'string' && /^\s*[+-]?\d{1,15}\s*$/.test(value)) return Number(value)
  throw invalidCondition(leaf, 'a whole number is expected on the right')
}

/** Numbers, numeric text, true as 1, unset as 0. Throws InvalidValue for other text. */
function readNumber(value: unknown, leaf: Leaf): number {
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  if (typeof value === 'string' && /^\s*[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d{1,3})?\s*$/i.test(value)) {
    const number = Number(value)
    if (Number.isFinite(number)) return number
  }
  throw invalidCondition(leaf, 'a number is expected on the right')
}

/** To the digits of the field, as stored values are; amounts stay, as their currency is not known. */
function rounded(number: number, field: FieldDef): number {
  const digits = digitsOf(field)
  return digits ? roundToScale(number, digits[1]) : number
}

const truths: ReadonlySet<string> = new Set(['true', 't', 'yes', 'y', '1', 'on'])

/** Whether the right side of a boolean counts as true: numbers other than 0, and some words. */
export function readBoolean(value: unknown): boolean {
  return typeof value === 'string' ? truths.has(value.toLowerCase()) : Boolean(value)
}

/** Booleans: unset is false; order and patterns say nothing. */
export function compareBoolean(expression: Sql, operator: Compared, leaf: Leaf): Sql {
  if (!isEquality(operator)) throw invalidCondition(leaf, 'a boolean can only be compared for equality')
  const values = operandsOf(operator, leaf.value).map(readBoolean)
  if (values.includes(true) && values.includes(false)) return TRUE
  return or([
    values.includes(true) ? sql`${expression} IS TRUE` : FALSE,
    values.includes(false) ? sql`${expression} IS NOT TRUE` : FALSE,
  ])
}
