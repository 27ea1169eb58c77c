// Progress of a backup or a restore: parts of known weight, as a share of the whole.

/** Reports the current step, and the part of the whole that is done, from 0 to 1. */
export type Progress = (step: string, done: number) => void

export class Meter {
  readonly #progress: Progress | undefined
  #total: number
  /** Weight of the finished parts. */
  #done = 0
  #step = ''
  #weight = 0
  #within = 0
  /** The largest share reported so far. */
  #reported = 0

  /** `total` is the weight of all parts together. */
  constructor(progress: Progress | undefined, total = 0) {
    this.#progress = progress
    this.#total = total
  }

  /** Adds the weight of parts that became known later. */
  expect(weight: number): void {
    this.#total += weight
  }

  /**
   * Progress of a part that reports its own share, from 0 to 1; `share` is its weight relative to all other
   * parts.
   */
  part(share: number): Progress {
    const weight = this.#total * share
    this.expect(weight)
    let reportedShare = 0
    return (step, done) => {
      this.begin(step, Math.max(0, done - reportedShare) * weight)
      reportedShare = Math.max(reportedShare, done)
    }
  }

  /** Starts a part with a weight; the previous part is finished. */
  begin(step: string, weight: number): void {
    this.#done += this.#weight
    this.#step = step
    this.#weight = weight
    this.#within = 0
    this.#tell()
  }

  /** Adds to the progress of the current part, in units of weight, up to the part's weight. */
  add(weight: number): void {
    this.#within += weight
    this.#tell()
  }

  #tell(): void {
    const done = this.#done + Math.min(this.#within, this.#weight)
    // If the expected work grows, the share does not decrease: it stays until it is reached again.
    this.#reported = Math.max(this.#reported, this.#total > 0 ? Math.min(1, done / this.#total) : 0)
    this.#progress?.(this.#step, this.#reported)
  }
}
