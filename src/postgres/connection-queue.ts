// The queue for connections of a pool. Askers are served in turn, so that one with a thousand calls delays
// the others by one call each. A call that gets a connection at once does not enter the queue.
import { BadRequest, ServiceUnavailable } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Connection } from './connection.ts'

/** Purpose of a connection. */
export interface Purpose {
  /** Whether it may wait for locks that others hold. */
  readonly writing?: boolean
  /** Whether the caller is gone. */
  readonly gone?: (() => boolean) | undefined
}

interface Waiter extends Purpose {
  readonly resolve: (connection: Connection) => void
  readonly reject: (error: unknown) => void
  /** By `performance.now()`. */
  readonly until: number
}

/** A user that asks for connections, or the server itself. */
export interface Asker {
  /** Connections they may hold at most, and now. */
  readonly most: number
  share: number
  /** Calls of theirs that may wait. */
  readonly places: number
  held: number
  /** In the order of their requests. */
  readonly waiting: Waiter[]
}

/** Whose turn it is. */
interface Next {
  readonly asker: Asker
  readonly waiter: Waiter
}

/** The asker of calls without a user: the server, which may hold all connections. */
export const SERVER_ID = 0

/** The part of the connections, and of the places in the line, that one user may have. */
const PART = 0.75

/**
 * Connections that one user may have before it is known that they are released soon: few enough that long
 * work on all of them leaves processors to others.
 */
const FIRST = 6

/** Milliseconds within which a connection is soon given back. */
export const SOON = 100
/** Milliseconds beyond which one is held for long. */
const LONG = 500

/** An asker with its part of `most` connections and of the places in the queue. */
export function askerOf(who: number, most: number, places: number): Asker {
  const isServer = who === SERVER_ID
  const part = isServer
    ? Number.POSITIVE_INFINITY
    : Math.min(limits['user-connections'], Math.ceil(most * PART))
  return {
    most: part,
    share: isServer ? part : Math.min(part, FIRST),
    places: isServer ? places : Math.ceil(places * PART),
    held: 0,
    waiting: [],
  }
}

/** Notes for how many milliseconds one of theirs was held; whether they may have one more from now on. */
export function mayHold(asker: Asker, ms: number): boolean {
  if (ms > LONG)
    asker.share = asker.most === Number.POSITIVE_INFINITY ? asker.most : Math.min(asker.most, FIRST)
  else if (ms < SOON && asker.share < asker.most) {
    asker.share++
    return true
  }
  return false
}

export class Queue {
  /** Callers that may wait. */
  readonly places: number
  /** Askers that wait for connections; the one served last comes last. */
  readonly turns: Asker[] = []
  /** Milliseconds that a caller may wait. */
  readonly #patienceMs: number
  #waiting = 0
  /** Fires when the longest waiting caller has waited too long. */
  #patience: NodeJS.Timeout | undefined

  constructor(places: number, patienceMs: number) {
    this.places = places
    this.#patienceMs = patienceMs
  }

  /** Callers that wait. */
  get waiting(): number {
    return this.#waiting
  }

  /**
   * Resolves with a connection when it is their turn. Throws ServiceUnavailable when too many wait, or one
   * waited too long.
   */
  wait(asker: Asker, purpose: Purpose): Promise<Connection> {
    if (this.#waiting >= this.places || asker.waiting.length >= asker.places)
      throw new ServiceUnavailable('Too many requests are waiting for the database. Please try again.')
    const { promise, resolve, reject } = Promise.withResolvers<Connection>()
    const patienceMs = this.#patienceMs
    if (asker.waiting.push({ ...purpose, resolve, reject, until: performance.now() + patienceMs }) === 1)
      this.turns.push(asker)
    this.#waiting++
    this.#patience ??= setTimeout(() => this.#rejectOverdue(), patienceMs).unref()
    return promise
  }

  /**
   * Takes the next asker that may have a connection out of the queue; null if no asker may. Waiters that are
   * gone are removed on the way.
   */
  next(mayHave: (asker: Asker, purpose: Purpose) => boolean): Next | null {
    for (const asker of [...this.turns]) {
      for (;;) {
        const at = asker.waiting.findIndex((waiter) => mayHave(asker, waiter))
        const waiter = at < 0 ? undefined : this.#take(asker, at)
        if (!waiter) break
        if (!waiter.gone?.()) return { asker, waiter }
        waiter.reject(new BadRequest('The client went away'))
      }
    }
    return null
  }

  /** Takes a waiter of an asker; the asker goes to the end of the queue. */
  #take(asker: Asker, at = 0): Waiter | undefined {
    this.turns.splice(this.turns.indexOf(asker), 1)
    const [waiter] = asker.waiting.splice(at, 1)
    if (waiter) this.#waiting--
    if (asker.waiting.length) this.turns.push(asker)
    return waiter
  }

  /**
   * Connections that callers wait for and might get, up to `most`, and `writers` for writing; callers that
   * hold all they may are not counted.
   */
  wanted(most: number, writers: number): number {
    let [wanted, writersLeft] = [0, writers]
    for (const { held, share, waiting } of this.turns) {
      let eligible = 0
      for (const { writing } of waiting) {
        if (eligible >= share - held || wanted + eligible >= most) break
        if (!writing || writersLeft-- > 0) eligible++
      }
      wanted += eligible
    }
    return wanted
  }

  /** Rejects the next in line: there is no connection; false if the queue is empty. */
  refuseOne(error: unknown): boolean {
    const [next] = this.turns
    const waiter = next && this.#take(next)
    waiter?.reject(error)
    return waiter !== undefined
  }

  refuseAll(error: unknown): void {
    for (const { waiting } of this.turns.splice(0))
      for (const waiter of waiting.splice(0)) waiter.reject(error)
    this.#waiting = 0
  }

  /** Those of a kind wait in line, but readers may be served before writers: all are looked at. */
  #rejectOverdue(): void {
    const now = performance.now()
    let soonest = Number.POSITIVE_INFINITY
    for (const asker of [...this.turns]) {
      while (asker.waiting[0] && asker.waiting[0].until <= now)
        this.#take(asker)?.reject(
          new ServiceUnavailable('No database connection became free in time. Please try again.'),
        )
      soonest = Math.min(soonest, asker.waiting[0]?.until ?? Number.POSITIVE_INFINITY)
    }
    this.#patience = this.turns.length
      ? setTimeout(() => this.#rejectOverdue(), soonest - now).unref()
      : undefined
  }
}
