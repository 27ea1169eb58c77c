// Databases of one server: found, opened, made, copied, dropped. The entry of the room.
import type { Readable } from 'node:stream'
import { Rates } from '../access/index.ts'
import type { Extensions } from '../config/index.ts'
import { UserError } from '../errors.ts'
import type { Clock } from '../kit/clock.ts'
import type { Environment, Module } from '../models/index.ts'
import { type Embedded, makeDataDir, startEmbedded } from '../postgres/embedded/index.ts'
import {
  Admin,
  assertWays,
  type Beat,
  forMaintenance,
  type PoolOptions,
  Pulse,
  type ServerAddress,
  sweepRestorers,
  type Ways,
  waysOf,
} from '../postgres/index.ts'
import { Announcements } from './announcements.ts'
import { type AuditLine, type AuditTarget, audit, lastBackups, lineOf, type ServerEvent } from './audit.ts'
import { type BackupFormat, type BackupOptions, backupStream } from './backup/archive.ts'
import { type Restored, type RestoreOptions, restoreDatabase } from './backup/restore.ts'
import { Database, ReplacedDatabase, registryOf, systemUnit } from './database.ts'
import { publish, sweep, withDraft, withScratch } from './drafts.ts'
import { dropFiles, Filestore, filesDirectory, linkFiles } from './filestore.ts'
import { Handles } from './handles.ts'
import { makeDatabase, withDependencies } from './make.ts'
import type { CreateOptions, Maker, PoolSettings } from './maker.ts'
import { MasterPassword } from './master-password.ts'
import { assertName, filterFor, isGone, noDatabase } from './names.ts'
import { Nodes } from './nodes.ts'
import { adviceOn } from './release.ts'
import { neutralize, renew } from './renew.ts'
import { Shared } from './shared.ts'

export type { AuditLine } from './audit.ts'
export type { BackupFormat, BackupOptions } from './backup/archive.ts'
export type { Restored, RestoreOptions } from './backup/restore.ts'
export { buildId } from './build-id.ts'
export { clockScript } from './clock.ts'
export type { CreateOptions, Progress } from './maker.ts'
export { enterModules, markInstalled, markRelease } from './modules.ts'
export { adviceOn, Database, ReplacedDatabase, registryOf, systemUnit, withDependencies }

export interface ServerOptions {
  readonly dataDir: string
  /** A server of one's own in place of the embedded one. */
  readonly databaseUrl?: string | null
  /** The pooler that the URL leads to, and the way past it (postgres/pooling.ts). */
  readonly pooler?: 'session' | 'transaction' | undefined
  readonly directUrl?: string | undefined
  /** Which databases a host may reach; see `filterFor`. */
  readonly databaseFilter?: string | null
  /** Password of the database services until one is set by them; undefined: none opens them. */
  readonly masterPassword?: string | undefined
  /** False: nobody lists or manages databases over the network. */
  readonly listDatabases?: boolean
  /** Where clients reach the server: the parameter `web.base.url` of new databases. */
  readonly baseUrl?: string
  /** All modules there are, in an order in which each comes after what it needs. */
  readonly modules: readonly Module[]
  readonly log?: (message: string) => void
  /** What is offered beyond the documented API; all of it by default. */
  readonly extensions?: Extensions
  /** Hears of every line of the server's audit log (audit.ts). */
  readonly onAudit?: (line: AuditLine) => void
  /** How many connections a database has at most, and their times, where they differ from the defaults. */
  readonly pool?: PoolSettings
  /** Databases that a process keeps open at most, as long as not all of them are busy. */
  readonly maxOpen?: number
  /** Milliseconds after which a database that nobody uses is closed. */
  readonly idleMs?: number
  /** False for tests only. */
  readonly durable?: boolean
  /** For tests only: another clock than the machine's, for all databases of the server (clock.ts). */
  readonly clock?: Clock
}

/**
 * How long a list of names may be used for choosing: databases made by another process are seen after that.
 */
const LIST_AGE_MS = 1000

/**
 * Opened databases by default: what 16 connections each of many would take from the server is given back when
 * it is full.
 */
const MAX_OPEN = 200
const IDLE_MS = 10 * 60_000

