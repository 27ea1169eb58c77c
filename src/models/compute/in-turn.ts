// Steps of which each follows from others: one begins in the moment in which the last of those is done, and
// nothing waits for a turn of the event loop that it does not need.

/** Where those stand that a step follows from, and that follow it. */
interface Placed {
  readonly after: readonly number[]
  readonly before: readonly number[]
}

/**
 * Does the work of all of them, which is null where it is done at once; null if that was so of all. Those
 * that follow one that failed are left out, all others are waited for: then the first failure by its place is
 * thrown.
 */
export function inTurn<S extends Placed>(
  steps: readonly S[],
  work: (step: S) => Promise<void> | null,
): Promise<void> | null {
  const run = new Run(steps, work)
  for (let place = 0; place < steps.length; place++) run.begin(place)
  return run.end()
}

class Run<S extends Placed> {
  readonly #steps: readonly S[]
  readonly #work: (step: S) => Promise<void> | null
  /** How many of those that each follows from are not done. */
  readonly #missing: number[]
  #open = 0
  /** Whether all were looked at that can begin at once, in their order. */
  #isOnItsWay = false
  #failure: { readonly place: number; readonly reason: unknown } | null = null
  #ended: PromiseWithResolvers<void> | null = null

  constructor(steps: readonly S[], work: (step: S) => Promise<void> | null) {
    this.#steps = steps
    this.#work = work
    this.#missing = steps.map(({ after }) => after.length)
  }

  /** Begins a step, if what it follows from is done. */
  begin(place: number): void {
    const step = this.#steps[place]
    if (!step || this.#missing[place] !== 0) return
    let work: Promise<void> | null
    try {
      work = this.#work(step)
    } catch (reason) {
      this.#failed(place, reason)
      return
    }
    if (work) this.#await(work, step, place)
    else this.#done(step)
  }

  #await(work: Promise<void>, step: S, place: number): void {
    this.#open++
    work.then(
      () => {
        this.#done(step)
        this.#close()
      },
      (reason: unknown) => {
        this.#failed(place, reason)
        this.#close()
      },
    )
  }

  #done({ before }: S): void {
    for (const place of before) {
      this.#missing[place] = (this.#missing[place] ?? 0) - 1
      // Before, its own turn comes: it stands behind.
      if (this.#isOnItsWay) this.begin(place)
    }
  }

  #failed(place: number, reason: unknown): void {
    if (!this.#failure || place < this.#failure.place) this.#failure = { place, reason }
  }

  #close(): void {
    if (--this.#open > 0 || !this.#ended) return
    if (this.#failure) this.#ended.reject(this.#failure.reason)
    else this.#ended.resolve()
  }

  /** Waits for what was begun. */
  end(): Promise<void> | null {
    this.#isOnItsWay = true
    if (this.#open === 0) return this.#failure ? Promise.reject(this.#failure.reason) : null
    this.#ended = Promise.withResolvers<void>()
    return this.#ended.promise
  }
}
