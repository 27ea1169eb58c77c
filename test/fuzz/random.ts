// Chance with a seed: the same seed gives the same models, data and domains on every machine.

export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A fraction from 0 up to 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let t = this.#state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  /** A whole number from 0 up to `limit`, without it. */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }

  /** Up to `most` of the items, each at most once. */
  some<T>(items: readonly T[], most: number): T[] {
    const rest = [...items]
    const count = Math.min(this.below(most + 1), rest.length)
    return Array.from({ length: count }, () => rest.splice(this.below(rest.length), 1)[0] as T)
  }
}
