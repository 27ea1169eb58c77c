// Tokens to a frozen tree: a Pratt parser of Python's expressions without lambdas, comprehensions, slices and
// assignments.
import { present } from '../present.ts'
import { expressionError, type Token, tokenize } from './tokens.ts'
import type { Arithmetic, Comparison, Node } from './tree.ts'

const MAX_LENGTH = 100_000
const MAX_DEPTH = 100
const MAX_CHAIN = 200
/** Characters of expressions whose trees are kept: a tree takes some fifty times as many bytes. */
const CACHED = 500_000

/** Binding powers of operators, loosest first. */
const power = { conditional: 1, or: 2, and: 3, not: 4, compare: 5, add: 6, multiply: 7, sign: 8, postfix: 9 }
const arithmetic: ReadonlyMap<string, number> = new Map([
  ...(['+', '-'] as const).map((o) => [o, power.add] as const),
  ...(['*', '/', '//', '%'] as const).map((o) => [o, power.multiply] as const),
])
const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=', 'in', 'is', 'not'])

const cache = new Map<string, Node>()
let cached = 0

/** Throws InvalidValue for a text that is too long to be read, blanks around it included. */
export function assertReadable(text: string): void {
  if (text.length > MAX_LENGTH) throw expressionError('Too long a text', MAX_LENGTH)
}

/**
 * The tree of an expression, the same one for the same text. Throws InvalidValue with the position of what
 * cannot be read.
 */
export function parseExpression(text: string): Node {
  const cachedNode = cache.get(text)
  if (cachedNode) return cachedNode
  assertReadable(text)
  const node = new Parser(tokenize(text)).whole()
  cache.set(text, node)
  cached += text.length
  for (const oldest of cache.keys()) {
    if (cached <= CACHED) break
    cache.delete(oldest)
    cached -= oldest.length
  }
  return node
}

class Parser {
  readonly #tokens: readonly Token[]
  #index = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  whole(): Node {
    const node = this.#expression(0)
    if (this.#next.kind !== 'end') throw this.#unexpected()
    return node
  }

  get #next(): Token {
    return present(this.#tokens[this.#index])
  }

