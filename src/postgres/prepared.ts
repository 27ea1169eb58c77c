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

/** Texts that are remembered, and their letters in all; those not sent for the longest time go. */
const [CAPACITY, MOST_LETTERS] = [2000, 32 * 1024 * 1024]

/**
 * Longer texts are not kept: PostgreSQL keeps hundreds of times as much. All fields of a contact or an
 * invoice have 20 to 50 KB, which take it 40 ms and more to plan.
 */
export const LONGEST_PREPARED = 48 * 1024

/** Null for a text that was met once. */
const seen = new Recent<string, string | null>(CAPACITY, {
  most: MOST_LETTERS,
  of: (text) => text.length,
})

/**
 * The name under which this text is to be prepared; undefined on its first appearance, and for a long one:
 * they are sent unnamed.
 */
export function statementName(text: string): string | undefined {
  if (text.length > LONGEST_PREPARED) return undefined
  const earlierName = seen.get(text)
  if (earlierName) return earlierName
  const name = earlierName === null ? nameOf(text) : null
  seen.set(text, name)
  return name ?? undefined
}

/** 128 bits of the text's SHA-256: no two texts have the same name. */
const nameOf = (text: string): string =>
  `s${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`

/**
 * Prepared statements that one connection may hold, and letters of their texts: PostgreSQL keeps some 100 to
 * 500 bytes for each letter, and needs as much again to plan a long statement, within what a process may have
 * (`DATA_KB` in embedded/postmaster.ts).
 */
const MAX_PREPARED = 800
const MAX_TEXT = 160 * 1024
/** The share of statements, least recently used first, to deallocate when there are too many. */
const DEALLOCATED_SHARE = 1 / 8

interface Prepared {
  readonly columns: Columns
  readonly length: number
  /** Number of the batch that used it last. */
  batch: number
}

export class PreparedStatements {
  readonly #byName = new Map<string, Prepared>()
  /** Letters of their texts. */
  #text = 0
  /** Number of the batch that is being made. */
  #batch = 0
  /** Names that the batch has to deallocate. */
  #closing: string[] = []
  /** Plans of some hold no more: PostgreSQL refused one. */
  isStale = false

  /** A statement to send: an existing prepared one, a new one that is kept, or, without a name, neither. */
  item(name: string | undefined, text: string, values: Item['values'], settle: Item['settle']): Item {
    const prepared = name === undefined ? undefined : this.#byName.get(name)
    if (prepared) {
      prepared.batch = this.#batch
      return { text, values, name, isPrepared: true, columns: prepared.columns, settle }
    }
    const columns = { parsers: null }
    // A batch may need more than can be kept: what comes then is not.
    if (name === undefined || !this.#makeRoom())
      return { text, values, name: undefined, isPrepared: false, columns, settle }
    this.#byName.set(name, { columns, length: text.length, batch: this.#batch })
    this.#text += text.length
    return { text, values, name, isPrepared: false, columns, settle }
  }

  /** Ends a batch. Returns the names that it has to deallocate first. */
  endBatch(): readonly string[] {
    this.#batch++
    return this.#closing.splice(0)
  }

  /** Forgets names if it is not known whether PostgreSQL has them. */
  drop(names: Iterable<string>): void {
    for (const name of names) this.#remove(name)
  }

  /** Forgets all; the caller also has PostgreSQL drop them. */
  clear(): void {
    this.isStale = false
    this.#byName.clear()
    this.#text = 0
  }

  /** Whether there is room for one more, which is made of those that this batch does not use. */
  #makeRoom(): boolean {
    const isFull = () => this.#byName.size >= MAX_PREPARED || this.#text >= MAX_TEXT
    if (!isFull()) return true
    const unused = [...this.#byName]
      .filter(([, { batch }]) => batch < this.#batch)
      .sort(([, a], [, b]) => a.batch - b.batch)
      .slice(0, Math.ceil(this.#byName.size * DEALLOCATED_SHARE))
    for (const [name] of unused) {
      this.#remove(name)
      this.#closing.push(name)
    }
    return !isFull()
  }

  #remove(name: string): void {
    this.#text -= this.#byName.get(name)?.length ?? 0
    this.#byName.delete(name)
  }
}
