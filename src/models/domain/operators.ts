// Operators of conditions: what stands on the right of each, what it is in SQL and in memory, and which one
// is its complement.
import { InvalidValue } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import { shown } from '../../kit/text.ts'
import type { Operator } from '../language/records.ts'
import type { Leaf } from '../language/tree.ts'

/** Operators that a comparison has to know; negative ones are complements of these. */
export type Positive = Exclude<Operator, '!=' | `not ${string}`>

type Comparison =
  | { readonly operand: 'value' | 'list' | 'tree' | 'domain'; readonly complement?: Operator }
  | {
      readonly operand: 'limit'
      readonly sql: string
      readonly test: (value: number, limit: number) => boolean
      readonly complement?: Operator
    }
  | {
      readonly operand: 'pattern'
      readonly sql: 'LIKE' | 'ILIKE'
      /** Parts of the pattern before and after the given text. */
      readonly around: readonly [before: string, after: string]
      /** Whether that is the whole text: an empty pattern asks for unset values then. */
      readonly isWhole: boolean
      readonly complement?: Operator
    }

export const operators = {
  '=': { operand: 'value', complement: '!=' },
  in: { operand: 'list', complement: 'not in' },
  '=?': { operand: 'value' },
  '<': { operand: 'limit', sql: '<', test: (value, limit) => value < limit },
  '<=': { operand: 'limit', sql: '<=', test: (value, limit) => value <= limit },
  '>': { operand: 'limit', sql: '>', test: (value, limit) => value > limit },
  '>=': { operand: 'limit', sql: '>=', test: (value, limit) => value >= limit },
  like: { operand: 'pattern', sql: 'LIKE', around: ['%', '%'], isWhole: false, complement: 'not like' },
  ilike: { operand: 'pattern', sql: 'ILIKE', around: ['%', '%'], isWhole: false, complement: 'not ilike' },
  '=like': { operand: 'pattern', sql: 'LIKE', around: ['', ''], isWhole: true, complement: 'not =like' },
  '=ilike': { operand: 'pattern', sql: 'ILIKE', around: ['', ''], isWhole: true, complement: 'not =ilike' },
  child_of: { operand: 'tree' },
  parent_of: { operand: 'tree' },
  any: { operand: 'domain', complement: 'not any' },
} as const satisfies Readonly<Record<Positive, Comparison>>

/**
 * Patterns without letters, which match the same texts however these are folded: of ASCII characters alone,
 * and without `_`, as folding may change how many characters a text has.
 */
export const CASELESS = /^[ -@[-^`{-~]*$/

/** At most two letters or digits between wildcards: an index of three characters knows nothing of them. */
export const NO_TRIGRAM = /^%+(?:[0-9A-Za-z]{1,2}%+)+$/

type Named<O extends Comparison['operand']> = {
  [K in Positive]: (typeof operators)[K]['operand'] extends O ? K : never
}[Positive]
export type Pattern = Named<'pattern'>
export type Limit = Named<'limit'>
export type Hierarchy = Named<'tree'>
export type Equality = Exclude<Named<'value' | 'list'>, '=?'>
/** Operators that ask for something, whatever is given. */
export type Definite = Exclude<Positive, '=?'>
export type Compared = Equality | Limit | Pattern

interface Sense {
  readonly positive: Positive
  readonly negated: boolean
}

const spellings: Readonly<Record<string, string>> = { '==': '=', '<>': '!=' }

const positives = Object.keys(operators) as Positive[]
const negatives = positives.flatMap((positive): [string, Sense][] => {
  const { complement }: Comparison = operators[positive]
  return complement ? [[complement, { positive, negated: true }]] : []
})
const senses = new Map<string, Sense>([
  ...positives.map((positive): [string, Sense] => [positive, { positive, negated: false }]),
  ...negatives,
])

/** The operator as trees contain it, in lower case; null for an unknown name. */
export function operatorNamed(name: unknown): string | null {
  if (typeof name !== 'string') return null
  const lower = name.toLowerCase()
  const operator = Object.hasOwn(spellings, lower) ? present(spellings[lower]) : lower
  return senses.has(operator) ? operator : null
}

export const operatorNames: readonly string[] = [...senses.keys()]

export function senseOf(operator: string): Sense {
  const sense = senses.get(operator)
  if (!sense) throw new Error(`No such operator: ${operator}`)
  return sense
}

/** The operator for a value that is set: `=?` is an equality then. */
export const definite = (operator: Positive, value: unknown): Definite =>
  operator === '=?' ? (Array.isArray(value) ? 'in' : '=') : operator

export const isPattern = (operator: Positive): operator is Pattern =>
  operators[operator].operand === 'pattern'
export const isLimit = (operator: Positive): operator is Limit => operators[operator].operand === 'limit'
export const isHierarchy = (operator: Positive): operator is Hierarchy =>
  operators[operator].operand === 'tree'
export const isEquality = (operator: Positive): operator is Equality => operator === '=' || operator === 'in'

/** The values to compare with: the members of a list for `in`, otherwise the single value. */
export const operandsOf = (operator: string, value: unknown): readonly unknown[] =>
  operator === 'in' ? (value as readonly unknown[]) : [value]

// The refusal of a condition, which contains the condition itself, cut to a readable length.

/** The error for a condition as it was written, whatever it is. */
export function refusedSource(source: unknown, why: string): InvalidValue {
  return new InvalidValue(`Invalid domain condition ${shown(source)}: ${why}`)
}

export function invalidCondition(leaf: Leaf, why: string): InvalidValue {
  return refusedSource([leaf.path.join('.'), leaf.operator, isTreeLike(leaf.value) ? '…' : leaf.value], why)
}

function isTreeLike(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
