// Phases of one request's time, for clients that ask for it (Server-Timing, W3C).

export type Phase = 'parse' | 'rights' | 'plan' | 'query' | 'render'

/** Books time on phases: each `mark` takes what passed since the one before. Milliseconds. */
export class Timing {
  readonly #spent = new Map<Phase, number>()
  #since = performance.now()

  /** Counts the time since the last mark for this phase. */
  mark(phase: Phase): void {
    const now = performance.now()
    this.#add(phase, now - this.#since)
    this.#since = now
  }

  /** Some of the time booked on one phase was another's. */
  move(milliseconds: number, from: Phase, to: Phase): void {
    this.#add(from, -milliseconds)
    this.#add(to, milliseconds)
  }

  /** The header's value: phases in the order in which they came, repeats added up. */
  get header(): string {
    return [...this.#spent]
      .map(([phase, milliseconds]) => `${phase};dur=${Math.max(0, milliseconds).toFixed(3)}`)
      .join(', ')
  }

  #add(phase: Phase, milliseconds: number): void {
    this.#spent.set(phase, (this.#spent.get(phase) ?? 0) + milliseconds)
  }
}
