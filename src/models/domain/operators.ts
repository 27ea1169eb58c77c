// Operators of conditions: their spellings, and every negative one as the complement of a positive one.

import { present } from '../../kit/present.ts'

/** Operators that a comparison has to know; negative ones are complements of these. */
export type Positive =
  | '='
  | 'in'
  | '=?'
  | '<'
  | '<='
  | '>'
  | '>='
  | 'like'
  | 'ilike'
  | '=like'
  | '=ilike'
  | 'child_of'
  | 'parent_of'
  | 'any'

interface Sense {
  readonly positive: Positive
  readonly negated: boolean
}

const positives: readonly Positive[] = [
  '=',
  'in',
  '=?',
  '<',
  '<=',
  '>',
  '>=',
  'like',
  'ilike',
  '=like',
  '=ilike',
  'child_of',
  'parent_of',
  'any',
]
const negatives: Readonly<Record<string, Positive>> = {
  '!=': '=',
  'not in': 'in',
  'not like': 'like',
  'not ilike': 'ilike',
  'not =like': '=like',
  'not =ilike': '=ilike',
  'not any': 'any',
}
const spellings: Readonly<Record<string, string>> = { '==': '=', '<>': '!=' }

const senses = new Map<string, Sense>([
  ...positives.map((positive): [string, Sense] => [positive, { positive, negated: false }]),
  ...Object.entries(negatives).map(([operator, positive]): [string, Sense] => [
    operator,
    { positive, negated: true },
  ]),
])

/**
 * The operator as trees hold it, or null when there is none of that name. Upper case is taken as lower case,
 * spaces are not trimmed.
 */
export function operatorNamed(name: unknown): string | null {
  if (typeof name !== 'string') return null
  const lower = name.toLowerCase()
  const operator = Object.hasOwn(spellings, lower) ? present(spellings[lower]) : lower
  return senses.has(operator) ? operator : null
}

/** All operators, as refusals name them. */
export const operatorNames: readonly string[] = [...senses.keys()]

/** What an operator of a tree asks, and whether its complement is meant. */
export function senseOf(operator: string): Sense {
  const sense = senses.get(operator)
  if (!sense) throw new Error(`No such operator: ${operator}`)
  return sense
}

export const isPattern = (operator: Positive): operator is 'like' | 'ilike' | '=like' | '=ilike' =>
  operator.endsWith('like')
export const isOrder = (operator: Positive): operator is '<' | '<=' | '>' | '>=' =>
  operator[0] === '<' || operator[0] === '>'
export const isHierarchy = (operator: Positive): operator is 'child_of' | 'parent_of' =>
  operator.endsWith('_of')

/** What a value is compared with: the members of a list, which stands beside `in`, or the one value. */
export const operandsOf = (operator: string, value: unknown): readonly unknown[] =>
  operator === 'in' ? (value as readonly unknown[]) : [value]
