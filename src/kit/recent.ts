// A bounded map that drops the least recently used entries. It has two halves: a used entry moves to the
// younger one, and once that is full the older one is dropped. So repeated reads of the same entry change
// nothing, while moving an entry to the end of a Map rebuilds that map every few times.

/** Total weight of entries; `of` returns the same weight for an entry as long as it is stored. */
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
   * Holds `limit` entries at most (two, if it is less), and no more than `weight` allows; of these, in any
   * case the half that was used last.
   */
  constructor(limit: number, weight: Weight<K, V> | null = null) {
    this.#half = Math.max(1, Math.floor(limit / 2))
    this.#weight = weight
  }

  /** Entries and their weight; hits and misses of keys; dropped entries. */
  get counts() {
    const { young, old } = this.#weights
    return { entries: this.#young.size + this.#old.size, weight: young + old, ...this.#counts }
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key)
    const value = young === undefined ? this.#old.get(key) : young
    this.#counts[value === undefined ? 'misses' : 'hits']++
    if (young === undefined && value !== undefined) this.set(key, value)
    return value
  }

  set(key: K, value: V): void {
    const before = this.#young.get(key)
    if (before === value) return
    this.#weights.old -= this.#remove(this.#old, key)
    const weight = this.#weightOf(key, value)
    if (before !== undefined) this.#weights.young -= this.#weightOf(key, before)
    const isFull = before === undefined && this.#young.size >= this.#half
    const { young } = this.#weights
    if (isFull || young + weight > (this.#weight?.most ?? Number.POSITIVE_INFINITY) / 2) {
      this.#young.delete(key)
      this.#counts.evictions += this.#old.size
      this.#old = this.#young
      this.#young = new Map()
      this.#weights = { young: 0, old: young }
    }
    this.#weights.young += weight
    this.#young.set(key, value)
  }

  delete(key: K): void {
    this.#weights.young -= this.#remove(this.#young, key)
    this.#weights.old -= this.#remove(this.#old, key)
  }

  #weightOf(key: K, value: V): number {
    return this.#weight?.of(key, value) ?? 0
  }

  /** The weight that leaves with an entry. */
  #remove(from: Map<K, V>, key: K): number {
    const value = from.get(key)
    return value !== undefined && from.delete(key) ? this.#weightOf(key, value) : 0
  }
}
