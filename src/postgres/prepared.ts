// The prepared statements of one connection: which there are, how their columns are read, and when there are
// too many.
import type { Columns, Item } from './batch.ts'

/**
 * Prepared statements that one connection may hold, and letters of their texts: PostgreSQL keeps some 100 to
 * 400 bytes for each letter.
 */
const MAX_PREPARED = 500
const MAX_TEXT = 256 * 1024

export class PreparedStatements {
  readonly #columns = new Map<string, Columns>()
  /** Letters of the texts that were prepared since all were forgotten. */
  #text = 0
  /** Plans of some hold no more: PostgreSQL refused one. */
  isStale = false

  /** No more are kept, until all are forgotten. */
  get isFull(): boolean {
    return this.#columns.size >= MAX_PREPARED || this.#text >= MAX_TEXT
  }

  /** A statement on its way: one that is there, one that is kept from now on, or, without a name, neither. */
  item(name: string | undefined, text: string, values: Item['values'], settle: Item['settle']): Item {
    const known = name === undefined ? undefined : this.#columns.get(name)
    if (known) return { text, values, name, known: true, columns: known, settle }
    const columns = { parsers: null }
    // In the middle of a transaction that sends ever more, nothing can be forgotten: what comes then is not
    // kept.
    if (name === undefined || this.isFull)
      return { text, values, name: undefined, known: false, columns, settle }
    this.#columns.set(name, columns)
    this.#text += text.length
    return { text, values, name, known: false, columns, settle }
  }

  /** Takes back names of which nobody knows whether PostgreSQL has them. */
  drop(names: Iterable<string>): void {
    for (const name of names) this.#columns.delete(name)
  }

  /** Forgets all; PostgreSQL is told by whoever calls. */
  clear(): void {
    this.isStale = false
    this.#columns.clear()
    this.#text = 0
  }
}
