// A small pool of connections to one database. It replaces pg-pool, which needs listeners, timers and a turn
// of the event loop for every checkout: this pool hands over a free connection at once, the one used last
// first (its caches are warm, the others may be closed when the load drops). No asker holds more than a
// share, and some connections are reserved for readers: writers may all wait for one locked record, and reads
// go on meanwhile. Calls without a free connection queue (connection-queue.ts).
import { ServiceUnavailable } from '../errors.ts'
import { statementTimeoutOf } from './address.ts'
import { Connection } from './connection.ts'
import { type Asker, askerOf, mayHold, type Purpose, Queue, SERVER_ID, SOON } from './connection-queue.ts'
import { DeadConnections } from './dead-connections.ts'
import { sqlState } from './errors.ts'
import { Growth } from './growth.ts'
import type { PoolOptions, PoolStats } from './options.ts'

/** Milliseconds between attempts while the server takes no more connections. */
const FULL_MS = 100

/** The share of connections for writers, if there are more than a few. */
const WRITERS = 0.75
const FEW = 4

/** Askers that are remembered without holding or waiting for a connection. */
const MOST_ASKERS = 1000

const READING: Purpose = {}

interface Free {
  readonly connection: Connection
  /** The round of the reaper in which it came back, of all so far. */
  readonly since: number
}

/** A loan of a connection: its asker and purpose. */
interface Loan {
  readonly asker: Asker
  readonly writing: boolean
  /** By `performance.now()`. */
  readonly since: number
}

export class Pool {
  /** Counts rows that were inserted. */
  readonly growth = new Growth((work) => this.use(work))
  readonly #options: PoolOptions
  readonly #max: number
  readonly #all = new Set<Connection>()
  readonly #watch: DeadConnections
  readonly #free: Free[] = []
  readonly #askers = new Map<number, Asker>()
  readonly #loans = new Map<Connection, Loan>()
  /** Connections that writers may hold, and hold. */
  readonly #mostWriting: number
  #writing = 0
  readonly #queue: Queue
  #connecting = 0
  #reaper: NodeJS.Timeout | undefined
  #round = 0
  #ending: PromiseWithResolvers<void> | undefined
  #retired = false
  #side: Pool | undefined

  constructor(options: PoolOptions) {
    this.#options = options
    this.#max = options.max ?? 10
    this.#mostWriting = this.#max < FEW ? this.#max : Math.floor(this.#max * WRITERS)
    this.#queue = new Queue(options.queueLimit ?? 1000, options.acquireTimeoutMs ?? 30_000)
    this.#watch = new DeadConnections(this.#all, this.#free, statementTimeoutOf(options), options.patience)
  }

  /**
   * A connection without an open transaction for the user `who`, or the server itself, to be released by
   * `release`. Waiting askers are served in turn, each in the order of its requests. Throws
   * ServiceUnavailable when too many wait or the wait is too long, and the driver's error when the server
   * cannot be reached.
   */
  async acquire(who: number = SERVER_ID, purpose: Purpose = READING): Promise<Connection> {
    const free = this.lend(who, purpose)
    if (free) return free
    const connection = this.#queue.wait(this.#askerOf(who), purpose)
    this.#grow()
    return connection
  }

