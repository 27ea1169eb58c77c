// Hash chains: each link has the SHA-256 of the hash before it and of its own content, so that no link can be
// changed, removed or inserted without changing every hash after it.
import { sha256Hex } from './sha256.ts'

/** The hash before the first link of a chain. */
export const CHAIN_START = '0'.repeat(64)

/**
 * The hash of a link, as 64 hexadecimal digits. The content is text in one spelling: `canonical` of
 * `kit/canonical.ts`, or what PostgreSQL writes for a `json_build_array` of columns cast to text.
 */
export const linkHash = (previous: string, content: string): string => sha256Hex(previous + content)

/** The same as an expression of PostgreSQL; both arguments are expressions of type text. */
export const linkHashSql = (previous: string, content: string): string =>
  `encode(sha256(convert_to(${previous} || ${content}, 'UTF8')), 'hex')`

/** A stored link. Positions of a chain are 1, 2, 3 and so on, without a gap. */
export interface ChainLink {
  readonly position: number
  readonly hash: string
  /** Null if the content was removed lawfully: then the stored hash counts. */
  readonly content: string | null
}

/** The end of a chain, stored with its links: their number, and the hash of the last. */
export interface ChainHead {
  readonly position: number
  readonly hash: string
}

/** The head of a chain without links. */
export const CHAIN_BEGIN: ChainHead = { position: 0, hash: CHAIN_START }

/** The first place where a chain differs from its sealed state. */
export interface ChainBreak {
  readonly position: number
  readonly problem: 'changed' | 'missing' | 'inserted'
}

/** Problems, worded to follow the subject of a sentence. */
export const CHAIN_PROBLEMS: Readonly<Record<ChainBreak['problem'], string>> = {
  changed: 'was changed after it was sealed',
  missing: 'is missing: it was sealed, and it or its place in the chain was removed',
  inserted: 'was inserted: it is not the record that the chain sealed there',
}

/** Checks a chain link by link, in the order of positions, without keeping links in memory. */
export class ChainWalk {
  #position: number
  #hash: string

  /** Checks a chain from its start, or from the head of an earlier check. */
  constructor({ position, hash }: ChainHead = CHAIN_BEGIN) {
    this.#position = position
    this.#hash = hash
  }

  /** The head so far: the number of valid links, and the hash of the last of them. */
  get head(): ChainHead {
    return { position: this.#position, hash: this.#hash }
  }

  /** Takes the next link. Gives the break if it does not fit; a chain is not followed beyond its first break. */
  take({ position, hash, content }: ChainLink): ChainBreak | null {
    const expected = this.#position + 1
    if (position > expected) return { position: expected, problem: 'missing' }
    if (position < expected) return { position, problem: 'inserted' }
    if (content !== null && hash !== linkHash(this.#hash, content)) return { position, problem: 'changed' }
    this.#position = position
    this.#hash = hash
    return null
  }

  /** Compares the end of the links with what was kept of the chain: the last links may be missing. */
  end({ position, hash }: ChainHead): ChainBreak | null {
    if (position > this.#position) return { position: this.#position + 1, problem: 'missing' }
    if (position < this.#position) return { position: position + 1, problem: 'inserted' }
    return hash === this.#hash ? null : { position, problem: 'changed' }
  }
}
