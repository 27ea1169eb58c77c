// Operands of conditions: which values of a condition are parameters of its statement, by field and operator,
// and what stands for them where a plan is made.
import { optionsOf } from '../domain/index.ts'
import { isEquality, isHierarchy, isPattern, operators, type Positive, senseOf } from '../domain/operators.ts'
import { keywordOf } from '../domain/text.ts'
import type { FieldDef } from '../language/definitions.ts'

/**
 * The types of values, which `wordFor` in request-keys.ts reads. For `literal`, only true, false, 0 and the
 * empty text have a shape, and they stand in the text.
 */
export type OperandKind =
  | 'text'
  | 'texts'
  | 'pattern'
  | 'id'
  | 'ids'
  | 'tree'
  | 'integer'
  | 'number'
  | 'day'
  | 'moment'
  | 'literal'

/** The way in which a condition compares a field. */
export interface Operand {
  readonly kind: OperandKind
  readonly field: FieldDef
  readonly operator: string
  readonly positive: Positive
  /** Parts of a pattern before and after its text. */
  readonly around: readonly string[]
  /** Whether letters of texts and patterns are folded: a pattern that has none is compared without it. */
  readonly folds: boolean
  /** Values that stand in the text of the statement. */
  readonly options: Readonly<Record<string, string>> | null
}

const TEXTS = ['text', 'texts', 'pattern'] as const
const IDS = ['id', 'ids'] as const

/** By the kind of field: how a value is read, a list, a pattern. Compiling refuses all others. */
const kinds: Readonly<
  Record<string, readonly [item: OperandKind, list?: OperandKind, pattern?: OperandKind]>
> = {
  char: TEXTS,
  text: TEXTS,
  selection: TEXTS,
  html: ['text', 'literal', 'pattern'],
  many2one: IDS,
  one2many: IDS,
  many2many: IDS,
  integer: ['integer', 'ids'],
  float: ['number'],
  monetary: ['number'],
  date: ['day'],
  datetime: ['moment'],
}

export function operandReader(field: FieldDef, operator: string): Operand {
  const { positive } = senseOf(operator)
  const isCompared = isEquality(positive) || positive === '=?'
  const [item, list, pattern] = kinds[field.kind] ?? ['literal']
  const kind = isHierarchy(positive)
    ? 'tree'
    : positive === 'in'
      ? list
      : isPattern(positive)
        ? pattern
        : item
  const around = isPattern(positive) ? operators[positive].around : []
  const folds = isPattern(positive) && operators[positive].sql === 'ILIKE'
  const options = isCompared ? optionsOf(field) : null
  return { kind: kind ?? 'literal', field, operator, positive, around, folds, options }
}

/** The smallest of the numbers that stand for numbers: few are as large. */
const MARK = 2_000_000_000
const DAY = 86_400_000

/** The n-th stand-in for a value of an operand: of its shape, and held by no other place of the statement. */
export function markFor({ kind, positive }: Operand, value: unknown, n: number): unknown {
  const mark = (item: unknown, at: number): unknown => {
    if (typeof item === 'number') return Math.sign(item) * (MARK + at)
    if (kind === 'day' || kind === 'moment') return new Date(at * DAY - 1e13).toISOString().slice(0, 10)
    const keyword = kind === 'pattern' && isPattern(positive) ? keywordOf(positive, String(item)) : 'ILIKE'
    // One that is compared in the same way.
    return { 'COLLATE "C" LIKE': `%7%${at}%7%`, LIKE: `~|${at}|~`, ILIKE: `\u2063${at}\u2063` }[keyword]
  }
  if (!Array.isArray(value)) return mark(value, n)
  const [first, ...more] = value as readonly unknown[]
  return more.length ? [mark(first, n), mark(first, n + MOST)] : [mark(first, n)]
}

/**
 * The most conditions of a domain that a plan is cached for: longer domains are rarely repeated, and
 * many conditions of one type are compiled as one.
 */
export const MOST = 50

/** The largest id, and the largest whole number of a column. */
export const INT4 = 2_147_483_647
