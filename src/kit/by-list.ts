// A bounded map whose keys are lists, looked up item by item. A joined text as key would be built, hashed and
// compared for each lookup.

interface Node<K, V> {
  below: Map<K, Node<K, V>> | null
  value: V | undefined
}

/** Items that can be iterated several times. */
type List<K> = readonly K[] | ReadonlySet<K>

const node = <K, V>(): Node<K, V> => ({ below: null, value: undefined })

export class ByList<K, V> {
  readonly #half: number
  #young = node<K, V>()
  /** Entries from before the younger half was begun. */
  #old: Node<K, V> | null = null
  #count = 0

  /** Holds `limit` lists at most (two, if it is less), and in any case the half that was used last. */
  constructor(limit: number) {
    this.#half = Math.max(1, Math.floor(limit / 2))
  }

  /** The value of a list with these items in this order. */
  get(items: List<K>): V | undefined {
    const young = valueAt(this.#young, items)
    if (young !== undefined || !this.#old) return young
    const old = valueAt(this.#old, items)
    if (old !== undefined) this.set(items, old)
    return old
  }

  set(items: List<K>, value: V): void {
    if (this.#count >= this.#half) {
      this.#old = this.#young
      this.#young = node()
      this.#count = 0
    }
    let current = this.#young
    for (const item of items) {
      current.below ??= new Map()
      let next = current.below.get(item)
      if (!next) {
        next = node()
        current.below.set(item, next)
      }
      current = next
    }
    if (current.value === undefined) this.#count++
    current.value = value
  }
}

function valueAt<K, V>(root: Node<K, V>, items: List<K>): V | undefined {
  let current = root
  for (const item of items) {
    const next = current.below?.get(item)
    if (!next) return undefined
    current = next
  }
  return current.value
}