  #unexpected(): Error {
    const { kind, text, at } = this.#next
    return expressionError(
      `Unexpected ${kind === 'string' ? 'text' : kind === 'end' ? text : `"${text}"`}`,
      at,
    )
  }

  #take(): Token {
    return present(this.#tokens[this.#index++])
  }

  #sees(text: string): boolean {
    return this.#next.text === text && (this.#next.kind === 'operator' || this.#next.kind === 'keyword')
  }

  #skip(text: string): boolean {
    const seen = this.#sees(text)
    if (seen) this.#index++
    return seen
  }

  #expect(text: string): void {
    if (!this.#skip(text)) throw this.#unexpected()
  }

  /** An expression of operators that bind tighter than `floor`. */
  #expression(floor: number): Node {
    if (++this.#depth > MAX_DEPTH) throw expressionError('Too deep a nesting', this.#next.at)
    let node = this.#prefix()
    for (let chain = 0; ; chain++) {
      if (chain > MAX_CHAIN) throw expressionError('Too long a chain', this.#next.at)
      const longer = this.#continue(node, floor)
      if (!longer) break
      node = Object.freeze(longer)
    }
    this.#depth--
    return node
  }

  #prefix(): Node {
    const token = this.#take()
    const { kind, text, at } = token
    if (kind === 'number') return Object.freeze({ type: 'literal', value: present(token.value), at })
    if (kind === 'string') return this.#strings(token)
    if (kind === 'name') return Object.freeze({ type: 'name', name: text, at })
    switch (text) {
      case 'True':
      case 'False':
        return Object.freeze({ type: 'literal', value: text === 'True', at })
      case 'None':
        return Object.freeze({ type: 'literal', value: null, at })
      case 'not':
        return Object.freeze({ type: 'unary', operator: 'not', of: this.#expression(power.not - 1), at })
      case '-':
      case '+':
        return Object.freeze({ type: 'unary', operator: text, of: this.#expression(power.sign), at })
      case '(':
        return this.#parenthesis(at)
      case '[':
        return this.#list(this.#items(']'), at)
      case '{':
        return this.#dict(at)
    }
    this.#index--
    throw this.#unexpected()
  }

  /** Neighbouring literals are one text. */
  #strings(first: Token): Node {
    let value = first.text
    while (this.#next.kind === 'string') value += this.#take().text
    return Object.freeze({ type: 'literal', value, at: first.at })
  }

  #list(items: readonly Node[], at: number): Node {
    return Object.freeze({ type: 'list', items: Object.freeze(items), at })
  }

  #items(close: string): Node[] {
    const items: Node[] = []
    while (!this.#skip(close)) {
      items.push(this.#expression(0))
      if (!this.#sees(close)) this.#expect(',')
    }
    return items
  }

  /** A tuple, or one expression in parentheses. */
  #parenthesis(at: number): Node {
    if (this.#skip(')')) return this.#list([], at)
    const first = this.#expression(0)
    if (this.#skip(')')) return first
    this.#expect(',')
    return this.#list([first, ...this.#items(')')], at)
  }

  #dict(at: number): Node {
    const entries: (readonly [Node, Node])[] = []
    while (!this.#skip('}')) {
      const key = this.#expression(0)
      this.#expect(':')
      entries.push(Object.freeze([key, this.#expression(0)]))
      if (!this.#sees('}')) this.#expect(',')
    }
    return Object.freeze({ type: 'dict', entries: Object.freeze(entries), at })
  }

  /** `left` with what follows it, or null when that binds no tighter than `floor`. */
  #continue(left: Node, floor: number): Node | null {
    const { kind, text, at } = this.#next
    if (kind !== 'operator' && kind !== 'keyword') return null
    const weight = arithmetic.get(text)
    if (weight !== undefined) {
      if (weight <= floor) return null
      this.#take()
      return { type: 'arithmetic', operator: text as Arithmetic, left, right: this.#expression(weight), at }
    }
    if (comparisons.has(text)) return power.compare > floor ? this.#comparison(left, at) : null
    if (text === 'and' || text === 'or') return power[text] > floor ? this.#logic(left, text, at) : null
    if (text === 'if') return power.conditional > floor ? this.#conditional(left, at) : null
    return this.#postfix(left, text, at)
  }

  #comparison(first: Node, at: number): Node {
    const rest: (readonly [Comparison, Node])[] = []
    while (
      comparisons.has(this.#next.text) &&
      (this.#next.kind === 'operator' || this.#next.kind === 'keyword')
    ) {
      let operator = this.#take().text
      if (operator === 'not') {
        this.#expect('in')
        operator = 'not in'
      } else if (operator === 'is' && this.#skip('not')) operator = 'is not'
      rest.push(Object.freeze([operator as Comparison, this.#expression(power.compare)]))
    }
    return { type: 'compare', first, rest: Object.freeze(rest), at }
  }

  #logic(first: Node, operator: 'and' | 'or', at: number): Node {
    const parts = [first]
    while (this.#skip(operator)) parts.push(this.#expression(power[operator]))
    return { type: 'logic', operator, parts: Object.freeze(parts), at }
  }

  #conditional(then: Node, at: number): Node {
    this.#expect('if')
    const test = this.#expression(power.conditional)
    this.#expect('else')
    return { type: 'conditional', test, then, otherwise: this.#expression(0), at }
  }

  #postfix(of: Node, text: string, at: number): Node | null {
    if (text !== '.' && text !== '[' && text !== '(') return null
    this.#take()
    if (text === '(') return { type: 'call', of, args: Object.freeze(this.#items(')')), at }
    if (text === '[') {
      const index = this.#expression(0)
      this.#expect(']')
      return { type: 'item', of, index, at }
    }
    if (this.#next.kind !== 'name') throw this.#unexpected()
    return { type: 'attribute', of, name: this.#take().text, at }
  }
}
