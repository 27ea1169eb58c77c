// The opened databases of a process: opened on first use, closed when idle or when others need the room, so
// that a server of thousands of databases holds only those in use.
import type { Database } from './database.ts'

export interface HandlesOptions {
  readonly open: (name: string) => Promise<Database>
  /** Databases that stay open at most, as long as they are not all busy. */
  readonly most: number
  /** Milliseconds after which an idle database is closed. */
  readonly idleMs: number
}

interface Handle {
  readonly opening: Promise<Database>
  /** Set when it is open. */
  database?: Database
  /** By `performance.now()`. */
  used: number
  /** Whether it was used since the last `takeUsed`. */
  wasUsed: boolean
}

export class Handles {
  readonly #options: HandlesOptions
  readonly #handles = new Map<string, Handle>()
  /** Databases that are being copied, renamed or dropped: new calls wait for the last such operation. */
  readonly #held = new Map<string, Promise<void>>()
  /** Databases that were used since the last `takeUsed`, and closed meanwhile. */
  readonly #usedBefore = new Set<string>()
  readonly #sweeper: NodeJS.Timeout

  constructor(options: HandlesOptions) {
    this.#options = options
    this.#sweeper = setInterval(
      () => this.#sweep(performance.now() - options.idleMs),
      options.idleMs / 2,
    ).unref()
  }

  /**
   * The database at once, if it is open and not reserved. It was opened after this process began to listen to
   * the others; after a gap in their messages all databases are opened again.
   */
  known(name: string): Database | undefined {
    const handle = this.#held.has(name) ? undefined : this.#handles.get(name)
    if (!handle) return undefined
    handle.used = performance.now()
    handle.wasUsed = true
    return handle.database
  }

  /** The database, opened if it is not. Throws what opening throws. */
  get(name: string): Promise<Database> {
    return this.#open(name, true)
  }

  /** The same for the server's upkeep, which does not count as use. */
  forUpkeep(name: string): Promise<Database> {
    return this.#open(name, false)
  }

  async #open(name: string, isUse: boolean): Promise<Database> {
    for (let held = this.#held.get(name); held; held = this.#held.get(name)) await held
    const existing = this.#handles.get(name)
    if (existing) {
      existing.used = performance.now()
      existing.wasUsed ||= isUse
      return existing.opening
    }
    const opening = this.#options.open(name)
    const handle: Handle = { opening, used: performance.now(), wasUsed: isUse }
    this.#handles.set(name, handle)
    opening.then(
      (database) => {
        handle.database = database
      },
      () => {
        if (this.#handles.get(name) === handle) this.#handles.delete(name)
      },
    )
    this.#limit()
    return opening
  }

  /** Names of the databases that were used since the last call, whether they are open or not. */
  takeUsed(): string[] {
    const names = new Set(this.#usedBefore)
    this.#usedBefore.clear()
    for (const [name, handle] of this.#handles) {
      if (handle.wasUsed) names.add(name)
      handle.wasUsed = false
    }
    return [...names]
  }

  /** Forgets a database that is gone: `takeUsed` does not return it. */
  forgetUse(name: string): void {
    this.#usedBefore.delete(name)
  }

  /** Makes changes of a database wait, as it is being moved. */
  shut(name: string): void {
    this.#handles.get(name)?.database?.gate.shut()
  }

  has(name: string): boolean {
    return this.#handles.has(name)
  }

  /** Those that are open by now. */
  settled(): readonly Database[] {
    return [...this.#handles.values()].flatMap(({ database }) => database ?? [])
  }

  /** Number of open databases. */
  get size(): number {
    return this.#handles.size
  }

  /** Forgets a database and closes it: calls in flight finish first. */
  async close(name: string): Promise<void> {
    const handle = this.#letGo(name)
    // One that could not be opened has nothing to close.
    await handle?.opening.then((database) => database.close()).catch(() => undefined)
  }

  /** Forgets a database without waiting: calls that have it may go on, new ones open it again. */
  retire(name: string): void {
    const handle = this.#letGo(name)
    // Pending writes for a database that is gone are dropped.
    handle?.opening.then((database) => database.retire()).catch(() => undefined)
  }

  #letGo(name: string): Handle | undefined {
    const handle = this.#handles.get(name)
    this.#handles.delete(name)
    if (handle?.wasUsed) this.#usedBefore.add(name)
    return handle
  }

  retireAll(): void {
    for (const name of [...this.#handles.keys()]) this.retire(name)
  }

  /**
   * Runs work that needs a database exclusively: calls in flight finish, new ones wait until it is done.
   * Several such works run one after the other.
   */
  async apart<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#held.get(name)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#held.set(name, promise)
    try {
      await before
      await this.close(name)
      return await work()
    } finally {
      if (this.#held.get(name) === promise) this.#held.delete(name)
      resolve()
    }
  }

  /** Closes idle connections of all databases: the server has no room for a new one. */
  makeRoom(): void {
    for (const { database } of this.#handles.values()) database?.pool.shed()
  }

  /** Closes everything. */
  async end(): Promise<void> {
    clearInterval(this.#sweeper)
    await Promise.all([...this.#handles.keys()].map((name) => this.close(name)))
  }

  /** Lets go of those used longest ago until no more than the limit are open; busy ones stay. */
  #limit(): void {
    const byUse = [...this.#handles].sort(([, first], [, other]) => first.used - other.used)
    for (const [name, { database }] of byUse) {
      if (this.#handles.size <= this.#options.most) return
      if (database?.pool.quiet) this.retire(name)
    }
  }

  #sweep(before: number): void {
    for (const [name, { database, used }] of this.#handles)
      if (used < before && database?.pool.quiet) this.retire(name)
  }
}
