// Conditions on single values as functions: what `compareText`, `compareNumber` and the others say in SQL,
// said in memory.

import { DateTime } from 'luxon'
import { present } from '../../kit/present.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Leaf } from '../language/tree.ts'
import { partOf } from './date-part.ts'
import { readDay, readMoment, stamp } from './dates.ts'
import { compareTexts, likeTest } from './like.ts'
import { holds, numberReader, readBoolean, readInteger } from './number.ts'
import { isOrder, isPattern, operandsOf, type Positive } from './operators.ts'
import { operandOf } from './ordered.ts'
import { refused } from './refusal.ts'
import { asText } from './text.ts'

/** Judges a value as code sees it: null or undefined where unset. */
export type Test = (value: unknown) => boolean

const never: Test = () => false
const always: Test = () => true
const unset: Test = (value) => value === null || value === undefined
const items = (operator: Positive, leaf: Leaf): readonly unknown[] => operandsOf(operator, leaf.value)

/** The test for a field of the record itself. Throws InvalidValue as compiling to SQL does. */
export function testFor(env: Environment, field: FieldDef, operator: Positive, leaf: Leaf): Test {
  if (leaf.path.length > 1) return partTest(env, field, operator, leaf)
  if (field.name === 'id') return idTest(operator, leaf)
  switch (field.type.comparison) {
    case 'text':
      return textTest(operator, leaf)
    case 'selection':
    case 'reference':
      return keyTest(operator, leaf)
    case 'number':
    case 'integerReference':
      return numberTest(field, operator, leaf)
    case 'boolean':
      return booleanTest(operator, leaf)
    case 'date':
      return dateTest(env, operator, leaf)
    case 'datetime':
      return momentTest(env, operator, leaf)
    case 'ordered':
      return orderedTest(field, operator, leaf)
    case 'presence':
      return presenceTest(operator, leaf)
    default:
      if (operator === '=' && leaf.value === false) return unset
      throw refused(leaf, `${field.kind} fields are only compared with false`)
  }
}

export function textTest(operator: Positive, leaf: Leaf): Test {
  if (isPattern(operator)) return patternTest(operator, leaf, (value) => unset(value) || value === '')
  if (operator === '=' || operator === 'in') {
    const texts = new Set(items(operator, leaf).map((value) => asText(value, leaf)))
    return (value) => texts.has(String(value ?? ''))
  }
  if (!isOrder(operator)) throw refused(leaf, 'the operator is not for texts')
  const text = asText(leaf.value, leaf)
  return (value) => holds(compareTexts(String(value ?? ''), text), operator, 0)
}

function keyTest(operator: Positive, leaf: Leaf): Test {
  if (isPattern(operator)) return patternTest(operator, leaf, unset)
  if (operator === '=' || operator === 'in') {
    const keys = new Set(items(operator, leaf).map((key) => (key === false ? null : String(key))))
    return (value) => keys.has(unset(value) ? null : String(value))
  }
  if (!isOrder(operator)) throw refused(leaf, 'the operator is not for keys')
  if (leaf.value === false) return never
  const key = String(leaf.value)
  return (value) => !unset(value) && holds(compareTexts(String(value), key), operator, 0)
}

/** The empty pattern is met by every value, by whole-text forms only where there is none. */
function patternTest(operator: 'like' | 'ilike' | '=like' | '=ilike', leaf: Leaf, empty: Test): Test {
  if (leaf.value === false || leaf.value === '') return operator[0] === '=' ? empty : always
  const matches = likeTest(operator, String(leaf.value))
  return (value) => !unset(value) && matches(String(value))
}

function numberTest(field: FieldDef, operator: Positive, leaf: Leaf): Test {
  if (isPattern(operator)) return patternTest(operator, leaf, (value) => !value)
  const read = numberReader(field)
  if (isOrder(operator)) {
    const number = read(leaf.value, leaf)
    return (value) => holds(Number(value ?? 0), operator, number)
  }
  const numbers = new Set(items(operator, leaf).map((value) => read(value, leaf)))
  return (value) => numbers.has(Number(value ?? 0))
}

