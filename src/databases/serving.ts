// Databases as calls find them: chosen by name and host, opened, kept open and closed again.
import { Rates } from '../access/index.ts'
import type { Embedded } from '../postgres/embedded/index.ts'
import {
  Admin,
  type Beat,
  type PoolOptions,
  type ReplicaOptions,
  type ServerAddress,
  type Ways,
} from '../postgres/index.ts'
import { Announcements } from './announcements.ts'
import { type AuditTarget, lineOf } from './audit.ts'
import type { Cluster, Clusters } from './clusters/clusters.ts'
import { clustersFor } from './clusters/create-clusters.ts'
import { anyOf, heartbeatsOf } from './clusters/every-cluster.ts'
import { openInCluster } from './clusters/open-in-cluster.ts'
import { Register } from './clusters/register.ts'
import { FileCollector } from './collector.ts'
import type { Contents } from './contents/contents.ts'
import { contentsOf } from './contents/index.ts'
import { Database, ReplacedDatabase } from './database.ts'
import { type Disk, diskOf } from './disk.ts'
import { Handles } from './handles.ts'
import { MasterPassword } from './master-password.ts'
import { NameList } from './name-list.ts'
import { filterFor, isGone, noDatabase } from './names.ts'
import { Nodes } from './nodes.ts'
import type { ServerOptions } from './options.ts'
import { KeptContents } from './recovery/contents.ts'
import { type BackupState, BackupStates } from './recovery/state.ts'
import { adviceOn } from './release.ts'
import { replicaOf } from './replica-of.ts'
import { Shared } from './shared.ts'
import { Upgrades } from './upgrade/on-open.ts'
import { databasePresence } from './upgrade/presence.ts'

/**
 * Opened databases by default: what 16 connections each of many would take from the server is given back when
 * it is full.
 */
const MAX_OPEN = 200
const IDLE_MS = 10 * 60_000

export class Serving {
  readonly options: ServerOptions
  /** Called when this process did something in a database that deserves an entry in its audit log. */
  onDeed: ((name: string, event: string) => void) | null = null
  readonly master: MasterPassword
  /** The way to PostgreSQL itself. */
  readonly address: ServerAddress
  /** Address for calls: a pooler if there is one. */
  readonly served: ServerAddress
  /** Messages between the processes of this server. */
  readonly announcements: Announcements
  /** Rate limits of callers; null: not limited. */
  rates: Rates | null = new Rates(null)
  /** Number of processes that limit them together. */
  readonly nodes: Nodes
  protected readonly embedded: Embedded | null
  /** Where databases are. */
  readonly clusters: Clusters
  protected readonly target: AuditTarget
  /** The databases that are open. */
  readonly handles: Handles
  readonly names = new NameList(() => this.list())
  readonly #collector: FileCollector
  /** The server that follows the one of the URL, and whether it does. */
  readonly replica: ReplicaOptions | null
  /** Copies of contents in the backups; null without backups. */
  protected readonly kept: KeptContents | null
  /** Contents of attachments. */
  protected readonly files: Contents
  readonly #backups: BackupStates | null
  protected readonly upgrades: Upgrades

  protected constructor(
    options: ServerOptions,
    { served, direct: address }: Ways,
    embedded: Embedded | null,
  ) {
    this.options = options
    this.address = address
    this.served = served
    this.embedded = embedded
    const { archive = null } = embedded ?? {}
    this.kept = archive && new KeptContents(archive.folder, options.dataDir)
    this.#backups = archive && new BackupStates(archive, options.dataDir, options.backupEverySeconds)
    this.files = contentsOf(options, embedded !== null, this.kept)
    this.replica = replicaOf(options)
    const admin = new Admin(address)
    const shared = embedded ? null : new Shared(admin, address)
    this.clusters = clustersFor({ served, direct: address }, shared && new Register(shared), {
      options,
      files: this.files,
      restorer: embedded?.restorer ?? null,
      makeRoom: () => this.handles.makeRoom(),
      isHeard: () => this.announcements.listening,
    })
    this.handles = new Handles({
      open: (name) => this.#openForCalls(name),
      most: options.maxOpen ?? MAX_OPEN,
      idleMs: options.idleMs ?? IDLE_MS,
    })
    const log = (message: string) => options.log?.(message)
    this.#collector = new FileCollector(this.handles, log)
    this.announcements = new Announcements(admin, (name) => {
      this.clusters.forget()
      this.names.forget()
      if (name === null) this.handles.retireAll()
      else this.handles.retire(name)
    })
    this.announcements.on('clusters', () => this.clusters.forget())
    this.announcements.on('moving', (name) => this.handles.shut(name))
    this.nodes = new Nodes(this.announcements)
    this.upgrades = new Upgrades(this.clusters, { main: address, available: options.modules, log })
    const { dataDir, onAudit, receivers } = options
    this.target = { dataDir, onAudit, receivers, shared }
    this.master = new MasterPassword(this.target, options.masterPassword, this.announcements)
  }

