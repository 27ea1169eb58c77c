// Types as the documentation spells them, in Python's way, read into a tree: `list[int] | None`. TypeScript
// and JSON Schemas are made of it.

/** A type, as far as JSON tells values apart. */
export type Annotation =
  | { readonly is: 'number' | 'integer' | 'string' | 'boolean' | 'null' | 'domain' | 'values' | 'unknown' }
  | { readonly is: 'literal'; readonly value: string | number | boolean }
  | { readonly is: 'list'; readonly of: Annotation }
  | { readonly is: 'tuple'; readonly items: readonly Annotation[] }
  | { readonly is: 'object'; readonly keys: readonly string[] | null; readonly values: Annotation }
  | { readonly is: 'union'; readonly of: readonly Annotation[] }

const UNKNOWN: Annotation = { is: 'unknown' }

/** The tree of an annotation. Unknown types and incomplete text become `unknown`. */
export function annotationIn(text: string): Annotation {
  const parser = new Parser(text)
  const annotation = parser.union()
  return parser.done ? annotation : UNKNOWN
}

const plain: Readonly<
  Record<
    string,
    Annotation['is'] & ('number' | 'integer' | 'string' | 'boolean' | 'null' | 'domain' | 'values')
  >
> = {
  int: 'integer',
  float: 'number',
  complex: 'number',
  Decimal: 'number',
  bool: 'boolean',
  str: 'string',
  bytes: 'string',
  date: 'string',
  datetime: 'string',
  None: 'null',
  DomainType: 'domain',
  Domain: 'domain',
  ValuesType: 'values',
}
const lists = new Set([
  'list',
  'List',
  'Sequence',
  'Iterable',
  'Iterator',
  'Collection',
  'set',
  'Set',
  'frozenset',
  'tuple',
  'Tuple',
])
const objects = new Set(['dict', 'Dict', 'Mapping', 'MutableMapping', 'defaultdict'])
/** Records are their ids. */
const records = new Set(['Self', 'BaseModel'])

/** Reads one annotation from left to right. */
class Parser {
  readonly #tokens: readonly string[]
  #at = 0

  constructor(text: string) {
    // A type in quotation marks is a type that Python sees later.
    this.#tokens = text.match(/'[^']*'|"[^"]*"|[\w.]+|\S/g) ?? []
  }

  get done(): boolean {
    return this.#at === this.#tokens.length
  }

  /** Types with `|` between them. */
  union(): Annotation {
    const parts = [this.#one()]
    while (this.#take('|')) parts.push(this.#one())
    return joined(parts)
  }

  #one(): Annotation {
    const token = this.#tokens[this.#at++] ?? ''
    if (/^['"]/.test(token)) return annotationIn(token.slice(1, -1))
    const name = token.slice(token.lastIndexOf('.') + 1)
    if (this.#take('[')) return name === 'Literal' ? this.#literals() : generic(name, this.#arguments())
    if (records.has(name)) return { is: 'list', of: { is: 'integer' } }
    if (lists.has(name)) return { is: 'list', of: UNKNOWN }
    if (objects.has(name)) return { is: 'object', keys: null, values: UNKNOWN }
    return Object.hasOwn(plain, name) ? ({ is: plain[name] } as Annotation) : UNKNOWN
  }

  /** The arguments in square brackets; null for an ellipsis, which stands for any number of them. */
  #arguments(): (Annotation | null)[] {
    const items: (Annotation | null)[] = []
    while (!this.done && !this.#take(']')) {
      if (this.#take(',')) continue
      if (this.#take('[')) items.push(...this.#arguments())
      else items.push(this.#take('...') ? null : this.union())
    }
    return items
  }

  #literals(): Annotation {
    const options: Annotation[] = []
    while (!this.done && !this.#take(']')) {
      const token = present(this.#tokens[this.#at++])
      if (/^['"]/.test(token)) options.push({ is: 'literal', value: token.slice(1, -1) })
      else if (/^(True|False)$/.test(token)) options.push({ is: 'literal', value: token === 'True' })
      else if (/^\d+$/.test(token)) options.push({ is: 'literal', value: Number(token) })
      else if (token !== ',') options.push(token === 'None' ? { is: 'null' } : UNKNOWN)
    }
    return joined(options)
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false
    this.#at++
    return true
  }
}

function generic(name: string, parameters: readonly (Annotation | null)[]): Annotation {
  const items = parameters.filter((parameter) => parameter !== null)
  const [first = UNKNOWN, second = UNKNOWN] = items
  if (name === 'Optional') return joined([first, { is: 'null' }])
  if (name === 'Union') return joined(items)
  if (name === 'Annotated') return first
  if ((name === 'tuple' || name === 'Tuple') && items.length > 0 && items.length === parameters.length)
    return { is: 'tuple', items }
  if (lists.has(name)) return { is: 'list', of: first }
  if (objects.has(name)) return { is: 'object', keys: keysOf(first), values: second }
  return UNKNOWN
}

/** Names of an object's keys where they are listed; any text otherwise, whatever Python has there. */
function keysOf(type: Annotation): string[] | null {
  const options = type.is === 'union' ? type.of : [type]
  const names = options.flatMap((option) =>
    option.is === 'literal' && typeof option.value === 'string' ? [option.value] : [],
  )
  return names.length === options.length ? names : null
}

/** One of several types, each once. Something unknown swallows the rest. */
function joined(parts: readonly Annotation[]): Annotation {
  const flat = parts.flatMap((part) => (part.is === 'union' ? part.of : [part]))
  const distinct = [...new Map(flat.map((part) => [JSON.stringify(part), part])).values()]
  if (distinct.length === 0 || distinct.some(({ is }) => is === 'unknown')) return UNKNOWN
  // Null last, as people write it.
  const sorted = [
    ...distinct.filter(({ is }) => is !== 'null'),
    ...distinct.filter(({ is }) => is === 'null'),
  ]
  return sorted.length === 1 ? present(sorted[0]) : { is: 'union', of: sorted }
}

import { present } from '../kit/present.ts'
