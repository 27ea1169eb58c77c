// Annotations as TypeScript: `list[int] | None` is `readonly number[] | null`.
import { type Annotation, annotationIn } from '../annotation.ts'

/** Where a type stands: what callers give may be read-only, what they get is theirs. */
export type Side = 'given' | 'got'

/** Names of the types for domains and values, which depend on the model that a method is called on. */
export interface Names {
  readonly domain: string
  readonly values: string
}

/** The type in TypeScript; `unknown` for everything that is not known. */
export function typeOf(annotation: string | undefined, side: Side, names: Names): string {
  return annotation === undefined ? 'unknown' : new Writer(side, names).type(annotationIn(annotation))
}

class Writer {
  readonly #side: Side
  readonly #names: Names

  constructor(side: Side, names: Names) {
    this.#side = side
    this.#names = names
  }

  type(annotation: Annotation): string {
    const isParameter = this.#side === 'given'
    switch (annotation.is) {
      case 'integer':
        return 'number'
      case 'domain':
        return isParameter ? this.#names.domain : 'unknown[]'
      case 'values':
        return isParameter ? this.#names.values : 'Record<string, unknown>'
      case 'literal':
        return typeof annotation.value === 'string' ? quoted(annotation.value) : String(annotation.value)
      case 'list':
        return this.#list(this.type(annotation.of))
      case 'tuple':
        return `${isParameter ? 'readonly ' : ''}[${annotation.items.map((item) => this.type(item)).join(', ')}]`
      case 'object':
        return this.#object(annotation.keys, this.type(annotation.values))
      case 'union':
        return [...new Set(annotation.of.map((option) => this.type(option)))].join(' | ')
      default:
        return annotation.is
    }
  }

  #list(of: string): string {
    return `${this.#side === 'given' ? 'readonly ' : ''}${/^readonly | \| /.test(of) ? `(${of})` : of}[]`
  }

  #object(keys: readonly string[] | null, values: string): string {
    const type = `Record<${keys ? keys.map(quoted).join(' | ') : 'string'}, ${values}>`
    return this.#side === 'given' ? `Readonly<${type}>` : type
  }
}

/** A text as a literal type. */
export function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
