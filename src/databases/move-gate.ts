// Makes changes of a database wait while it is moved to another server: only a moment, as most moves are over
// by then.
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceUnavailable } from '../errors.ts'

/** Milliseconds without a message after which the mover is considered dead. */
const HEARD_MS = 6000
/** Milliseconds that a call waits each time it is tried. */
const PATIENCE_MS = 1000

export class MoveGate {
  #shut: PromiseWithResolvers<void> | undefined
  #forgetting: NodeJS.Timeout | undefined

  /** Shuts the gate; the mover repeats this until it is done. */
  shut(): void {
    this.#shut ??= Promise.withResolvers()
    clearTimeout(this.#forgetting)
    this.#forgetting = setTimeout(() => this.open(), HEARD_MS).unref()
  }

  open(): void {
    clearTimeout(this.#forgetting)
    this.#shut?.resolve()
    this.#shut = undefined
  }

  get isShut(): boolean {
    return this.#shut !== undefined
  }

  /** Resolves when it is open. Throws ServiceUnavailable after a time. */
  async pass(): Promise<void> {
    if (!this.#shut) return
    await Promise.race([this.#shut.promise, sleep(PATIENCE_MS, undefined, { ref: false })])
    if (this.#shut)
      throw new ServiceUnavailable(
        'The database is being moved to another server and does not accept changes. Please try again.',
        {
          retryAfter: 2,
          repeats: true,
        },
      )
  }
}
