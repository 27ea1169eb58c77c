// Limits concurrency with fair queueing: each client has its own queue, and clients are served in turn, so
// that a client with a thousand requests does not delay the others.
import { ServiceUnavailable } from '../errors.ts'

export interface GateOptions {
  /** Places there are. */
  readonly places: number
  /** Places that one client may hold; all by default. */
  readonly share?: number
  /** Requests of one client that may wait at a time; further ones are refused. */
  readonly queue: number
  /** Longest wait in milliseconds. */
  readonly patienceMs: number
  /** Message of the refusal. */
  readonly refusal: string
}

interface Waiting {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
  readonly timer: NodeJS.Timeout
}

/** A client: the places it holds, and its waiting requests. */
interface Asker {
  held: number
  readonly line: Waiting[]
}

export class Gate {
  readonly #options: Required<GateOptions>
  /** Clients that hold a place or wait for one; the client served last comes last. */
  readonly #askers = new Map<string, Asker>()
  #free: number

  constructor(options: GateOptions) {
    this.#options = { share: options.places, ...options }
    this.#free = options.places
  }

  /**
   * Resolves when `who` has a place, with the function that releases it (once). Throws ServiceUnavailable
   * when too many of its requests wait, or one waited too long.
   */
  async enter(who: string, patienceMs = this.#options.patienceMs): Promise<() => void> {
    const asker = this.#askers.get(who) ?? { held: 0, line: [] }
    this.#askers.set(who, asker)
    if (this.#free > 0 && asker.held < this.#options.share) {
      this.#free--
      asker.held++
    } else await this.#wait(asker, patienceMs).finally(() => this.#forget(who, asker))
    let left = false
    return () => {
      if (!left) this.#leave(who, asker)
      left = true
    }
  }

  /** Whether `who` holds a place or waits for one. */
  knows(who: string): boolean {
    return this.#askers.has(who)
  }

  async #wait(asker: Asker, patienceMs: number): Promise<void> {
    const { queue, refusal } = this.#options
    if (asker.line.length >= queue) throw new ServiceUnavailable(refusal)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      asker.line.splice(asker.line.indexOf(waiting), 1)
      reject(new ServiceUnavailable(refusal))
    }, patienceMs)
    const waiting = { resolve, reject, timer }
    asker.line.push(waiting)
    await promise
  }

  #leave(who: string, asker: Asker): void {
    asker.held--
    this.#free++
    this.#serve()
    this.#forget(who, asker)
  }

  #forget(who: string, asker: Asker): void {
    if (asker.held === 0 && asker.line.length === 0) this.#askers.delete(who)
  }

  /** Gives the place to the first waiter of the client that was served longest ago and is below its share. */
  #serve(): void {
    for (const [who, asker] of this.#askers) {
      if (asker.line.length === 0 || asker.held >= this.#options.share) continue
      const next = asker.line.shift()
      this.#askers.delete(who)
      this.#askers.set(who, asker)
      this.#free--
      asker.held++
      clearTimeout(next?.timer)
      next?.resolve()
      return
    }
  }
}
