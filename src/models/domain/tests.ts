// Conditions on single values as functions: what `compareText`, `compareNumber` and the others say in SQL,
// said in memory.

import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Leaf } from '../language/tree.ts'
import { momentLimits, operandOf, readDay, readMoment, stamp } from './dates.ts'
import { numberReader, readBoolean, readInteger } from './number.ts'
import {
  type Compared,
  invalidCondition,
  isEquality,
  isLimit,
  isPattern,
  operandsOf,
  operators,
} from './operators.ts'
import { asText, compareTexts, likeTest } from './text.ts'

/** Judges a value as code sees it: null or undefined where unset. */
export type Test = (value: unknown) => boolean

const never: Test = () => false
const unset: Test = (value) => value === null || value === undefined

/** The comparison of values of a kind. */
interface Reading {
  /** The right side of a condition. Throws InvalidValue. */
  readonly read: (value: unknown, leaf: Leaf) => string | number
  /** The value that unset ones count as; else they equal only `false`, and have no place in the order. */
  readonly blank?: string | number
  /** The part of a set value that is compared; its text, unless this is given. */
  readonly of?: (value: unknown) => string | number
}

/** The test for a field of the record itself. Throws InvalidValue as compiling to SQL does. */
export function testFor(env: Environment, field: FieldDef, operator: Compared, leaf: Leaf): Test {
  if (field.name === 'id') return valueTest(operator, leaf, { read: readInteger, of: Number })
  switch (field.type.comparison) {
    case 'text':
      return textTest(operator, leaf)
    case 'selection':
    case 'reference':
      return valueTest(operator, leaf, { read: String })
    case 'number':
    case 'integerReference':
      return valueTest(operator, leaf, { read: numberReader(field), blank: 0, of: Number })
    case 'boolean':
      return booleanTest(operator, leaf)
    case 'date':
      return valueTest(operator, leaf, { read: (value) => readDay(env, value, leaf) })
    case 'datetime':
      return momentTest(env, operator, leaf)
    case 'ordered':
      return valueTest(operator, leaf, { read: (value) => operandOf(field, value, leaf) })
    case 'presence':
      return presenceTest(operator, leaf)
    default:
      if (operator === '=' && leaf.value === false) return unset
      throw invalidCondition(leaf, `${field.kind} fields can only be compared with false`)
  }
}

export const textTest = (operator: Compared, leaf: Leaf): Test =>
  valueTest(operator, leaf, { read: asText, blank: '' })

function valueTest(operator: Compared, leaf: Leaf, { read, blank, of = String }: Reading): Test {
  const stored = (value: unknown) => (unset(value) ? blank : of(value))
  if (isPattern(operator)) {
    // The empty pattern matches every value; in the forms for the whole text, only unset ones.
    if (leaf.value === false || leaf.value === '')
      return operators[operator].isWhole ? (value) => stored(value) === blank : () => true
    const matches = likeTest(operator, String(leaf.value))
    return (value) => !unset(value) && matches(String(value))
  }
  if (isEquality(operator)) {
    const wanted = new Set(
      operandsOf(operator, leaf.value).map((value) => (value === false ? blank : read(value, leaf))),
    )
    return (value) => wanted.has(stored(value))
  }
  if (leaf.value === false && blank === undefined) return never
  const limit = read(leaf.value, leaf)
  const { test } = operators[operator]
  return (value) => {
    const compared = stored(value)
    return compared !== undefined && test(order(compared, limit), 0)
  }
}

const order = (value: string | number, limit: string | number): number =>
  typeof value === 'number' && typeof limit === 'number'
    ? value - limit
    : compareTexts(String(value), String(limit))

function booleanTest(operator: Compared, leaf: Leaf): Test {
  if (!isEquality(operator)) throw invalidCondition(leaf, 'a boolean can only be compared for equality')
  const truths = new Set(operandsOf(operator, leaf.value).map(readBoolean))
  return (value) => truths.has(Boolean(value))
}

function momentTest(env: Environment, operator: Compared, leaf: Leaf): Test {
  if (!isLimit(operator) || leaf.value === false)
    return valueTest(operator, leaf, { read: (value) => stamp(readMoment(env, value, leaf).at) })
  const [limit = ''] = momentLimits(env, operator, leaf)
  const isLater = operator === '>' || operator === '>='
  return (value) => !unset(value) && String(value) >= limit === isLater
}

function presenceTest(operator: Compared, leaf: Leaf): Test {
  const values = isEquality(operator) ? operandsOf(operator, leaf.value) : [true]
  if (values.some((value) => value !== false))
    throw invalidCondition(leaf, 'the field can only be compared with false')
  return values.length ? unset : never
}
