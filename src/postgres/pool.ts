// A small pool of connections to one database.
// Of our own and not pg-pool's, which takes listeners, timers and a turn of the event loop for every
// checkout: here a free connection is handed over at once, the one used last first (its caches are warm, the
// others may go when the load does). Who is next is lending.ts's.
import { ServiceUnavailable } from '../errors.ts'
import { type ConnectionOptions, statementTimeoutOf } from './address.ts'
import { Connection } from './connection.ts'
import { sqlState } from './errors.ts'
import { Growth } from './growth.ts'
import { Lending, NOBODY, type Purpose } from './lending.ts'
import { type Patience, SilenceWatch } from './silence.ts'

export interface PoolOptions extends ConnectionOptions {
  /** Connections at most. Default 10. */
  readonly max?: number
  /** Callers that may wait at most; more are refused. Default 1000. */
  readonly queueLimit?: number
  /** Milliseconds that a caller may wait. Default 30 000. */
  readonly acquireTimeoutMs?: number
  /** Milliseconds after which a connection that nobody uses is closed. Default 60 000. */
  readonly idleTimeoutMs?: number
  /**
   * Called when the server takes no more connections; whoever has free ones elsewhere closes them. The pool
   * tries again.
   */
  readonly makeRoom?: () => void
  /** What callers hear in the place of an error of connecting; by default the driver's error. */
  readonly refusal?: (error: unknown) => unknown
  /** For tests: how soon a silent line is given up. */
  readonly patience?: Patience
}

/** Milliseconds between attempts while the server takes no more connections. */
const FULL_MS = 100

export interface PoolStats {
  readonly open: number
  readonly free: number
  readonly waiting: number
}

const READING: Purpose = {}

interface Free {
  readonly connection: Connection
  /** The round of the reaper in which it came back. */
  readonly since: number
}

export class Pool {
  /** Hears of rows that were inserted. */
  readonly growth = new Growth((work) => this.use(work))
  readonly #options: PoolOptions
  readonly #max: number
  readonly #all = new Set<Connection>()
  readonly #silence: SilenceWatch
  readonly #free: Free[] = []
  readonly #lending: Lending
  #connecting = 0
  #reaper: NodeJS.Timeout | undefined
  /** Rounds of the reaper so far. */
  #round = 0
  #ending: PromiseWithResolvers<void> | undefined
  #retired = false
  #side: Pool | undefined

  constructor(options: PoolOptions) {
    this.#options = options
    this.#max = options.max ?? 10
    this.#lending = new Lending({
      most: this.#max,
      places: options.queueLimit ?? 1000,
      patienceMs: options.acquireTimeoutMs ?? 30_000,
    })
    this.#silence = new SilenceWatch(this.#all, statementTimeoutOf(options), options.patience)
  }

  /**
   * A connection with no transaction open for the user `who`, or the server itself, to be given back by
   * `release`. Those who wait are served in turns, each in the order in which they asked. Throws
   * ServiceUnavailable when too many wait or one waited too long, and the driver's error when the server
   * cannot be reached.
   */
  async acquire(who: number = NOBODY, purpose: Purpose = READING): Promise<Connection> {
    if (this.#ending) throw new ServiceUnavailable('The server is going down.')
    const asker = this.#lending.asker(who)
    if (this.#lending.allows(asker, purpose)) {
      for (let free = this.#free.pop(); free; free = this.#free.pop()) {
        if (!free.connection.usable) continue
        this.#lending.lend(free.connection, asker, purpose)
        return free.connection
      }
    }
    const connection = this.#lending.wait(asker, purpose)
    this.#grow()
    return connection
  }

  /**
   * Gives a connection back; one that is `broken`, lost or in the middle of something is dropped, and its
   * transaction with it.
   */
  release(connection: Connection, broken = false): void {
    this.#lending.takeBack(connection)
    connection.patient = false
    if (broken || !connection.usable || !connection.idle) this.#drop(connection)
    else this.#pass(connection)
  }

  /** Gives a connection to whoever is next, or keeps it. */
  #pass(connection: Connection): void {
    if (this.#lending.pass(connection)) return
    if (this.#ending || this.#retired) void connection.close()
    else this.#rest(connection)
  }

  /** Closes the connections that nobody uses at this moment. */
  shed(): void {
    this.#side?.shed()
    for (const { connection } of this.#free.splice(0)) void connection.close()
  }

  /**
   * Keeps no connection from now on: whoever still knows the pool is served, with connections that close when
   * they come back.
   */
  retire(): void {
    this.#retired = true
    this.#side?.retire()
    clearInterval(this.#reaper)
    this.shed()
  }

  /** Whether a connection stays with whoever has it: behind some poolers nothing of a session does. */
  get keepsSessions(): boolean {
    return this.#options.pooler !== 'transaction'
  }

  /** What time it is in this database: the machine's clock, or that of a test. */
  now(): Date {
    return this.#options.clock?.now() ?? new Date()
  }

  /** Whether no connection is in use and nobody waits for one. */
  get quiet(): boolean {
    return (
      (this.#side?.quiet ?? true) &&
      this.#connecting === 0 &&
      this.#lending.waiting === 0 &&
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
   * As `use`, for those who may hold a connection already: when none is free they take turns on one more, so
   * that they never wait for each other.
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
      this.#lending.refuseAll(new ServiceUnavailable('The server is going down.'))
      for (const { connection } of this.#free.splice(0)) void connection.close()
      this.#settleEnd()
    }
    await this.#side?.end()
    return this.#ending.promise
  }

  /** Connections open and free, callers waiting. */
  stats(): PoolStats {
    return { open: this.#all.size, free: this.#free.length, waiting: this.#lending.waiting }
  }

  /**
   * Opens connections while callers wait for more than are on their way; not for those who hold all they may.
   */
  #grow(): void {
    const wanted = this.#lending.wanted()
    while (this.#connecting < wanted && this.#all.size + this.#connecting < this.#max) void this.#open()
  }

  async #open(): Promise<void> {
    this.#connecting++
    try {
      const connection = await Connection.connect(this.#options)
      this.#all.add(connection)
      this.#silence.start()
      connection.onEnd(() => this.#forget(connection))
      this.#connecting--
      this.release(connection)
    } catch (error) {
      this.#connecting--
      // The server is full of others' connections: those who wait may have one of ours when it comes back, or
      // room that is made for them.
      const full = sqlState(error) === '53300'
      const { makeRoom, refusal } = this.#options
      const mayCome = full && (this.#all.size > 0 || makeRoom)
      if (!mayCome && this.#lending.refuseOne(refusal ? refusal(error) : error)) {
        // Those behind are as many more attempts: nothing that comes back would wake them.
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
   * Closes what nobody used for two rounds and the rest of a third: the front of the stack is the longest
   * idle.
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
    // Who had all they may, and waits, may have another one now.
    const free = this.#lending.waiting ? this.#free.pop() : undefined
    if (free) this.#pass(free.connection)
    this.#grow()
    this.#settleEnd()
  }

  #settleEnd(): void {
    if (this.#ending && this.#all.size === 0 && this.#connecting === 0) this.#ending.resolve()
  }
}
