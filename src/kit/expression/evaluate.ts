// A tree to a value: what the names stand for is given, and nothing else can be reached.
import { wrong } from './tokens.ts'
import type { Arithmetic, Comparison, Node } from './tree.ts'
import { Attributes, compare, isDict, isNumber, isTrue } from './values.ts'

/** A function that expressions may call. */
type Callable = (...args: readonly unknown[]) => unknown

export type Names = Readonly<Record<string, unknown>>

/**
 * The value of an expression: strings, numbers, booleans, null, arrays (lists and tuples) and plain objects without a prototype.
 * Names are looked up in `names`, attributes in values of class Attributes, and only functions found there are called.
 * Throws InvalidValue for unknown names and operations that have no meaning.
 */
export function evaluate(node: Node, names: Names): unknown {
  switch (node.type) {
    case 'literal':
      return node.value
    case 'list':
      return node.items.map((item) => evaluate(item, names))
    case 'dict':
      return dict(node.entries, names)
    case 'name':
      if (!Object.hasOwn(names, node.name)) throw wrong(`Unknown name "${node.name}"`, node.at)
      return names[node.name]
    case 'attribute':
      return attribute(evaluate(node.of, names), node.name, node.at)
    case 'item':
      return item(evaluate(node.of, names), evaluate(node.index, names), node.at)
    case 'call':
      return call(node, names)
    case 'unary':
      return unary(node.operator, evaluate(node.of, names), node.at)
    case 'arithmetic':
      return calculate(node.operator, evaluate(node.left, names), evaluate(node.right, names), node.at)
    case 'compare':
      return compareAll(node.first, node.rest, names)
    case 'logic':
      return logic(node.operator, node.parts, names)
    case 'conditional':
      return evaluate(isTrue(evaluate(node.test, names)) ? node.then : node.otherwise, names)
  }
}

function dict(entries: readonly (readonly [Node, Node])[], names: Names): Record<string, unknown> {
  const result: Record<string, unknown> = Object.create(null)
  for (const [keyNode, valueNode] of entries) {
    const key = evaluate(keyNode, names)
    if (typeof key !== 'string' && typeof key !== 'number') throw wrong('A key that is no text', keyNode.at)
    result[String(key)] = evaluate(valueNode, names)
  }
  return result
}

function attribute(of: unknown, name: string, at: number): unknown {
  const value = of instanceof Attributes ? of.read(name) : undefined
  if (value === undefined) throw wrong(`Unknown attribute "${name}"`, at)
  return value
}

function item(of: unknown, index: unknown, at: number): unknown {
  if ((Array.isArray(of) || typeof of === 'string') && typeof index === 'number') {
    const value: unknown = of.at(index)
    if (Number.isInteger(index) && value !== undefined && index >= -of.length) return value
  } else if (isDict(of) && (typeof index === 'string' || typeof index === 'number') && Object.hasOwn(of, String(index))) {
    return of[String(index)]
  }
  throw wrong('No such item', at)
}

function call(node: Node & { type: 'call' }, names: Names): unknown {
  const callee = evaluate(node.of, names)
  if (typeof callee !== 'function') throw wrong('A call of something that is no function', node.at)
  return (callee as Callable)(...node.args.map((arg) => evaluate(arg, names)))
}

function unary(operator: '-' | '+' | 'not', value: unknown, at: number): unknown {
  if (operator === 'not') return !isTrue(value)
  if (!isNumber(value)) throw wrong(`"${operator}" before something that is no number`, at)
  return operator === '-' ? 0 - Number(value) : Number(value)
}

function calculate(operator: Arithmetic, left: unknown, right: unknown, at: number): unknown {
  if (operator === '+') {
    if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right]
    if (typeof left === 'string' && typeof right === 'string') return left + right
  }
  if (!isNumber(left) || !isNumber(right)) throw wrong(`"${operator}" between values that do not fit it`, at)
  const [a, b] = [Number(left), Number(right)]
  if (b === 0 && (operator === '/' || operator === '//' || operator === '%')) throw wrong('Division by zero', at)
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
function compareAll(first: Node, rest: readonly (readonly [Comparison, Node])[], names: Names): boolean {
  let left = evaluate(first, names)
  for (const [operator, node] of rest) {
    const right = evaluate(node, names)
    if (!compare(operator, left, right, node.at)) return false
    left = right
  }
  return true
}

/** The first part that decides, as it is; the last one when none does. */
function logic(operator: 'and' | 'or', parts: readonly Node[], names: Names): unknown {
  let value: unknown
  for (const part of parts) {
    value = evaluate(part, names)
    if (isTrue(value) === (operator === 'or')) return value
  }
  return value
}
