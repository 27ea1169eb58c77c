// Runs steps that depend on each other: each begins as soon as the last of its dependencies is done,
// without a needless turn of the event loop.

/** Places of the steps that a step depends on, and of its dependents. */
interface Placed {
  readonly after: readonly number[]
  readonly before: readonly number[]
}

/**
 * Runs all of them; null where all finish synchronously (`work` returns null). Dependents of a failed
 * step are skipped, all others are awaited: then the first failure by place is thrown.
 */
export function runSteps<S extends Placed>(
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
  /** Number of unfinished steps that each step depends on. */
  readonly #missing: number[]
  #open = 0
  /** Whether all steps that can begin at once have begun, in their order. */
  #isOnItsWay = false
  #failure: { readonly place: number; readonly reason: unknown } | null = null
  #ended: PromiseWithResolvers<void> | null = null

  constructor(steps: readonly S[], work: (step: S) => Promise<void> | null) {
    this.#steps = steps
    this.#work = work
    this.#missing = steps.map(({ after }) => after.length)
  }

  /** Begins a step, if its dependencies are done. */
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
      // Until then the loop over all steps reaches it later.
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

  /** Waits for all steps that were begun. */
  end(): Promise<void> | null {
    this.#isOnItsWay = true
    if (this.#open === 0) return this.#failure ? Promise.reject(this.#failure.reason) : null
    this.#ended = Promise.withResolvers<void>()
    return this.#ended.promise
  }
}
