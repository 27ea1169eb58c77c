// What changes a database waits here while the database is moved to another server: for a moment, as most
// moves are over by then.
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceUnavailable } from '../errors.ts'

/** Milliseconds after which a mover that is not heard of any more is gone. */
const HEARD_MS = 6000
/** Milliseconds that a call waits each time it is tried. */
const PATIENCE_MS = 1000

export class Gate {
  #shut: PromiseWithResolvers<void> | undefined
  #forgetting: NodeJS.Timeout | undefined

  /** Shuts it; whoever shuts it says so again and again. */
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

  /** Resolves when it is open. Throws ServiceUnavailable where that takes too long. */
  async pass(): Promise<void> {
    if (!this.#shut) return
    await Promise.race([this.#shut.promise, sleep(PATIENCE_MS, undefined, { ref: false })])
    if (this.#shut)
      throw new ServiceUnavailable(
        'The database is being moved to another server, and takes no changes meanwhile.',
        {
          retryAfter: 2,
          repeats: true,
        },
      )
  }
}
