// The refusal of a condition, which contains the condition itself, cut to a readable length.
import { InvalidValue } from '../../errors.ts'
import { shown } from '../../kit/text.ts'
import type { Leaf } from '../language/tree.ts'

/** The error for a condition as it was written, whatever it is. */
export function refusedSource(source: unknown, why: string): InvalidValue {
  return new InvalidValue(`Invalid domain condition ${shown(source)}: ${why}`)
}

/** The error for a parsed condition. */
export function invalidCondition(leaf: Leaf, why: string): InvalidValue {
  return refusedSource([leaf.path.join('.'), leaf.operator, isTreeLike(leaf.value) ? '…' : leaf.value], why)
}

function isTreeLike(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