  async #openForCalls(name: string): Promise<Database> {
    const { modules, log, upgradeOnOpen } = this.options
    if (upgradeOnOpen) await this.upgrades.bring(name, (cluster) => this.#poolAt(cluster, name))
    const database = await openInCluster(this.clusters, name, (cluster) =>
      this.#openWith(name, this.#poolAt(cluster, name), cluster),
    )
    this.#hear(database)
    database.replaced = () => void this.forget(name)
    database.left = await this.announcements.present(databasePresence(name, database.build))
    const advice = await adviceOn(name, database.pool, modules).catch(() => null)
    if (advice) log?.(advice)
    return database
  }

  #openWith(name: string, pool: PoolOptions, cluster: Cluster): Promise<Database> {
    const { modules, extensions } = this.options
    return Database.open(name, pool, modules, {
      files: this.files.of(name),
      extensions,
      replica: cluster === this.clusters.main ? this.replica : null,
    })
  }

  /** Passes on entries of the database's audit log. */
  #hear(database: Database): void {
    database.tell = database.callers.attemptQueue.tell = (row) => {
      this.options.onAudit?.(lineOf(database.name, row))
      this.onDeed?.(database.name, row.event)
    }
  }

  /**
   * Options of connections to a database. If a connection fails because the database is gone, all processes
   * learn about it; it may have moved to another cluster.
   */
  #poolAt(cluster: Cluster, name: string): PoolOptions {
    const refusal = (error: unknown) => {
      this.clusters.noteFailure(cluster.name, error)
      if (!isGone(error)) return error
      void this.forget(name)
      return this.clusters.several ? new ReplacedDatabase() : noDatabase()
    }
    return { ...cluster.maker.pool, ...cluster.served, refusal }
  }

  /** Archive of the embedded server's log; null: none. */
  get archive(): Embedded['archive'] {
    return this.embedded?.archive ?? null
  }

  /** State of the backups; null if there are none. Cached for some seconds. */
  async backupState(): Promise<BackupState | null> {
    return this.#backups?.now() ?? null
  }

  /** The disk of the data directory, now. */
  disk(): Promise<Disk> {
    return diskOf(this.options.dataDir)
  }

  /**
   * Whether the database server answers, and takes writes; of several clusters, whether one does. Throws why
   * none answers, within seconds.
   */
  async pulse(): Promise<Beat & { readonly down: readonly string[] }> {
    return anyOf(await heartbeatsOf(this.clusters))
  }

  /**
   * Name of the database that a request means: by header, else the only one that its host may reach, else the
   * default one. Throws NotFound.
   */
  choose(wanted: { header: string | undefined; host: string | undefined }): string | Promise<string> {
    const { header, host } = wanted
    const accept = filterFor(this.options.databaseFilter ?? null, host)
    if (header && (this.handles.has(header) || this.clusters.isElsewhere(header)) && accept(header))
      return header
    return this.names.choose((all) => {
      const reachable = all.filter((name) => accept(name) && (!header || name === header))
      const { defaultDatabase } = this.options
      const [name] = reachable.length > 1 ? reachable.filter((each) => each === defaultDatabase) : reachable
      if (name === undefined) throw noDatabase()
      return name
    })
  }

  /** Names of all databases, in order. */
  list(): Promise<string[]> {
    return this.clusters.names()
  }

  /** Names of the databases that a host may reach, in order. */
  async listFor(host: string | undefined): Promise<string[]> {
    return (await this.list()).filter(filterFor(this.options.databaseFilter ?? null, host))
  }

  async exists(name: string): Promise<boolean> {
    return (await this.list()).includes(name)
  }

  /** The opened database; `handles.known` returns it at once if it is open. Throws NotFound. */
  async database(name: string): Promise<Database> {
    await this.announcements.listen()
    return this.handles.get(name)
  }

  /** Number of databases that this process has open. */
  get open(): number {
    return this.handles.size
  }

  /** The databases that are open here by now. */
  settled = (): readonly Database[] => this.handles.settled()

  /** Whether the database was opened here, for calls. */
  isOpen(name: string): boolean {
    return this.handles.has(name)
  }

  /**
   * Runs `work` with the database opened for it alone, and closed afterwards: a look from time to time keeps
   * nothing open. Throws NotFound.
   */
  visit<T>(name: string, work: (database: Database) => Promise<T>): Promise<T> {
    return openInCluster(this.clusters, name, (cluster) =>
      this.aside(cluster, name, { ...this.#poolAt(cluster, name), max: 2 }, (database) => {
        this.#hear(database)
        return work(database)
      }),
    )
  }

  /** Runs `work` with the database opened by such a pool for it alone. */
  protected async aside<T>(
    cluster: Cluster,
    name: string,
    pool: PoolOptions,
    work: (database: Database) => Promise<T>,
  ): Promise<T> {
    const database = await this.#openWith(name, pool, cluster)
    try {
      return await work(database)
    } finally {
      await database.close()
    }
  }

  /** Forgets an opened database, because it is gone or has to be read again. Calls in flight go on. */
  async forget(name: string): Promise<void> {
    this.names.forget()
    this.handles.retire(name)
  }

  /** Closes all pools and leaves the embedded server, which stops with its last user. */
  async close(): Promise<void> {
    this.#collector.close()
    await this.upgrades.close()
    await this.nodes.close()
    await this.announcements.close()
    await this.clusters.close()
    await this.handles.end()
    await this.options.receivers?.flush()
    await this.embedded?.stop()
  }
}
