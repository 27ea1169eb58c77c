// Who may have a connection of a pool next. Nobody holds more than a share, those who wait are served in
// turns, so that whoever asks a thousand times delays the others by one each, and some connections are not
// for writers: those may all wait for one record that somebody holds, and reads go on meanwhile.
import { BadRequest, ServiceUnavailable } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Connection } from './connection.ts'

/** What somebody wants a connection for. */
export interface Purpose {
  /** Whether it may wait for locks that others hold. */
  readonly writing?: boolean
  /** Whether who asks is no longer there. */
  readonly gone?: (() => boolean) | undefined
}

interface Waiter extends Purpose {
  readonly resolve: (connection: Connection) => void
  readonly reject: (error: unknown) => void
  /** By `performance.now()`. */
  readonly until: number
}

/** One who asks for connections: a user, or the server itself. */
export interface Asker {
  /** Connections they may hold. */
  readonly share: number
  /** Calls of theirs that may wait. */
  readonly places: number
  held: number
  /** In the order in which they asked. */
  readonly waiting: Waiter[]
}

/** What is lent: to whom, and for what. */
interface Loan {
  readonly asker: Asker
  readonly writing: boolean
}

export interface LendingOptions {
  /** Connections there may be. */
  readonly most: number
  /** Callers that may wait. */
  readonly places: number
  /** Milliseconds that a caller may wait. */
  readonly patienceMs: number
}

/** Who asks when nobody is named: the server, which may hold all. */
export const NOBODY = 0

/** Askers that are remembered though they neither hold nor want anything. */
const MOST_ASKERS = 1000

/** The part of the connections, and of the places in the line, that one user may have. */
const PART = 0.75

/** The part of the connections that writers may have, where there are more than a few. */
const WRITERS = 0.75
const FEW = 4

export class Lending {
  readonly #options: LendingOptions
  readonly #askers = new Map<number, Asker>()
  /** Askers that wait for something; whoever was served last stands last. */
  readonly #turns: Asker[] = []
  readonly #loans = new Map<Connection, Loan>()
  /** Connections that writers may hold, and hold. */
  readonly #mostWriting: number
  #writing = 0
  #waiting = 0
  /** Goes off when the caller that waits longest has waited too long. */
  #patience: NodeJS.Timeout | undefined

  constructor(options: LendingOptions) {
    this.#options = options
    this.#mostWriting = options.most < FEW ? options.most : Math.floor(options.most * WRITERS)
  }

  /** Callers that wait. */
  get waiting(): number {
    return this.#waiting
  }

  asker(who: number): Asker {
    const known = this.#askers.get(who)
    if (known) return known
    if (this.#askers.size >= MOST_ASKERS)
      for (const [one, { held, waiting }] of this.#askers)
        if (held + waiting.length === 0) this.#askers.delete(one)
    const { most, places } = this.#options
    const asker: Asker =
      who === NOBODY
        ? { share: Number.POSITIVE_INFINITY, places, held: 0, waiting: [] }
        : {
            share: Math.min(limits['user-connections'], Math.ceil(most * PART)),
            places: Math.ceil(places * PART),
            held: 0,
            waiting: [],
          }
    this.#askers.set(who, asker)
    return asker
  }

  /** Whether a connection that is free may go to an asker at once. */
  allows(asker: Asker, purpose: Purpose): boolean {
    return asker.held < asker.share && this.#mayWrite(purpose)
  }

  #mayWrite({ writing }: Purpose): boolean {
    return !writing || this.#writing < this.#mostWriting
  }

  lend(connection: Connection, asker: Asker, { writing = false }: Purpose): void {
    asker.held++
    if (writing) this.#writing++
    this.#loans.set(connection, { asker, writing })
  }

  takeBack(connection: Connection): void {
    const loan = this.#loans.get(connection)
    if (!loan) return
    this.#loans.delete(connection)
    loan.asker.held--
    if (loan.writing) this.#writing--
  }

  /**
   * Resolves with a connection when it is their turn. Throws ServiceUnavailable when too many wait, or one
   * waited too long.
   */
  wait(asker: Asker, purpose: Purpose): Promise<Connection> {
    if (this.#waiting >= this.#options.places || asker.waiting.length >= asker.places)
      throw new ServiceUnavailable('Too many requests are waiting for the database.')
    const { promise, resolve, reject } = Promise.withResolvers<Connection>()
    const { patienceMs } = this.#options
    if (asker.waiting.push({ ...purpose, resolve, reject, until: performance.now() + patienceMs }) === 1)
      this.#turns.push(asker)
    this.#waiting++
    this.#patience ??= setTimeout(() => this.#giveUp(), patienceMs).unref()
    return promise
  }

  /**
   * Lends a connection to whoever is next; false when it is nobody's turn. Those who are no longer there are
   * let go on the way.
   */
  pass(connection: Connection): boolean {
    for (const asker of this.#waiting ? [...this.#turns] : []) {
      while (asker.held < asker.share && asker.waiting.length) {
        const at = asker.waiting.findIndex((one) => this.#mayWrite(one))
        const waiter = at < 0 ? undefined : this.#take(asker, at)
        if (!waiter) break
        if (waiter.gone?.()) waiter.reject(new BadRequest('The client went away'))
        else {
          this.lend(connection, asker, waiter)
          waiter.resolve(connection)
          return true
        }
      }
    }
    return false
  }

  /** One of those an asker has waiting; the asker goes to the end of the line. */
  #take(asker: Asker, at = 0): Waiter | undefined {
    this.#turns.splice(this.#turns.indexOf(asker), 1)
    const [waiter] = asker.waiting.splice(at, 1)
    if (waiter) this.#waiting--
    if (asker.waiting.length) this.#turns.push(asker)
    return waiter
  }

  /** Connections that callers wait for and might have: none for those who hold all they may. */
  wanted(): number {
    let wanted = 0
    let writers = this.#mostWriting - this.#writing
    for (const { held, share, waiting } of this.#turns) {
      let eligible = 0
      for (const { writing } of waiting) {
        if (eligible >= share - held || wanted + eligible >= this.#options.most) break
        if (!writing || writers-- > 0) eligible++
      }
      wanted += eligible
    }
    return wanted
  }

  /** Tells the next in line that there is no connection; false when nobody waits. */
  refuseOne(error: unknown): boolean {
    const [next] = this.#turns
    const waiter = next && this.#take(next)
    waiter?.reject(error)
    return waiter !== undefined
  }

  refuseAll(error: unknown): void {
    for (const { waiting } of this.#turns.splice(0))
      for (const waiter of waiting.splice(0)) waiter.reject(error)
    this.#waiting = 0
  }

  /** Those of a kind wait in line, but readers may be served before writers: all are looked at. */
  #giveUp(): void {
    const now = performance.now()
    let soonest = Number.POSITIVE_INFINITY
    for (const asker of [...this.#turns]) {
      while (asker.waiting[0] && asker.waiting[0].until <= now)
        this.#take(asker)?.reject(new ServiceUnavailable('The database had no free connection in time.'))
      soonest = Math.min(soonest, asker.waiting[0]?.until ?? Number.POSITIVE_INFINITY)
    }
    this.#patience = this.#turns.length ? setTimeout(() => this.#giveUp(), soonest - now).unref() : undefined
  }
}
