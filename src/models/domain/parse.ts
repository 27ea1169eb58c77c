// Parsing of domains: prefix logic, arity and spellings; purely by form, without a model (spec/models-api.md
// section 2).

import { InvalidValue } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import { assertWithin, limits } from '../../limits.ts'
import { all, always, anyOf, type Leaf, leaf, not, type Tree } from '../language/tree.ts'
import {
  isPattern,
  operatorNamed,
  operatorNames,
  operators,
  type Pattern,
  refusedSource,
  senseOf,
} from './operators.ts'

/** Conditions and operators of one domain, sub-domains included; more where `terms` allows more. */
const MAX_SIZE = 10_000
/** Levels of logic and of sub-domains: each is a level of brackets in SQL. */
const MAX_DEPTH = 200
/** Characters of a path: names of fields are short. */
const MAX_PATH = 10_000

interface Budget {
  items: number
  terms: number
  listed: number
  compared: number
}

/** A tree under construction: children are gathered first, so that thousands of `&` stay flat. */
interface Node {
  readonly tree: Tree | null
  readonly kind: '&' | '|' | null
  readonly children: Node[]
  readonly depth: number
}

/** The tree of a domain. Throws InvalidValue that names what does not fit, PayloadTooLarge. */
export function parseDomain(source: unknown): Tree {
  return build(parse(source, 0, { items: 0, terms: 0, listed: 0, compared: 0 }))
}

function parse(source: unknown, depth: number, budget: Budget): Node {
  if (!Array.isArray(source)) throw refusedSource(source, 'a domain must be a list')
  budget.items += source.length
  const most = Math.max(MAX_SIZE, 2 * limits.terms)
  if (budget.items > most)
    throw new InvalidValue(`Invalid domain: more than ${most} conditions and operators`)
  const stack: Node[] = []
  for (let i = source.length - 1; i >= 0; i--) {
    const item: unknown = source[i]
    if (item === '!') stack.push(negation(operand(stack, item)))
    else if (item === '&' || item === '|') {
      const left = operand(stack, item)
      stack.push(joined(item, left, operand(stack, item)))
    } else stack.push(condition(item, depth, budget))
  }
  let whole = stack.pop()
  while (whole && stack.length) whole = joined('&', whole, present(stack.pop()))
  return whole ?? single(always(true))
}

function operand(stack: Node[], operator: string): Node {
  const node = stack.pop()
  if (!node) throw new InvalidValue(`Invalid domain: too few conditions after "${operator}"`)
  return node
}

const single = (tree: Tree, depth = 0): Node => ({ tree, kind: null, children: [], depth })

function negation(child: Node): Node {
  const tree = build(child)
  // Two in a row cancel out, and so does their depth.
  return single(not(tree), tree.type === 'not' ? child.depth - 1 : limited(child.depth + 1))
}

function joined(kind: '&' | '|', left: Node, right: Node): Node {
  if (left.kind === kind) {
    if (right.kind === kind) for (const child of right.children) left.children.push(child)
    else left.children.push(right)
    return { ...left, depth: limited(Math.max(left.depth, right.depth + 1)) }
  }
  if (right.kind === kind) {
    right.children.unshift(left)
    return { ...right, depth: limited(Math.max(right.depth, left.depth + 1)) }
  }
  return { tree: null, kind, children: [left, right], depth: limited(Math.max(left.depth, right.depth) + 1) }
}

function limited(depth: number): number {
  if (depth > MAX_DEPTH) throw new InvalidValue(`Invalid domain: nested more than ${MAX_DEPTH} deep`)
  return depth
}

function build(node: Node): Tree {
  if (node.tree) return node.tree
  const children = node.children.map(build)
  return node.kind === '&' ? all(children) : anyOf(children)
}

function condition(item: unknown, depth: number, budget: Budget): Node {
  if (!Array.isArray(item))
    throw refusedSource(
      item,
      'a condition must be a list of path, operator and value; operators are "&", "|" and "!"',
    )
  if (item.length !== 3) throw refusedSource(item, 'a condition must have exactly three parts')
  assertWithin('terms', ++budget.terms)
  const [path, name, value] = item as [unknown, unknown, unknown]
  if ((path === 1 || path === 0) && name === '=' && value === 1) return single(always(path === 1))
  if (typeof path !== 'string' || path === '') throw refusedSource(item, 'the path must be a text')
  if (path.length > MAX_PATH) throw refusedSource(item, 'the path is not the name of a field')
  const steps = path.split('.')
  if (steps.includes('')) throw refusedSource(item, 'the path has an empty part')
  const operator = operatorNamed(name)
  if (operator === null) throw refusedSource(item, `unknown operator; use ${operatorNames.join(', ')}`)
  limited(steps.length)
  if (senseOf(operator).positive !== 'any') return single(withValue(steps, operator, value, { item, budget }))
  if (!Array.isArray(value)) throw refusedSource(item, 'a domain is expected on the right')
  const below = parse(value, limited(depth + 1), budget)
  return single(leaf(steps, operator, build(below)), limited(below.depth + 1))
}

interface Place {
  readonly item: unknown
  readonly budget: Budget
}

/** The value in the one form that trees know: unset is false, `in` has a list, `=` has none. */
function withValue(steps: readonly string[], operator: string, value: unknown, place: Place): Leaf {
  const { positive, negated } = senseOf(operator)
  const { operand } = operators[positive]
  if (operand === 'list') {
    const items = Array.isArray(value) ? value : value === false || value === null ? [] : [value]
    return leaf(steps, operator, list(items, place))
  }
  if (!Array.isArray(value))
    return leaf(steps, operator, isPattern(positive) ? pattern(positive, value, place) : scalar(value, place))
  if (operand === 'tree') return leaf(steps, operator, list(value, place))
  if (operand !== 'value') throw refusedSource(place.item, 'this operator does not accept a list')
  if (value.length === 0) return leaf(steps, operator, false)
  return leaf(steps, negated ? 'not in' : 'in', list(value, place))
}

function list(values: readonly unknown[], place: Place): readonly unknown[] {
  place.budget.listed += values.length
  assertWithin('list', place.budget.listed)
  return Object.freeze(values.map((value) => scalar(value, place)))
}

/** The text that `like` and its forms compare with: those of the whole text accept only texts. */
function pattern(operator: Pattern, value: unknown, place: Place): string | number | boolean {
  const operand = scalar(value, place)
  if (typeof operand === 'string') assertWithin('pattern', operand.length)
  else if (operators[operator].isWhole && operand !== false)
    throw refusedSource(place.item, 'a text is expected on the right')
  return operand
}

function scalar(value: unknown, { item, budget }: Place): string | number | boolean {
  if (value === null || value === undefined) return false
  if (typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value !== 'string')
    throw refusedSource(item, 'values must be texts, numbers, true, false or null')
  budget.compared += value.length
  assertWithin('compared', budget.compared)
  // PostgreSQL has no NUL in texts: nothing stored could ever match.
  if (value.includes('\0')) throw refusedSource(item, 'a text must not contain NUL characters')
  return value
}
