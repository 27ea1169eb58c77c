// Whether another server, such as a replica, is asked at the moment: one that failed is left alone for a
// while, longer each time, and then tried again once, so that calls do not wait for it.

/** Milliseconds that a server which failed is left alone: at first, and at most. */
const AGAIN_MS = 500
const AGAIN_MOST_MS = 30_000

export class PeerHealth {
  readonly #tell: (reason: string | null) => void
  #wait = AGAIN_MS
  /** By `performance.now()`; null while it is in use. */
  #until: number | null = null

  /** `tell`: called with the reason when it is not asked any more, and with null when it is again. */
  constructor(tell: (reason: string | null) => void = () => undefined) {
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
      this.#tell(reason instanceof Error ? reason.message || reason.name : String(reason))
    } else if (this.#until !== Number.POSITIVE_INFINITY) return
    this.#until = performance.now() + this.#wait
    this.#wait = Math.min(this.#wait * 2, AGAIN_MOST_MS)
  }

  worked(): void {
    if (this.#until !== null) this.#tell(null)
    this.#until = null
    this.#wait = AGAIN_MS
  }
}
