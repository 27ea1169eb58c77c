// Values that a part of the engine keeps for one unit or one environment, in a list of that object. A WeakMap
// would be slower: entries that live for one call are the worst case of its collection in a young generation.

/** An object with slots, for as long as it lives. */
export interface Slotted {
  readonly slots: unknown[]
}

let count = 0

/** One thing that is remembered, by whom it is of. */
export class Slot<T> {
  readonly #place = count++

  get({ slots }: Slotted): T | undefined {
    return slots[this.#place] as T | undefined
  }

  set({ slots }: Slotted, value: T): void {
    // A list that grows by single places keeps a dense form.
    while (slots.length < this.#place) slots.push(undefined)
    slots[this.#place] = value
  }

  /** The value; the first time, the one that `make` returns. */
  obtain(owner: Slotted, make: () => T): T {
    const value = this.get(owner)
    if (value !== undefined) return value
    const result = make()
    this.set(owner, result)
    return result
  }
}

/** Work of one sort that goes on for an object, nested or side by side too. */
export class Ongoing {
  readonly #runs = new Slot<number>()

  has(owner: Slotted): boolean {
    return (this.#runs.get(owner) ?? 0) > 0
  }

  async run<T>(owner: Slotted, work: () => Promise<T>): Promise<T> {
    this.#runs.set(owner, (this.#runs.get(owner) ?? 0) + 1)
    try {
      return await work()
    } finally {
      this.#runs.set(owner, (this.#runs.get(owner) ?? 1) - 1)
    }
  }
}