  /** Like `acquire`, but at once: null if no connection is free for the user. */
  lend(who: number = SERVER_ID, purpose: Purpose = READING): Connection | null {
    if (this.#ending) throw new ServiceUnavailable('The server is stopping.')
    const asker = this.#askerOf(who)
    if (!this.#mayHave(asker, purpose)) return null
    for (let free = this.#free.pop(); free; free = this.#free.pop()) {
      if (!free.connection.usable) continue
      this.#book(free.connection, asker, purpose)
      return free.connection
    }
    return null
  }

  #askerOf(who: number): Asker {
    const existing = this.#askers.get(who)
    if (existing) return existing
    if (this.#askers.size >= MOST_ASKERS)
      for (const [id, { held, waiting }] of this.#askers)
        if (held + waiting.length === 0) this.#askers.delete(id)
    const asker = askerOf(who, this.#max, this.#queue.places)
    this.#askers.set(who, asker)
    return asker
  }

  /** Whether a connection that is free may go to an asker at once. */
  readonly #mayHave = ({ held, share }: Asker, { writing }: Purpose): boolean =>
    held < share && (!writing || this.#writing < this.#mostWriting)

  #book(connection: Connection, asker: Asker, { writing = false }: Purpose): void {
    asker.held++
    if (writing) this.#writing++
    this.#loans.set(connection, { asker, writing, since: performance.now() })
  }

  /** Whether who had it may have one more from now on. */
  #takeBack(connection: Connection): boolean {
    const loan = this.#loans.get(connection)
    if (!loan) return false
    this.#loans.delete(connection)
    loan.asker.held--
    if (loan.writing) this.#writing--
    const { asker, since } = loan
    const ms = performance.now() - since
    return (ms > SOON || asker.share < asker.most) && mayHold(asker, ms)
  }

  /**
   * Gives a connection back; one that is `broken`, lost or in the middle of something is dropped, and its
   * transaction with it.
   */
  release(connection: Connection, broken = false): void {
    const mayHaveMore = this.#takeBack(connection)
    connection.patient = false
    if (broken || !connection.usable || !connection.idle) this.#drop(connection)
    else this.#pass(connection)
    if (mayHaveMore) this.#passSpare()
  }

  /** A waiting asker may have one more than before: a free one, or a new one. */
  #passSpare(): void {
    const spare = this.#queue.turns.length ? this.#free.pop() : undefined
    if (spare) this.#pass(spare.connection)
    this.#grow()
  }

  /** Gives a connection to the next in line, or keeps it. */
  #pass(connection: Connection): void {
    const next = this.#queue.turns.length ? this.#queue.next(this.#mayHave) : null
    if (next) {
      this.#book(connection, next.asker, next.waiter)
      next.waiter.resolve(connection)
    } else if (this.#ending || this.#retired) void connection.close()
    else this.#rest(connection)
  }

  /** Closes idle connections. */
  shed(): void {
    this.#side?.shed()
    for (const { connection } of this.#free.splice(0)) void connection.close()
  }

  /**
   * Keeps no connection from now on: callers that still use the pool are served, with connections that close
   * when they are released.
   */
  retire(): void {
    this.#retired = true
    this.#side?.retire()
    clearInterval(this.#reaper)
    this.shed()
  }

  /** Whether settings of a session last: with a pooler by transaction they do not. */
  get keepsSessions(): boolean {
    return this.#options.pooler !== 'transaction'
  }

  /** Current time of this database: the machine's clock, or that of a test. */
  now(): Date {
    return this.#options.clock?.now() ?? new Date()
  }

  /** Whether no connection is in use or waited for. */
  get quiet(): boolean {
    return (
      (this.#side?.quiet ?? true) &&
      this.#connecting === 0 &&
      this.#queue.turns.length === 0 &&
      this.#all.size === this.#free.length
    )
  }

  /** Acquires, runs, gives back. For single statements and whole transactions of the caller's own. */
  async use<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.acquire()
    try {
      return await work(connection)
    } finally {
      this.release(connection)
    }
  }

  /**
   * Like `use`, for callers that may hold a connection already: when none is free they share one extra
   * connection, so that they never wait for each other.
   */
  useAside<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#ending || this.#free.some(({ connection }) => connection.usable)) return this.use(work)
    this.#side ??= new Pool({ ...this.#options, max: 1 })
    return this.#side.use(work)
  }

  /** Refuses newcomers, waits for the connections in use to come back and closes all. */
  async end(): Promise<void> {
    if (!this.#ending) {
      this.#ending = Promise.withResolvers<void>()
      clearInterval(this.#reaper)
      this.#queue.refuseAll(new ServiceUnavailable('The server is stopping.'))
      for (const { connection } of this.#free.splice(0)) void connection.close()
      this.#settleEnd()
    }
    await this.#side?.end()
    return this.#ending.promise
  }

  stats(): PoolStats {
    return { open: this.#all.size, free: this.#free.length, waiting: this.#queue.waiting }
  }

  /**
   * Opens connections while more callers wait than connections are being opened; not for askers that hold all
   * they may.
   */
  #grow(): void {
    const wanted = this.#queue.wanted(this.#max, this.#mostWriting - this.#writing)
    while (this.#connecting < wanted && this.#all.size + this.#connecting < this.#max) void this.#open()
  }

  async #open(): Promise<void> {
    this.#connecting++
    try {
      const connection = await Connection.connect(this.#options)
      this.#all.add(connection)
      this.#watch.start()
      connection.onEnd(() => this.#forget(connection))
      this.#connecting--
      this.release(connection)
    } catch (error) {
      this.#connecting--
      // The server is full of connections of others: waiters may get one of this pool when it is released, or
      // one in room that `makeRoom` makes.
      const full = sqlState(error) === '53300'
      const { makeRoom, refusal } = this.#options
      const mayCome = full && (this.#all.size > 0 || makeRoom)
      if (!mayCome && this.#queue.refuseOne(refusal ? refusal(error) : error)) {
        // Each further waiter needs an attempt of its own: no released connection would wake it.
        this.#grow()
      } else if (full && makeRoom) {
        makeRoom()
        setTimeout(() => this.#grow(), FULL_MS)
      }
    }
    this.#settleEnd()
  }

  #rest(connection: Connection): void {
    this.#free.push({ connection, since: this.#round })
    this.#reaper ??= setInterval(() => this.#reap(), (this.#options.idleTimeoutMs ?? 60_000) / 2).unref()
  }

  /**
   * Closes connections that were idle for two full rounds and the rest of a third: the front of the stack is
   * the longest idle.
   */
  #reap(): void {
    this.#round++
    while (this.#free[0] && this.#free[0].since <= this.#round - 3)
      void this.#free.shift()?.connection.close()
  }

  #drop(connection: Connection): void {
    connection.destroy()
    this.#forget(connection)
  }

  #forget(connection: Connection): void {
    if (!this.#all.delete(connection)) return
    const index = this.#free.findIndex((free) => free.connection === connection)
    if (index >= 0) this.#free.splice(index, 1)
    this.#passSpare()
    this.#settleEnd()
  }

  #settleEnd(): void {
    if (this.#ending && this.#all.size === 0 && this.#connecting === 0) this.#ending.resolve()
  }
}
