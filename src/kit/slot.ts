// What a part of the engine remembers of one unit, or of one environment: a place in a list that it has, and
// no weak map, whose entries by what lives for one call are what a young generation collects worst.

/** What has slots, for as long as it lives. */
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
}