/** Names of all databases, as they were a moment ago. */
interface Names {
  readonly at: number
  readonly list: Promise<string[]>
  /** The list once it is there. */
  known?: readonly string[]
}

/** Of one database, for who manages them. */
export interface DatabaseFacts {
  readonly name: string
  readonly bytes: number | null
  readonly backup: string | null
}

/** Who does something to a database, for the audit log. */
export interface Actor {
  readonly address?: string | null
}

/** How often files that no attachment refers to are looked for. */
const COLLECT_MS = 60 * 60_000

export class Databases {
  readonly options: ServerOptions
  readonly master: MasterPassword
  /** The way to PostgreSQL itself. */
  readonly #address: ServerAddress
  /** The way of calls: by a pooler, where there is one. */
  readonly #served: ServerAddress
  readonly #embedded: Embedded | null
  readonly #collector: NodeJS.Timeout
  readonly #maker: Maker
  readonly #pulse: Pulse
  readonly #target: AuditTarget
  readonly #handles: Handles
  /** What the processes of this server tell each other. */
  readonly announcements: Announcements
  /** How fast callers may go; null: that is not asked. */
  rates: Rates | null = new Rates(null)
  /** How many processes limit them together. */
  readonly nodes: Nodes
  /** Databases that were opened since their files were last looked through. */
  readonly #opened = new Set<string>()
  #names: Names | undefined

