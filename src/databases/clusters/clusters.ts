// The PostgreSQL servers that hold this server's databases, and the place of each database. A node caches the
// map: if it is out of date, the cluster that a database left refuses connections to it, and the map is read
// again.
import { ServiceUnavailable, UserError } from '../../errors.ts'
import { type Admin, type Heartbeat, isConnectionLost, type ServerAddress } from '../../postgres/index.ts'
import type { Maker } from '../maker.ts'
import { type Entry, MAIN, type Place, type Register, type Registered } from './register.ts'

export interface Cluster {
  readonly name: string
  /** The way of calls. */
  readonly served: ServerAddress
  /** The way to PostgreSQL itself. */
  readonly address: ServerAddress
  readonly maker: Maker
  readonly pulse: Heartbeat
}

/** Milliseconds for which the map is cached: while its changes are received, and while they are not. */
const HEARD_MS = 30_000
const UNHEARD_MS = 1000
/** Milliseconds for which a cluster that could not be reached is not tried again by who opens a database. */
const DOWN_MS = 3000

interface Known extends Registered {
  readonly at: number
  readonly clusters: ReadonlyMap<string, Cluster>
}

export interface ClustersOptions {
  readonly main: Cluster
  /** Null for the embedded server, which is the only one. */
  readonly register: Register | null
  readonly make: (entry: Entry) => Cluster
  /** Whether changes of the map are received at this moment. */
  readonly isHeard: () => boolean
}

export class Clusters {
  readonly main: Cluster
  readonly #options: ClustersOptions
  #known: Known | undefined
  #reading: Promise<Known> | undefined
  /** Number of invalidations: a map that was requested before the last one is out of date. */
  #forgotten = 0
  /** Names of the main cluster's databases, as last read. */
  #here: readonly string[] | undefined
  readonly #down = new Map<string, number>()

  constructor(options: ClustersOptions) {
    this.#options = options
    this.main = options.main
  }

