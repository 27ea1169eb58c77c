// Parsing of domains: prefix logic, arity and spellings; purely by form, without a model (spec/models-api.md section 2).
import { InvalidValue } from '../../errors.ts'
import { operatorNamed, senseOf } from './operators.ts'
import { refusedSource } from './refusal.ts'
import { all, always, anyOf, type Leaf, leaf, not, type Tree } from './tree.ts'

/** Operands, operators and conditions of one domain, sub-domains included. */
const MAX_SIZE = 10_000
/** Levels of logic and of sub-domains: each is a level of brackets in SQL. */
const MAX_DEPTH = 200

interface Budget {
  left: number
}

/** A tree under construction: children are gathered before they are frozen, so that thousands of `&` in a row stay flat. */
interface Node {
  readonly tree: Tree | null
  readonly kind: '&' | '|' | null
  readonly children: Node[]
  readonly depth: number
}

/** The tree of a domain given as a list. Throws InvalidValue that names what does not fit. */
export function parseDomain(source: unknown): Tree {
  return build(parse(source, 0, { left: MAX_SIZE }))
}

function parse(source: unknown, depth: number, budget: Budget): Node {
  if (!Array.isArray(source)) throw refusedSource(source, 'a domain is a list')
  budget.left -= source.length
  if (budget.left < 0) throw new InvalidValue(`Invalid domain: more than ${MAX_SIZE} conditions and operators`)
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
  while (whole && stack.length) whole = joined('&', whole, stack.pop() as Node)
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

/** One condition: a list of exactly path, operator and value. */
function condition(item: unknown, depth: number, budget: Budget): Node {
  if (!Array.isArray(item)) throw refusedSource(item, 'a condition is a list of path, operator and value; operators are "&", "|" and "!"')
  if (item.length !== 3) throw refusedSource(item, 'a condition has exactly three parts')
  const [path, name, value] = item as [unknown, unknown, unknown]
  if ((path === 1 || path === 0) && name === '=' && value === 1) return single(always(path === 1))
  if (typeof path !== 'string' || path === '') throw refusedSource(item, 'the path must be a text')
  const steps = path.split('.')
  if (steps.includes('')) throw refusedSource(item, 'the path has an empty part')
  const operator = operatorNamed(name)
  if (operator === null) throw refusedSource(item, 'there is no such operator')
  limited(steps.length)
  if (senseOf(operator).positive !== 'any') return single(withValue(steps, operator, value, item))
  if (!Array.isArray(value)) throw refusedSource(item, 'a domain is expected on the right')
  const below = parse(value, limited(depth + 1), budget)
  return single(leaf(steps, operator, build(below)), limited(below.depth + 1))
}

/** The value in the one form that trees know: unset is false, `in` has a list, `=` has none. */
function withValue(steps: readonly string[], operator: string, value: unknown, item: unknown): Leaf {
  const { positive, negated } = senseOf(operator)
  if (positive === 'in') {
    const items = Array.isArray(value) ? value : value === false || value === null ? [] : [value]
    return leaf(steps, operator, list(items, item))
  }
  if (!Array.isArray(value)) {
    const one = scalar(value, item)
    if (positive.startsWith('=') && positive.endsWith('like') && one !== false && typeof one !== 'string') {
      throw refusedSource(item, 'a text is expected on the right')
    }
    return leaf(steps, operator, one)
  }
  if (positive === 'child_of' || positive === 'parent_of') return leaf(steps, operator, list(value, item))
  if (positive !== '=' && positive !== '=?') throw refusedSource(item, 'this operator takes no list')
  if (value.length === 0) return leaf(steps, operator, false)
  return leaf(steps, negated ? 'not in' : 'in', list(value, item))
}

function list(values: readonly unknown[], item: unknown): readonly unknown[] {
  return Object.freeze(values.map((value) => scalar(value, item)))
}

function scalar(value: unknown, item: unknown): string | number | boolean {
  if (value === null || value === undefined) return false
  if (typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value !== 'string') throw refusedSource(item, 'values are texts, numbers, true, false or null')
  // PostgreSQL has no NUL in texts: nothing stored could ever match.
  if (value.includes('\0')) throw refusedSource(item, 'a text has no NUL characters')
  return value
}
