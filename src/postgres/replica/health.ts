// Whether a replica is asked at the moment: one that failed is left alone for a while, longer each time, and
// tried again in the background, so that no call waits for it.

/** Milliseconds that a replica which failed is left alone: at first, and at most. */
const AGAIN_MS = 500
const AGAIN_MOST_MS = 30_000

export class ReplicaHealth {
  readonly #tell: (message: string) => void
  #wait = AGAIN_MS
  /** By `performance.now()`; null while it is in use. */
  #until: number | null = null

  constructor(tell: (message: string) => void = () => undefined) {
    this.#tell = tell
  }

  /** Whether calls may go there. */
  get isWell(): boolean {
    return this.#until === null
  }

  /** Whether one that failed should be tried again by now; true once for each time. */
  mayTry(): boolean {
    if (this.#until === null || performance.now() < this.#until) return false
    this.#until = Number.POSITIVE_INFINITY
    return true
  }

  failed(reason: unknown): void {
    if (this.#until === null) {
      const why = reason instanceof Error ? reason.message || reason.name : String(reason)
      this.#tell(`The replica is not used for now; the primary server answers instead: ${why}`)
    } else if (this.#until !== Number.POSITIVE_INFINITY) return
    this.#until = performance.now() + this.#wait
    this.#wait = Math.min(this.#wait * 2, AGAIN_MOST_MS)
  }

  worked(): void {
    if (this.#until !== null) this.#tell('The replica is used again.')
    this.#until = null
    this.#wait = AGAIN_MS
  }
}
