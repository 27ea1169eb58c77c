// A bounded map that forgets what was not asked for longest.
// It has two halves: what is asked for moves to the younger one, and once that is full the older one goes. So
// asking for the same again and again changes nothing in it, where moving an entry to the end of a map makes
// that map anew every few times.

/** How much entries weigh together at most: a value that took the place of another counts with it. */
interface Weight<K, V> {
  readonly most: number
  of(key: K, value: V): number
}

export class Recent<K, V> {
  readonly #half: number
  readonly #weight: Weight<K, V> | null
  #young = new Map<K, V>()
  #old = new Map<K, V>()
  #weights = { young: 0, old: 0 }
  #counts = { hits: 0, misses: 0, evictions: 0 }

  /**
   * Holds `limit` entries at most (two, if it is less), and no more than `weight` says; of these, in any case
   * the half that was asked for last.
   */
  constructor(limit: number, weight: Weight<K, V> | null = null) {
    this.#half = Math.max(1, Math.floor(limit / 2))
    this.#weight = weight
  }

  /** Entries and their weight; how often a key was there and was not; entries that were let go. */
  get counts() {
    const { young, old } = this.#weights
    return { entries: this.#young.size + this.#old.size, weight: young + old, ...this.#counts }
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key)
    const found = young === undefined ? this.#old.get(key) : young
    this.#counts[found === undefined ? 'misses' : 'hits']++
    if (young === undefined && found !== undefined) this.set(key, found)
    return found
  }

  set(key: K, value: V): void {
    const { young } = this.#weights
    const weight = this.#weight?.of(key, value) ?? 0
    const isFull = this.#young.size >= this.#half && !this.#young.has(key)
    if (isFull || young + weight > (this.#weight?.most ?? Number.POSITIVE_INFINITY) / 2) {
      this.#counts.evictions += this.#old.size
      this.#old = this.#young
      this.#young = new Map()
      this.#weights = { young: 0, old: young }
    }
    this.#weights.young += weight
    this.#old.delete(key)
    this.#young.set(key, value)
  }

  delete(key: K): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }
}