  /** The tables. Throws UserError for the embedded server. */
  get register(): Register {
    if (this.#options.register) return this.#options.register
    throw new UserError(
      'Clusters require your own PostgreSQL server (--database-url); the embedded server supports only one.',
    )
  }

  /** Makes the next use read the map again. */
  forget(): void {
    this.#forgotten++
    this.#reading = undefined
    if (this.#known) this.#known = { ...this.#known, at: Number.NEGATIVE_INFINITY }
  }

  /** Whether there are clusters besides the main one, as far as is known. */
  get several(): boolean {
    return (this.#known?.clusters.size ?? 1) > 1
  }

  /** All clusters, the main one first. */
  async all(): Promise<readonly Cluster[]> {
    return [...(await this.#read()).clusters.values()]
  }

  /** The place of a database; null if the map has none. `now`: reads the map again. */
  async placeOf(name: string, now = false): Promise<Place | null> {
    if (now) this.forget()
    return (await this.#read()).places.get(name) ?? null
  }

  /** Names of databases whose move is under way, or died; empty while the map cannot be read. */
  async unsettled(): Promise<string[]> {
    const { places } = await this.#read().catch(() => ({ places: new Map<string, Place>() }))
    return [...places].filter(([, { other }]) => other !== null).map(([name]) => name)
  }

  /** The cluster of a database, or for a new one. Throws ServiceUnavailable while it is known to be down. */
  async of(name: string): Promise<Cluster> {
    if (!this.#options.register) return this.main
    const place = await this.placeOf(name)
    const cluster = await this.named(place?.cluster ?? MAIN)
    const since = this.#down.get(cluster.name)
    if (since !== undefined && this.several && performance.now() < since + DOWN_MS)
      throw new ServiceUnavailable('The database is not available at the moment.', {
        retryAfter: 3,
        repeats: true,
      })
    return cluster
  }

  /** Throws UserError. */
  async named(name: string): Promise<Cluster> {
    const cluster = (await this.#read()).clusters.get(name)
    if (cluster) return cluster
    throw new UserError(`Unknown cluster ${JSON.stringify(name)}: comptoir cluster list shows all clusters.`)
  }

  /** The cluster for new databases, unless one is named. */
  async forNew(name?: string): Promise<Cluster> {
    if (!this.#options.register && (name ?? MAIN) === MAIN) return this.main
    if (name !== undefined) return this.named(name)
    const { entries } = await this.#read()
    return this.named(entries.find(({ takesNew }) => takesNew)?.name ?? MAIN)
  }

  /**
   * Names of the databases of all clusters, in order. Only the main one is queried; while it is down, its
   * last answer is used.
   */
  async names(): Promise<string[]> {
    const { places } = await this.#read()
    const placed = [...places].filter(([, { cluster, other }]) => cluster !== MAIN || other !== null)
    const mainNames = await this.main.maker.admin.listDatabases().catch((error: unknown) => {
      if (this.#here && this.several) return [...this.#here]
      throw error
    })
    this.#here = mainNames
    if (placed.length === 0) return mainNames
    return [...new Set([...mainNames, ...placed.map(([name]) => name)])].sort((a, b) => (a < b ? -1 : 1))
  }

  /** Whether the cached map places the name in another cluster than the main one. */
  isElsewhere(name: string): boolean {
    const place = this.#known?.places.get(name)
    return place !== undefined && place.cluster !== MAIN
  }

  /** Closes the heartbeat connections. */
  async close(): Promise<void> {
    const all = this.#known?.clusters.values() ?? [this.main]
    await Promise.all([...all].map(({ pulse }) => pulse.close()))
  }

  /** Connecting failed: later calls are refused for a while without trying. */
  noteFailure(name: string, error: unknown): void {
    if (isConnectionLost(error)) this.#down.set(name, performance.now())
  }

  /**
   * Runs `work`, which gives a database of this cluster its name, while no other process can use the name in
   * any cluster. Throws UserError for a name that is taken.
   */
  claim(cluster: Cluster, name: string, work: () => Promise<void>): Promise<void> {
    const { admin } = this.main.maker
    return admin.holding([name], async () => {
      await this.assertFree(name)
      if (cluster === this.main) return work()
      // The row first: of a process that dies in between a name stays that opens nothing, and can be dropped.
      await this.register.place(name, cluster.name)
      try {
        await work()
      } catch (error) {
        if (await lacks(cluster.maker.admin, name)) await this.register.unplace(name)
        throw error
      }
    })
  }

  /** Notes that there is no database of this name any more. */
  async unplace(name: string): Promise<void> {
    if (this.isElsewhere(name)) await this.register.unplace(name)
  }

  /** As `claim`, of a database that has a name already, for who holds both names. */
  async replacing(cluster: Cluster, name: string, next: string, work: () => Promise<void>): Promise<void> {
    if (cluster === this.main) return work()
    await this.register.place(next, cluster.name)
    await work()
    await this.register.unplace(name)
  }

  /** Throws UserError for a name that a database has in any cluster. */
  async assertFree(name: string): Promise<void> {
    const place = this.#options.register ? await this.placeOf(name, true) : null
    if (place || (await this.main.maker.admin.databaseExists(name)))
      throw new UserError('A database of this name exists already.')
  }

  async #read(): Promise<Known> {
    const { register, isHeard } = this.#options
    const good = isHeard() || !register ? HEARD_MS : UNHEARD_MS
    if (this.#known && performance.now() - this.#known.at < good) return this.#known
    if (this.#reading) return this.#reading
    const reading = this.#readAnew().finally(() => {
      if (this.#reading === reading) this.#reading = undefined
    })
    this.#reading = reading
    return reading
  }

  /** While the main server is down, the cached map of the others stays in use. */
  async #readAnew(): Promise<Known> {
    const { register, make, main } = this.#options
    const [before, forgottenBefore] = [this.#known, this.#forgotten]
    const none: Registered = { entries: [], places: new Map() }
    const registered = await (register?.read() ?? Promise.resolve(none)).catch((error: unknown) => {
      if (before && this.several) return before
      throw error
    })
    const clusters = new Map([[MAIN, main]])
    for (const entry of registered.entries) {
      const old = before?.entries.find(({ name, url }) => name === entry.name && url === entry.url)
      clusters.set(entry.name, (old && before?.clusters.get(entry.name)) ?? make(entry))
    }
    const current = { ...registered, clusters, at: performance.now() }
    if (forgottenBefore === this.#forgotten) this.#known = current
    for (const [name, { pulse }] of before?.clusters ?? [])
      if (current.clusters.get(name)?.pulse !== pulse) void pulse.close()
    return current
  }
}

/** True only if the database certainly does not exist: the server may not answer. */
async function lacks(admin: Admin, name: string): Promise<boolean> {
  return !(await admin.databaseExists(name).catch(() => true))
}
