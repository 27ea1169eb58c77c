// A linked ring for entries that come and go by the thousand: a link removes itself, and points to nothing
// afterwards. A Map or Set of such entries leaves old hash tables in memory, each with its entries and a
// pointer to the next table: one old table keeps all later ones from being collected as young.

export class Link<T> {
  readonly value: T
  next: Link<T> | null = null
  previous: Link<T> | null = null

  constructor(value: T) {
    this.value = value
  }

  /** Leaves its ring; once is enough. */
  leave(): void {
    if (this.previous) this.previous.next = this.next
    if (this.next) this.next.previous = this.previous
    this.next = null
    this.previous = null
  }
}

export class Ring<T> {
  readonly #start = new Link<T | null>(null)

  /** Gives what leaves again. */
  add(value: T): Link<T> {
    const link = new Link(value)
    const start = this.#start as Link<T>
    link.previous = start
    link.next = start.next
    if (start.next) start.next.previous = link
    start.next = link
    return link
  }

  get isEmpty(): boolean {
    return this.#start.next === null
  }

  /** All members, the newest last; one may leave during iteration. */
  *[Symbol.iterator](): Generator<T> {
    let link = this.#start.next as Link<T> | null
    while (link) {
      const { next } = link
      yield link.value
      link = next
    }
  }
}
