// Evaluates a syntax tree: it can reach the given names and nothing else.
import { expressionError } from './tokens.ts'
import type { Comparison, Node } from './tree.ts'
import { Attributes, compare, isDict, isNumber, isTrue } from './values.ts'

/** A function that expressions may call. */
type Callable = (...args: readonly unknown[]) => unknown

export type Names = Readonly<Record<string, unknown>>

/** Steps that one expression may take: a node is one, and so is each item that is copied or compared. */
const MOST_STEPS = 1_000_000

/** The variables of an expression, and the steps that it has left. */
interface Scope {
  readonly names: Names
  left: number
}

function step(scope: Scope, steps: number, at: number): void {
  scope.left -= steps
  if (scope.left < 0) throw expressionError('Too much work', at)
}

/**
 * The value of an expression: strings, numbers, booleans, null, arrays (lists and tuples) and plain objects
 * without a prototype.
 * Names are looked up in `names`, attributes in values of class Attributes, and only functions found there
 * are called.
 * Throws InvalidValue for unknown names, for operations that have no meaning and for more work than any rule
 * needs.
 */
export function evaluate(node: Node, names: Names): unknown {
  return resultOf(node, { names, left: MOST_STEPS })
}

function resultOf(node: Node, scope: Scope): unknown {
  step(scope, 1, node.at)
  switch (node.type) {
    case 'literal':
      return node.value
    case 'list':
      return node.items.map((item) => resultOf(item, scope))
    case 'dict':
      return dict(node.entries, scope)
    case 'name':
      if (!Object.hasOwn(scope.names, node.name))
        throw expressionError(`Unknown name "${node.name}"`, node.at)
      return scope.names[node.name]
    case 'attribute':
      return attribute(resultOf(node.of, scope), node.name, node.at)
    case 'item':
      return item(resultOf(node.of, scope), resultOf(node.index, scope), node.at)
    case 'call':
      return call(node, scope)
    case 'unary':
      return unary(node.operator, resultOf(node.of, scope), node.at)
    case 'arithmetic':
      return calculate(node, resultOf(node.left, scope), resultOf(node.right, scope), scope)
    case 'compare':
      return compareAll(node.first, node.rest, scope)
    case 'logic':
      return logic(node.operator, node.parts, scope)
    case 'conditional':
      return resultOf(isTrue(resultOf(node.test, scope)) ? node.then : node.otherwise, scope)
  }
}

function dict(entries: readonly (readonly [Node, Node])[], scope: Scope): Record<string, unknown> {
  const result: Record<string, unknown> = Object.create(null)
  for (const [keyNode, valueNode] of entries) {
    const key = resultOf(keyNode, scope)
    if (typeof key !== 'string' && typeof key !== 'number')
      throw expressionError('A key that is not a text', keyNode.at)
    result[String(key)] = resultOf(valueNode, scope)
  }
  return result
}

function attribute(of: unknown, name: string, at: number): unknown {
  const value = of instanceof Attributes ? of.read(name) : undefined
  if (value === undefined) throw expressionError(`Unknown attribute "${name}"`, at)
  return value
}

function item(of: unknown, index: unknown, at: number): unknown {
  if ((Array.isArray(of) || typeof of === 'string') && typeof index === 'number') {
    const value: unknown = of.at(index)
    if (Number.isInteger(index) && value !== undefined && index >= -of.length) return value
  } else if (
    isDict(of) &&
    (typeof index === 'string' || typeof index === 'number') &&
    Object.hasOwn(of, String(index))
  ) {
    return of[String(index)]
  }
  throw expressionError('No such item', at)
}

function call(node: Node & { type: 'call' }, scope: Scope): unknown {
  const callee = resultOf(node.of, scope)
  if (typeof callee !== 'function')
    throw expressionError('A call of something that is not a function', node.at)
  return (callee as Callable)(...node.args.map((arg) => resultOf(arg, scope)))
}

function unary(operator: '-' | '+' | 'not', value: unknown, at: number): unknown {
  if (operator === 'not') return !isTrue(value)
  if (!isNumber(value)) throw expressionError(`"${operator}" before something that is not a number`, at)
  return operator === '-' ? 0 - Number(value) : Number(value)
}

function calculate(
  { operator, at }: Node & { type: 'arithmetic' },
  left: unknown,
  right: unknown,
  scope: Scope,
): unknown {
  if (operator === '+') {
    step(scope, lengthOf(left) + lengthOf(right), at)
    if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right]
    if (typeof left === 'string' && typeof right === 'string') return left + right
  }
  if (!isNumber(left) || !isNumber(right))
    throw expressionError(`"${operator}" between values that do not fit it`, at)
  const [a, b] = [Number(left), Number(right)]
  if (b === 0 && (operator === '/' || operator === '//' || operator === '%'))
    throw expressionError('Division by zero', at)
  switch (operator) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '/':
      return a / b
    case '//':
      return Math.floor(a / b)
    case '%':
      // The sign of the divisor, as in Python.
      return ((a % b) + b) % b
  }
}

/** `a < b < c` holds when each neighbouring pair does. */
function compareAll(first: Node, rest: readonly (readonly [Comparison, Node])[], scope: Scope): boolean {
  let left = resultOf(first, scope)
  for (const [operator, node] of rest) {
    const right = resultOf(node, scope)
    step(scope, lengthOf(left) + lengthOf(right), node.at)
    if (!compare(operator, left, right, node.at)) return false
    left = right
  }
  return true
}

/** The first part that decides, unchanged; else the last one. */
function logic(operator: 'and' | 'or', parts: readonly Node[], scope: Scope): unknown {
  let value: unknown
  for (const part of parts) {
    value = resultOf(part, scope)
    if (isTrue(value) === (operator === 'or')) return value
  }
  return value
}

/** Items or characters of a value. */
const lengthOf = (value: unknown): number =>
  Array.isArray(value) || typeof value === 'string' ? value.length : 1
