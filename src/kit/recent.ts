// A bounded map that forgets what was not asked for longest.
// It has two halves: what is asked for moves to the younger one, and once that is full the older one goes. So
// asking for the same again and again changes nothing in it, where moving an entry to the end of a map makes
// that map anew every few times.

export class Recent<K, V> {
  readonly #half: number
  #young = new Map<K, V>()
  #old = new Map<K, V>()

  /**
   * Holds `limit` entries at most (two, if it is less), and in any case the half of it that was asked for
   * last.
   */
  constructor(limit: number) {
    this.#half = Math.max(1, Math.floor(limit / 2))
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: K, value: V): void {
    this.#old.delete(key)
    if (this.#young.size >= this.#half && !this.#young.has(key)) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  delete(key: K): void {
    this.#young.delete(key)
    this.#old.delete(key)
  }
}
