// A small pool of connections to one database.
// Of our own and not pg-pool's, which takes listeners, timers and a turn of the event loop for every checkout: here a free connection
// is handed over at once, the one used last first (its caches are warm, the others may go when the load does). Nobody holds more than a share of them, and
// those who wait are served in turns, so that whoever asks a thousand times delays the others by one each.
import { ServiceUnavailable } from '../errors.ts'
import { limits } from '../limits.ts'
import { type ConnectionOptions, statementTimeoutOf } from './address.ts'
import { Connection } from './connection.ts'
import { sqlState } from './errors.ts'
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
  /** Called when the server takes no more connections; whoever has free ones elsewhere closes them. The pool tries again. */
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

interface Waiter {
  readonly resolve: (connection: Connection) => void
  readonly reject: (error: unknown) => void
  /** By `performance.now()`. */
  readonly until: number
}

/** One who asks for connections: a user, or the server itself. */
interface Asker {
  /** Connections they may hold. */
  readonly share: number
  held: number
  /** In the order in which they asked. */
  readonly waiting: Waiter[]
}

/** Who asks when nobody is named: the server, which may hold all. */
const NOBODY = 0

/** Askers that are remembered though they neither hold nor want anything. */
const MOST_ASKERS = 1000

/** The part of the connections, and of the places in the line, that one user may have. */
const PART = 0.75

interface Free {
  readonly connection: Connection
  /** The round of the reaper in which it came back. */
  readonly since: number
}

export class Pool {
  readonly #options: PoolOptions
  readonly #max: number
  readonly #all = new Set<Connection>()
  readonly #silence: SilenceWatch
  readonly #free: Free[] = []
  readonly #askers = new Map<number, Asker>()
  /** Askers that wait for something; whoever was served last stands last. */
  readonly #turns: Asker[] = []
  readonly #holders = new Map<Connection, Asker>()
  #waiting = 0
  #connecting = 0
  #reaper: NodeJS.Timeout | undefined
  /** Rounds of the reaper so far. */
  #round = 0
  /** Goes off when the caller that waits longest has waited too long. */
  #patience: NodeJS.Timeout | undefined
  #ending: PromiseWithResolvers<void> | undefined
  #retired = false
  #side: Pool | undefined

  constructor(options: PoolOptions) {
    this.#options = options
    this.#max = options.max ?? 10
    this.#silence = new SilenceWatch(this.#all, statementTimeoutOf(options), options.patience)
  }

