// Prepared statements: what they are named, and those of one connection: which there are, how their columns
// are read, and when there are too many.
// Names: one process-wide table, so that a text has the same name on every connection, and the name is the
// text's own, so that it is the same in every process: behind a pooler a connection may have been another
// process's before.
// A text gets a name when it is met again: texts built for one call only (long lists of values) are never
// kept.
import { createHash } from 'node:crypto'
import { Recent } from '../kit/recent.ts'
import type { Columns, Item } from './batch.ts'

/** Texts that are remembered; those not sent for the longest time go. */
const CAPACITY = 2000
/** Longer texts are not kept: what PostgreSQL keeps of a statement is a hundred times its text, and more. */
const LONGEST = 16 * 1024

/** Null for a text that was met once. */
const seen = new Recent<string, string | null>(CAPACITY)

/**
 * The name under which this text is to be prepared; undefined on its first appearance, and for a long one:
 * they are sent unnamed.
 */
export function statementName(text: string): string | undefined {
  if (text.length > LONGEST) return undefined
  const known = seen.get(text)
  if (known) return known
  const name = known === null ? nameOf(text) : null
  seen.set(text, name)
  return name ?? undefined
}

/** 128 bits of the text's SHA-256: no two texts have the same name. */
const nameOf = (text: string): string =>
  `s${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`

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
