// Slots for operations that load PostgreSQL for a while, such as copying a whole database: a few run at a
// time, over all processes of a server, so that users do not notice.
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceUnavailable } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Admin } from '../postgres/index.ts'

/** Milliseconds that a deed waits for a place, and between two looks for one. */
const PATIENCE = 4000
const LOOK_MS = 100
/** Seconds after which those may try again for whom there was none. */
const RETRY_AFTER = 10

export class CopySlots {
  readonly #admin: Admin
  readonly #patience: number
  /** The operation before: the first in line looks for a place, the others wait for their turn to look. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(admin: Admin, patience = PATIENCE) {
    this.#admin = admin
    this.#patience = patience
  }

  /** Runs work in a slot. Throws ServiceUnavailable (503) if none becomes free in time. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const until = performance.now() + this.#patience
    const begun = this.#turn.then(() => this.#begin(until, work))
    this.#turn = begun.catch(() => undefined)
    const held = await (await begun).end
    // Begun work holds a place.
    if (!held) throw full()
    return held.value
  }

  /** Work that has a place and is under way. */
  async #begin<T>(until: number, work: () => Promise<T>) {
    for (;;) {
      for (let at = 0; at < limits.copies; at++) {
        const begun = Promise.withResolvers<boolean>()
        const end = this.#admin.holding(
          [`place ${at} of copies`],
          async () => {
            begun.resolve(true)
            return { value: await work() }
          },
          false,
        )
        if (await Promise.race([begun.promise, end.then(() => false)])) return { end }
      }
      if (performance.now() > until) throw full()
      await sleep(LOOK_MS)
    }
  }
}

const full = () =>
  new ServiceUnavailable('The server is copying or restoring other databases. Please try again.', {
    retryAfter: RETRY_AFTER,
  })