  private constructor(options: ServerOptions, { served, direct: address }: Ways, embedded: Embedded | null) {
    this.options = options
    this.#address = address
    this.#served = served
    this.#embedded = embedded
    this.#pulse = new Pulse(forMaintenance(served))
    this.#collector = setInterval(() => void this.#collectFiles(), COLLECT_MS).unref()
    const admin = new Admin(address)
    this.#maker = {
      admin,
      dataDir: options.dataDir,
      pool: {
        ...address,
        max: 16,
        ...options.pool,
        ...(options.clock ? { clock: options.clock } : {}),
        makeRoom: () => this.#handles.makeRoom(),
      },
      modules: options.modules,
      restorer: embedded?.restorer ?? null,
      ...(options.baseUrl ? { baseUrl: options.baseUrl } : {}),
    }
    const open = async (name: string) => {
      const database = await Database.open(name, this.#poolOf(name), options.modules, this.#around(name))
      database.tell = database.callers.door.tell = (row) => options.onAudit?.(lineOf(name, row))
      database.replaced = () => void this.forget(name)
      const advice = await adviceOn(name, database.pool, options.modules).catch(() => null)
      if (advice) options.log?.(advice)
      return database
    }
    this.#handles = new Handles({
      open,
      most: options.maxOpen ?? MAX_OPEN,
      idleMs: options.idleMs ?? IDLE_MS,
    })
    this.announcements = new Announcements(admin, (name) => {
      this.#names = undefined
      if (name === null) this.#handles.retireAll()
      else this.#handles.retire(name)
    })
    this.nodes = new Nodes(this.announcements)
    const shared = embedded ? null : new Shared(admin, address)
    this.#target = { dataDir: options.dataDir, onAudit: options.onAudit, shared }
    this.master = new MasterPassword(this.#target, options.masterPassword, this.announcements)
  }

  /**
   * Starts or joins the embedded server of the data directory, or uses the one at the URL. Throws
   * StartupError when there is none.
   */
  static async open(options: ServerOptions): Promise<Databases> {
    if (options.databaseUrl) {
      makeDataDir(options.dataDir)
      const ways = waysOf(options.databaseUrl, options.pooler, options.directUrl)
      await assertWays(ways)
      const databases = new Databases(options, ways, null)
      await databases.#sweep()
      await databases.#adviseOnRole()
      return databases
    }
    const { dataDir, log = () => undefined, durable = true } = options
    const embedded = await startEmbedded({ dataDir, log, durable })
    const { host, port, user, password } = embedded
    const address = { host, port, user, password }
    const databases = new Databases(options, { served: address, direct: address }, embedded)
    await databases.#sweep()
    return databases
  }

  /**
   * Tidies up after processes that died. What it cannot remove now does no harm, and is tried again next
   * time.
   */
  async #sweep(): Promise<void> {
    await sweep(this.#maker, this.#embedded !== null).catch((error: unknown) =>
      this.options.log?.(`What was left behind could not be removed: ${String(error)}`),
    )
  }

  /**
   * Whoever serves strangers needs no superuser; the roles that restores make for themselves there may have
   * been left behind.
   */
  async #adviseOnRole(): Promise<void> {
    if (await sweepRestorers(this.#address))
      this.options.log?.(
        'The role of --database-url is a superuser of PostgreSQL; one that may log in and create databases is enough, and safer.',
      )
  }

  /**
   * How connections to a database are made. Who cannot make one because the database is gone finds that out
   * for all.
   */
  #poolOf(name: string): PoolOptions {
    const refusal = (error: unknown) => {
      if (!isGone(error)) return error
      void this.forget(name)
      return noDatabase()
    }
    return { ...this.#maker.pool, ...this.#served, refusal }
  }

  /** Whether the database server answers, and takes writes. Throws why it does not answer, within seconds. */
  pulse(): Promise<Beat> {
    return this.#pulse.feel()
  }

  get address(): ServerAddress {
    return this.#address
  }

  get served(): ServerAddress {
    return this.#served
  }

  /**
   * Name of the database that a request means: by header, else the only one that its host may reach. Throws
   * NotFound.
   */
  choose({
    header,
    host,
  }: {
    header: string | undefined
    host: string | undefined
  }): string | Promise<string> {
    const accept = filterFor(this.options.databaseFilter ?? null, host)
    if (header && this.#handles.has(header) && accept(header)) return header
    const among = (names: readonly string[]) => {
      const found = names.filter((name) => accept(name) && (!header || name === header))
      if (found.length !== 1) throw noDatabase()
      return found[0] as string
    }
    const { known, list } = this.#recent()
    return known ? among(known) : list.then(among)
  }

  #recent(): Names {
    const now = performance.now()
    if (this.#names && now - this.#names.at <= LIST_AGE_MS) return this.#names
    const names: Names = { at: now, list: this.list() }
    this.#names = names
    names.list.then(
      (found) => {
        names.known = found
      },
      () => {
        this.#names = undefined
      },
    )
    return names
  }

  /** Names of all databases, in order. */
  list(): Promise<string[]> {
    return this.#maker.admin.listDatabases()
  }

  async exists(name: string): Promise<boolean> {
    return (await this.list()).includes(name)
  }

  async #assertMove(name: string, next: string): Promise<void> {
    await this.#assertThere(name)
    if (await this.#maker.admin.databaseExists(next))
      throw new UserError('A database of this name exists already.')
  }

  /** The opened database. Throws NotFound. */
  async database(name: string): Promise<Database> {
    await this.announcements.listen()
    this.#opened.add(name)
    return this.#handles.get(name)
  }

  /** The same at once, where the database is open and there is nothing to wait for. */
  opened(name: string): Database | undefined {
    const known = this.announcements.listening ? this.#handles.known(name) : undefined
    if (known) this.#opened.add(name)
    return known
  }

  /** How many databases this process has open. */
  get open(): number {
    return this.#handles.size
  }

  /** The databases that are open here by now. */
  settled = (): readonly Database[] => this.#handles.settled()

  /** Whether the database was opened here, for calls. */
  isOpen(name: string): boolean {
    return this.#handles.has(name)
  }

  /**
   * Runs `work` with the database opened for it alone, and closed afterwards: a look from time to time keeps
   * nothing open. Throws NotFound.
   */
  async visit<T>(name: string, work: (database: Database) => Promise<T>): Promise<T> {
    const database = await Database.open(
      name,
      { ...this.#poolOf(name), max: 2 },
      this.options.modules,
      this.#around(name),
    )
    database.tell = database.callers.door.tell = (row) => this.options.onAudit?.(lineOf(name, row))
    try {
      return await work(database)
    } finally {
      await database.close()
    }
  }

  /**
   * Files beside the embedded server; a server of one's own may be shared by machines, so that contents stay
   * in the database there.
   */
  #filesOf(name: string): Filestore {
    return new Filestore(filesDirectory(this.options.dataDir, name), this.#embedded !== null)
  }

  /**
   * Forgets an opened database: that it is gone was found out, or it is to be read anew. Calls in flight go
   * on.
   */
  async forget(name: string): Promise<void> {
    this.#names = undefined
    this.#handles.retire(name)
  }

  /** Names of the databases that a host may reach, in order. */
  async listFor(host: string | undefined): Promise<string[]> {
    return (await this.list()).filter(filterFor(this.options.databaseFilter ?? null, host))
  }

  /**
   * From now on these names mean other databases than before, or none: here and in the other processes they
   * are opened anew.
   */
  async #changed(...names: readonly string[]): Promise<void> {
    this.#names = undefined
    for (const name of names) this.#handles.retire(name)
    await this.announcements.tell(...names)
  }

  /**
   * Writes down what was done, before anything that may still fail: an entry for each deed, and none for what
   * was not done.
   */
  async #done(
    event: ServerEvent['event'],
    by: Actor,
    database: string,
    detail: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    this.#names = undefined
    await audit(this.#target, { event, database, address: by.address ?? null, detail })
  }

  /** Throws UserError for an impossible or taken name, an unknown module, language or country. */
  async create(name: string, options: CreateOptions = {}, by: Actor = {}): Promise<void> {
    await this.#assertFree(name)
    await makeDatabase(this.#maker, name, options)
    await this.#done('database.create', by, name, {
      login: options.login ?? 'admin',
      demo: options.demo ?? false,
    })
    await this.#changed(name)
  }

  /** Throws UserError for an impossible or taken name. */
  async #assertFree(name: string): Promise<void> {
    assertName(name)
    if (await this.#maker.admin.databaseExists(name))
      throw new UserError('A database of this name exists already.')
  }

  /**
   * What is told to who manages databases: their size in bytes, files aside, and the moment of the last
   * backup, ISO 8601 in UTC.
   */
  async facts(names: readonly string[]): Promise<readonly DatabaseFacts[]> {
    const [sizes, backups] = await Promise.all([this.#maker.admin.sizes(names), lastBackups(this.#target)])
    return names.map((name) => ({ name, bytes: sizes.get(name) ?? null, backup: backups.get(name) ?? null }))
  }

  /** False when there is none. */
  async drop(name: string, by: Actor = {}): Promise<boolean> {
    if (!(await this.exists(name))) return false
    const { admin, dataDir } = this.#maker
    await admin.holding([name], async () => {
      // Connections of other processes are cut with it; they hear why afterwards.
      await this.#handles.apart(name, () => admin.dropDatabase(name))
      await this.#done('database.drop', by, name)
      await dropFiles(dataDir, name)
    })
    this.#opened.delete(name)
    await this.#changed(name)
    return true
  }

  /** Puts the database `by`, whole as it is, in the place of `name`, whose calls in flight finish before. */
  async replace(name: string, by: string): Promise<void> {
    const { admin, dataDir } = this.#maker
    await admin.holding([name], () =>
      this.#handles.apart(name, async () => {
        await admin.clearDatabase(name)
        await dropFiles(dataDir, name)
        await this.#handles.apart(by, () => admin.renameDatabase(by, name))
      }),
    )
    await this.#changed(name, by)
  }

  /** A copy with an identity of its own; neutralised, nothing in it reaches out. */
  async duplicate(
    name: string,
    copy: string,
    options: { readonly neutralize?: boolean } = {},
    by: Actor = {},
  ): Promise<void> {
    assertName(copy)
    await this.#assertMove(name, copy)
    await withDraft(this.#maker, 'duplicate', async (draft) => {
      await this.#handles.apart(name, () => this.#maker.admin.duplicateDatabase(name, draft))
      await linkFiles(this.options.dataDir, name, draft)
      await this.#within(draft, async (env) => {
        await renew(env)
        if (options.neutralize) await neutralize(env, this.options.modules)
      })
      await publish(this.#maker, draft, copy)
    })
    await this.#done('database.duplicate', by, name, { copy, neutralized: options.neutralize ?? false })
    await this.#changed(copy)
  }

  /** Nothing in the database reaches out any more. Throws UserError when there is none of this name. */
  async neutralize(name: string, by: Actor = {}): Promise<void> {
    await this.#assertThere(name)
    await this.#within(name, (env) => neutralize(env, this.options.modules))
    await this.#done('database.neutralize', by, name)
  }

  async #assertThere(name: string): Promise<void> {
    if (!(await this.exists(name))) throw new UserError('There is no database of this name.')
  }

  #around(name: string) {
    return { files: this.#filesOf(name), extensions: this.options.extensions }
  }

  /** A transaction in a database that is not opened for it. */
  async #within(name: string, work: (env: Environment) => Promise<void>): Promise<void> {
    // Past any pooler: what is done to a database as a whole, such as renaming it, waits for no connection
    // that a pooler keeps.
    const pool = { ...this.#poolOf(name), ...this.#maker.pool, max: 1 }
    const database = await Database.open(name, pool, this.options.modules, this.#around(name))
    try {
      await database.system(work)
    } finally {
      await database.close()
    }
  }

  /**
   * A backup of a database, made as it is read; the audit log tells of it when it was, or that it was broken
   * off: part of it left all the same. Throws UserError when there is no database of this name.
   */
  async backup(
    name: string,
    format: BackupFormat,
    version: string,
    options: BackupOptions = {},
    by: Actor = {},
  ): Promise<Readable> {
    await this.#assertThere(name)
    const filestore = filesDirectory(this.options.dataDir, name)
    const stream = await backupStream(name, {
      format,
      version,
      address: this.#address,
      filestore,
      ...options,
    })
    stream.once(
      'close',
      () =>
        void this.#done(stream.readableEnded ? 'database.backup' : 'database.backup-failure', by, name, {
          format,
        }),
    )
    return stream
  }

  /**
   * Makes a database of the backup in a file. Throws UserError for an impossible or taken name and for what
   * is no backup.
   */
  async restore(name: string, path: string, options: RestoreOptions = {}, by: Actor = {}): Promise<Restored> {
    await this.#assertFree(name)
    const restored = await restoreDatabase(this.#maker, name, path, options, (draft, work) =>
      this.#within(draft, work),
    )
    const { copy = false, neutralize: neutralized = false } = options
    await this.#done('database.restore', by, name, { copy, neutralized, ...restored })
    await this.#changed(name)
    return restored
  }

  /** Runs `work` with the path of a file that may be written, and goes away afterwards. */
  scratch<T>(work: (path: string) => Promise<T>): Promise<T> {
    return withScratch(this.#maker, work)
  }

  async rename(name: string, next: string, by: Actor = {}): Promise<void> {
    assertName(next)
    await this.#assertMove(name, next)
    const { admin, dataDir } = this.#maker
    await admin.holding([name, next], async () => {
      await this.#assertMove(name, next)
      await admin.clearDatabase(next)
      await dropFiles(dataDir, next)
      // Under both names while the database changes its own: should the process die, the files without a
      // database are swept.
      await linkFiles(dataDir, name, next)
      await this.#handles.apart(name, () => admin.renameDatabase(name, next))
      await this.#done('database.rename', by, name, { to: next })
      await linkFiles(dataDir, name, next)
      await dropFiles(dataDir, name)
    })
    this.#opened.delete(name)
    await this.#changed(name, next)
  }

  /**
   * Clears the files of databases that were in use of what is no longer wanted; a database that is just going
   * away is left alone.
   */
  async #collectFiles(): Promise<void> {
    const names = [...this.#opened]
    this.#opened.clear()
    for (const name of names) {
      await this.#handles
        .get(name)
        .then((database) => database.collectFiles())
        .catch((error: unknown) => this.options.log?.(`Files were not collected: ${String(error)}`))
    }
  }

  /** Closes all pools and leaves the embedded server, which stops when nobody else uses it. */
  async close(): Promise<void> {
    clearInterval(this.#collector)
    await this.nodes.close()
    await this.announcements.close()
    await this.#pulse.close()
    await this.#handles.end()
    await this.#embedded?.stop()
  }
}