  /**
   * A connection with no transaction open for the user `who`, or the server itself, to be given back by `release`. Those who wait are served in turns, each in the order
   * in which they asked. Throws ServiceUnavailable when too many wait or one waited too long, and the driver's error when the server cannot be reached.
   */
  async acquire(who: number = NOBODY): Promise<Connection> {
    if (this.#ending) throw new ServiceUnavailable('The server is going down.')
    const asker = this.#askers.get(who) ?? this.#meet(who)
    if (asker.held < asker.share) {
      for (let free = this.#free.pop(); free; free = this.#free.pop()) {
        if (!free.connection.usable) continue
        asker.held++
        this.#holders.set(free.connection, asker)
        return free.connection
      }
    }
    const places = this.#options.queueLimit ?? 1000
    if (this.#waiting >= places || (who !== NOBODY && asker.waiting.length >= Math.ceil(places * PART))) {
      throw new ServiceUnavailable('Too many requests are waiting for the database.')
    }
    return this.#wait(asker)
  }

  #meet(who: number): Asker {
    if (this.#askers.size >= MOST_ASKERS)
      for (const [one, { held, waiting }] of this.#askers) if (held + waiting.length === 0) this.#askers.delete(one)
    const share = who === NOBODY ? Number.POSITIVE_INFINITY : Math.min(limits['user-connections'], Math.ceil(this.#max * PART))
    const asker = { share, held: 0, waiting: [] }
    this.#askers.set(who, asker)
    return asker
  }

  #wait(asker: Asker): Promise<Connection> {
    const { promise, resolve, reject } = Promise.withResolvers<Connection>()
    const wait = this.#options.acquireTimeoutMs ?? 30_000
    if (asker.waiting.push({ resolve, reject, until: performance.now() + wait }) === 1) this.#turns.push(asker)
    this.#waiting++
    this.#patience ??= setTimeout(() => this.#giveUp(), wait).unref()
    this.#grow()
    return promise
  }

  /** Gives a connection back; one that is `broken`, lost or in the middle of something is dropped, and its transaction with it. */
  release(connection: Connection, broken = false): void {
    const holder = this.#holders.get(connection)
    if (holder) {
      this.#holders.delete(connection)
      holder.held--
    }
    connection.patient = false
    if (broken || !connection.usable || !connection.idle) this.#drop(connection)
    else this.#pass(connection)
  }

  /** Gives a connection to whoever is next, or keeps it. */
  #pass(connection: Connection): void {
    const asker = this.#waiting ? this.#turns.find(({ held, share }) => held < share) : undefined
    if (asker) {
      asker.held++
      this.#holders.set(connection, asker)
      this.#takeWaiter(asker)?.resolve(connection)
    } else if (this.#ending || this.#retired) void connection.close()
    else this.#rest(connection)
  }

  /** The first of those an asker has waiting; the asker goes to the end of the line. */
  #takeWaiter(asker: Asker): Waiter | undefined {
    this.#turns.splice(this.#turns.indexOf(asker), 1)
    const waiter = asker.waiting.shift()
    if (waiter) this.#waiting--
    if (asker.waiting.length) this.#turns.push(asker)
    return waiter
  }

  /** Closes the connections that nobody uses at this moment. */
  shed(): void {
    this.#side?.shed()
    for (const { connection } of this.#free.splice(0)) void connection.close()
  }

  /** Keeps no connection from now on: whoever still knows the pool is served, with connections that close when they come back. */
  retire(): void {
    this.#retired = true
    this.#side?.retire()
    clearInterval(this.#reaper)
    this.shed()
  }

  /** What time it is in this database: the machine's clock, or that of a test. */
  now(): Date {
    return this.#options.clock?.now() ?? new Date()
  }

  /** Whether no connection is in use and nobody waits for one. */
  get quiet(): boolean {
    return (this.#side?.quiet ?? true) && this.#connecting === 0 && this.#waiting === 0 && this.#all.size === this.#free.length
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
   * As `use`, for those who may hold a connection already: when none is free they take turns on one more, so that they never wait for each other.
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
      for (const { waiting } of this.#turns.splice(0))
        for (const waiter of waiting.splice(0)) waiter.reject(new ServiceUnavailable('The server is going down.'))
      this.#waiting = 0
      for (const { connection } of this.#free.splice(0)) void connection.close()
      this.#settleEnd()
    }
    await this.#side?.end()
    return this.#ending.promise
  }

  /** Connections open and free, callers waiting. */
  stats(): PoolStats {
    return { open: this.#all.size, free: this.#free.length, waiting: this.#waiting }
  }

  /** Opens connections while callers wait for more than are on their way; not for those who hold all they may. */
  #grow(): void {
    let wanted = 0
    for (const { held, share, waiting } of this.#turns) wanted += Math.min(waiting.length, share - held)
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
      // The server is full of others' connections: those who wait may have one of ours when it comes back, or room that is made for them.
      const full = sqlState(error) === '53300'
      const { makeRoom, refusal } = this.#options
      const next = full && (this.#all.size > 0 || makeRoom) ? undefined : this.#turns[0]
      const waiter = next && this.#takeWaiter(next)
      if (waiter) {
        waiter.reject(refusal ? refusal(error) : error)
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

  /** Closes what nobody used for two rounds and the rest of a third: the front of the stack is the longest idle. */
  #reap(): void {
    this.#round++
    while (this.#free[0] && this.#free[0].since <= this.#round - 3) void this.#free.shift()?.connection.close()
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
    const free = this.#waiting ? this.#free.pop() : undefined
    if (free) this.#pass(free.connection)
    this.#grow()
    this.#settleEnd()
  }

  /** Each asker's callers wait in line, so one of the first is the one that waits longest. */
  #giveUp(): void {
    const now = performance.now()
    for (const asker of [...this.#turns])
      while (asker.waiting[0] && asker.waiting[0].until <= now)
        this.#takeWaiter(asker)?.reject(new ServiceUnavailable('The database had no free connection in time.'))
    const soonest = Math.min(...this.#turns.map(({ waiting }) => waiting[0]?.until ?? Number.POSITIVE_INFINITY))
    this.#patience = this.#turns.length ? setTimeout(() => this.#giveUp(), soonest - now).unref() : undefined
  }

  #settleEnd(): void {
    if (this.#ending && this.#all.size === 0 && this.#connecting === 0) this.#ending.resolve()
  }
}