function idTest(operator: Positive, leaf: Leaf): Test {
  if (isPattern(operator)) return patternTest(operator, leaf, never)
  if (isOrder(operator)) {
    if (leaf.value === false) return never
    const number = readInteger(leaf.value, leaf)
    return (value) => holds(value as number, operator, number)
  }
  const ids = new Set(
    items(operator, leaf)
      .filter((one) => one !== false)
      .map((one) => readInteger(one, leaf)),
  )
  return (value) => ids.has(value as number)
}

function booleanTest(operator: Positive, leaf: Leaf): Test {
  if (operator !== '=' && operator !== 'in') throw refused(leaf, 'a boolean is only compared for equality')
  const truths = new Set(items(operator, leaf).map(readBoolean))
  return (value) => truths.has(Boolean(value))
}

function dateTest(env: Environment, operator: Positive, leaf: Leaf): Test {
  if (isPattern(operator)) return patternTest(operator, leaf, unset)
  if (isOrder(operator)) {
    if (leaf.value === false) return never
    const day = readDay(env, leaf.value, leaf)
    return (value) => !unset(value) && holds(compareTexts(String(value), day), operator, 0)
  }
  const days = new Set(
    items(operator, leaf).map((value) => (value === false ? null : readDay(env, value, leaf))),
  )
  return (value) => days.has(unset(value) ? null : String(value))
}

function momentTest(env: Environment, operator: Positive, leaf: Leaf): Test {
  if (isPattern(operator)) return patternTest(operator, leaf, unset)
  if (isOrder(operator)) {
    if (leaf.value === false) return never
    const { at, day } = readMoment(env, leaf.value, leaf)
    const after = operator === '<=' || operator === '>'
    const limit = stamp(after ? at.plus(day ? { days: 1 } : { seconds: 1 }) : at)
    const late = operator === '>' || operator === '>='
    return (value) => !unset(value) && String(value) >= limit === late
  }
  const moments = new Set(
    items(operator, leaf).map((value) => (value === false ? null : stamp(readMoment(env, value, leaf).at))),
  )
  return (value) => moments.has(unset(value) ? null : String(value))
}

function orderedTest(field: FieldDef, operator: Positive, leaf: Leaf): Test {
  if (isPattern(operator)) return patternTest(operator, leaf, unset)
  if (isOrder(operator)) {
    if (leaf.value === false) return never
    const operand = operandOf(field, leaf.value, leaf)
    return (value) => !unset(value) && holds(compareTexts(String(value), operand), operator, 0)
  }
  const operands = new Set(
    items(operator, leaf).map((value) => (value === false ? null : operandOf(field, value, leaf))),
  )
  return (value) => operands.has(unset(value) ? null : String(value))
}

function presenceTest(operator: Positive, leaf: Leaf): Test {
  const values = operator === '=' || operator === 'in' ? items(operator, leaf) : [true]
  if (values.some((value) => value !== false))
    throw refused(leaf, 'the field is only compared with false: present or absent')
  return values.length ? unset : never
}

const parts: Readonly<Record<string, (at: DateTime) => number>> = {
  year_number: (at) => at.year,
  quarter_number: (at) => at.quarter,
  month_number: (at) => at.month,
  iso_week_number: (at) => at.weekNumber,
  day_of_year: (at) => at.ordinal,
  day_of_month: (at) => at.day,
  day_of_week: (at) => at.weekday % 7,
  hour_number: (at) => at.hour,
  minute_number: (at) => at.minute,
  second_number: (at) => at.second,
}

function partTest(env: Environment, field: FieldDef, operator: Positive, leaf: Leaf): Test {
  const { name, zone } = partOf(env, field, leaf)
  const part = present(parts[name])
  const number = (value: unknown) => part(DateTime.fromSQL(String(value), { zone: 'utc' }).setZone(zone))
  if (isOrder(operator)) {
    if (leaf.value === false) return never
    const wanted = readInteger(leaf.value, leaf)
    return (value) => !unset(value) && holds(number(value), operator, wanted)
  }
  if (operator !== '=' && operator !== 'in') throw refused(leaf, 'a part of a date is a number')
  const wanted = new Set(items(operator, leaf).map((one) => (one === false ? null : readInteger(one, leaf))))
  return (value) => wanted.has(unset(value) ? null : number(value))
}
