// Values of expressions as Python sees them: truth, equality, order, membership.
import { expressionError } from './tokens.ts'
import type { Comparison } from './tree.ts'

/**
 * Something with attributes, such as the user in a rule. Only what `read` answers can be seen; undefined
 * means that there is no such thing.
 */
export class Attributes {
  readonly read: (name: string) => unknown
  /** Whether it counts as true: an empty record does not. */
  readonly truth: boolean

  constructor(read: (name: string) => unknown, truth = true) {
    this.read = read
    this.truth = truth
  }
}

/** Truth as Python sees it: empty things, zero and nothing are false. */
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  if (value instanceof Attributes) return value.truth
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0
  return Boolean(value)
}

export function compare(operator: Comparison, left: unknown, right: unknown, at: number): boolean {
  switch (operator) {
    case '==':
    case 'is':
      return equal(left, right)
    case '!=':
    case 'is not':
      return !equal(left, right)
    case 'in':
      return contains(right, left, at)
    case 'not in':
      return !contains(right, left, at)
  }
  const order = orderOf(left, right)
  if (order === null) throw expressionError(`"${operator}" between values without an order`, at)
  if (operator === '<') return order < 0
  if (operator === '<=') return order <= 0
  return operator === '>' ? order > 0 : order >= 0
}

function orderOf(left: unknown, right: unknown): number | null {
  if (isNumber(left) && isNumber(right)) return Number(left) - Number(right)
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0
  return null
}

/** Equality as Python sees it: `True == 1`, lists by their items. */
function equal(left: unknown, right: unknown): boolean {
  if (isNumber(left) && isNumber(right)) return Number(left) === Number(right)
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((v, i) => equal(v, right[i]))
  if (isDict(left) && isDict(right)) {
    const keys = Object.keys(left)
    return (
      keys.length === Object.keys(right).length &&
      keys.every((k) => Object.hasOwn(right, k) && equal(left[k], right[k]))
    )
  }
  return left === right
}

function contains(container: unknown, value: unknown, at: number): boolean {
  if (Array.isArray(container)) return container.some((item) => equal(item, value))
  if (typeof container === 'string' && typeof value === 'string') return container.includes(value)
  if (isDict(container))
    return (typeof value === 'string' || typeof value === 'number') && Object.hasOwn(container, String(value))
  throw expressionError('"in" something that holds nothing', at)
}

export function isNumber(value: unknown): value is number | boolean {
  return typeof value === 'number' || typeof value === 'boolean'
}

export function isDict(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Attributes)
  )
}
