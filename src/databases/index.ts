// Databases of one server: found, opened, made, copied, dropped. The entry of the room.
import type { Readable } from 'node:stream'
import { StartupError, UserError } from '../errors.ts'
import type { Environment, Module } from '../models/index.ts'
import { type Embedded, startEmbedded } from '../postgres/embedded/index.ts'
import { Admin, type ServerAddress } from '../postgres/index.ts'
import { type BackupFormat, backupStream } from './backup/archive.ts'
import { type RestoreOptions, restoreDatabase } from './backup/restore.ts'
import { Database, registryOf, systemUnit } from './database.ts'
import { publish, sweep, withDraft, withScratch } from './drafts.ts'
import { copyFiles, dropFiles, Filestore, filesDirectory, linkFiles } from './filestore.ts'
import { type CreateOptions, type Maker, makeDatabase, withDependencies } from './make.ts'
import { MasterPassword } from './master-password.ts'
import { assertName, filterFor, noDatabase } from './names.ts'
import { neutralize, renew } from './renew.ts'

export type { BackupFormat } from './backup/archive.ts'
export type { RestoreOptions } from './backup/restore.ts'
export type { CreateOptions, Progress } from './make.ts'
export { markInstalled } from './modules.ts'
export { Database, noDatabase, registryOf, systemUnit, withDependencies }

export interface ServerOptions {
  readonly dataDir: string
  /** A server of one's own in place of the embedded one. */
  readonly databaseUrl?: string | null
  /** Which databases a host may reach; see `filterFor`. */
  readonly databaseFilter?: string | null
  /** Password of the database services until one is set by them; undefined: none opens them. */
  readonly masterPassword?: string | undefined
  /** Where clients reach the server: the parameter `web.base.url` of new databases. */
  readonly baseUrl?: string
  /** All modules there are, in an order in which each comes after what it needs. */
  readonly modules: readonly Module[]
  readonly log?: (message: string) => void
  /** Connections a database at most. */
  readonly maxConnections?: number
  /** False for tests only. */
  readonly durable?: boolean
}

/** How long a list of names may be used for choosing: databases made by another process are seen after that. */
const LIST_AGE_MS = 1000

/** How often files that no attachment refers to are looked for. */
const COLLECT_MS = 60 * 60_000

export class Databases {
  readonly options: ServerOptions
  readonly master: MasterPassword
  readonly #address: ServerAddress
  readonly #embedded: Embedded | null
  readonly #collector: NodeJS.Timeout
  readonly #maker: Maker
  readonly #open = new Map<string, Promise<Database>>()
  /** Databases that are being copied or renamed. */
  readonly #held = new Map<string, Promise<void>>()
  #names: { readonly at: number; readonly list: Promise<string[]> } | undefined

  private constructor(options: ServerOptions, address: ServerAddress, embedded: Embedded | null) {
    this.options = options
    this.#address = address
    this.master = new MasterPassword(options.dataDir, options.masterPassword)
    this.#embedded = embedded
    this.#collector = setInterval(() => void this.#collectFiles(), COLLECT_MS).unref()
    this.#maker = {
      admin: new Admin(address),
      dataDir: options.dataDir,
      pool: { ...address, max: options.maxConnections ?? 16 },
      modules: options.modules,
      ...(options.baseUrl ? { baseUrl: options.baseUrl } : {}),
    }
  }

  /** Starts or joins the embedded server of the data directory, or uses the one at the URL. Throws StartupError when there is none. */
  static async open(options: ServerOptions): Promise<Databases> {
    if (options.databaseUrl) {
      const databases = new Databases(options, { url: options.databaseUrl }, null)
      await databases.list().catch((cause) => {
        throw new StartupError(
          `Cannot reach the database server: ${cause instanceof Error ? cause.message : cause}. Check --database-url.`,
          { cause },
        )
      })
      await databases.#sweep()
      return databases
    }
    const { dataDir, log = () => undefined, durable = true } = options
    const embedded = await startEmbedded({ dataDir, log, durable })
    const { host, port, user, password } = embedded
    const databases = new Databases(options, { host, port, user, password }, embedded)
    await databases.#sweep()
    return databases
  }

  /** Tidies up after processes that died. What it cannot remove now does no harm, and is tried again next time. */
  async #sweep(): Promise<void> {
    await sweep(this.#maker, this.#embedded !== null).catch((error: unknown) =>
      this.options.log?.(`What was left behind could not be removed: ${String(error)}`),
    )
  }

  get address(): ServerAddress {
    return this.#address
  }

  /** Name of the database that a request means: by header, else the only one that its host may reach. Throws NotFound. */
  async choose({ header, host }: { header: string | undefined; host: string | undefined }): Promise<string> {
    const accept = filterFor(this.options.databaseFilter ?? null, host)
    if (header !== undefined && header !== '') {
      if (this.#open.has(header) && accept(header)) return header
      const names = await this.#recent()
      if (!names.includes(header) || !accept(header)) throw noDatabase()
      return header
    }
    const names = (await this.#recent()).filter(accept)
    if (names.length !== 1) throw noDatabase()
    return names[0] as string
  }

  #recent(): Promise<string[]> {
    const now = performance.now()
    if (!this.#names || now - this.#names.at > LIST_AGE_MS) {
      const list = this.list()
      this.#names = { at: now, list }
      list.catch(() => {
        this.#names = undefined
      })
    }
    return this.#names.list
  }

  /** Names of all databases, in order. */
  list(): Promise<string[]> {
    return this.#maker.admin.listDatabases()
  }

  async exists(name: string): Promise<boolean> {
    return (await this.list()).includes(name)
  }

  async #assertMove(name: string, next: string): Promise<void> {
    if (!(await this.exists(name))) throw new UserError('There is no database of this name.')
    if (await this.#maker.admin.databaseExists(next)) throw new UserError('A database of this name exists already.')
  }

  /** Does what needs a database for itself: calls in flight finish, newcomers wait until it is done. */
  async #apart(name: string, work: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#held.set(name, promise)
    try {
      await this.forget(name)
      await work()
    } finally {
      this.#held.delete(name)
      resolve()
    }
  }

  /** The opened database. Throws NotFound. */
  async database(name: string): Promise<Database> {
    await this.#held.get(name)
    let opening = this.#open.get(name)
    if (!opening) {
      opening = Database.open(name, this.#maker.pool, this.options.modules, this.#filesOf(name))
      this.#open.set(name, opening)
      opening.catch(() => this.#open.delete(name))
    }
    return opening
  }

  /** Files beside the embedded server; a server of one's own may be shared by machines, so that contents stay in the database there. */
  #filesOf(name: string): Filestore {
    return new Filestore(filesDirectory(this.options.dataDir, name), this.#embedded !== null)
  }

  /** Forgets a database that was found to be gone. */
  async forget(name: string): Promise<void> {
    const opening = this.#open.get(name)
    this.#open.delete(name)
    this.#names = undefined
    await opening?.then((database) => database.close()).catch(() => undefined)
  }

  /** Throws UserError for an impossible or taken name, an unknown module, language or country. */
  async create(name: string, options: CreateOptions = {}): Promise<void> {
    assertName(name)
    if (await this.#maker.admin.databaseExists(name)) throw new UserError('A database of this name exists already.')
    await makeDatabase(this.#maker, name, options)
    this.#names = undefined
  }

  /** False when there is none. */
  async drop(name: string): Promise<boolean> {
    if (!(await this.exists(name))) return false
    await this.forget(name)
    const { admin, dataDir } = this.#maker
    await admin.holding([name], async () => {
      await admin.dropDatabase(name)
      await dropFiles(dataDir, name)
    })
    this.#names = undefined
    return true
  }

  /** A copy with an identity of its own; neutralised, nothing in it reaches out. */
  async duplicate(name: string, copy: string, options: { readonly neutralize?: boolean } = {}): Promise<void> {
    assertName(copy)
    await this.#assertMove(name, copy)
    await withDraft(this.#maker, 'duplicate', async (draft) => {
      await this.#apart(name, () => this.#maker.admin.duplicateDatabase(name, draft))
      await copyFiles(this.options.dataDir, name, draft)
      await this.#within(draft, async (env) => {
        await renew(env)
        if (options.neutralize) await neutralize(env)
      })
      await publish(this.#maker, draft, copy)
    })
    this.#names = undefined
  }

  /** Nothing in the database reaches out any more. Throws UserError when there is none of this name. */
  async neutralize(name: string): Promise<void> {
    if (!(await this.exists(name))) throw new UserError('There is no database of this name.')
    await this.#within(name, neutralize)
  }

  /** A transaction in a database that is not opened for it. */
  async #within(name: string, work: (env: Environment) => Promise<void>): Promise<void> {
    const database = await Database.open(name, { ...this.#maker.pool, max: 1 }, this.options.modules, this.#filesOf(name))
    try {
      await database.system(work)
    } finally {
      await database.close()
    }
  }

  /** A backup of a database, made as it is read. Throws UserError when there is none of this name. */
  async backup(name: string, format: BackupFormat, version: string): Promise<Readable> {
    if (!(await this.exists(name))) throw new UserError('There is no database of this name.')
    const filestore = filesDirectory(this.options.dataDir, name)
    return backupStream(name, { format, version, address: this.#address, filestore })
  }

  /** Makes a database of the backup in a file. Throws UserError for an impossible or taken name and for what is no backup. */
  async restore(name: string, path: string, options: RestoreOptions = {}): Promise<void> {
    assertName(name)
    if (await this.#maker.admin.databaseExists(name)) throw new UserError('A database of this name exists already.')
    await restoreDatabase(this.#maker, name, path, options)
    this.#names = undefined
  }

  /** Runs `work` with the path of a file that may be written, and goes away afterwards. */
  scratch<T>(work: (path: string) => Promise<T>): Promise<T> {
    return withScratch(this.#maker, work)
  }

  async rename(name: string, next: string): Promise<void> {
    assertName(next)
    await this.#assertMove(name, next)
    const { admin, dataDir } = this.#maker
    await admin.holding([name, next], async () => {
      await this.#assertMove(name, next)
      await admin.clearDatabase(next)
      await dropFiles(dataDir, next)
      // Under both names while the database changes its own: should the process die, the files without a database are swept.
      await linkFiles(dataDir, name, next)
      await this.#apart(name, () => admin.renameDatabase(name, next))
      await linkFiles(dataDir, name, next)
      await dropFiles(dataDir, name)
    })
    this.#names = undefined
  }

  /** Clears the open databases' files of what is no longer wanted; a database that is just going away is left alone. */
  async #collectFiles(): Promise<void> {
    for (const opening of this.#open.values()) {
      await opening
        .then((database) => database.collectFiles())
        .catch((error: unknown) => this.options.log?.(`Files were not collected: ${String(error)}`))
    }
  }

  /** Closes all pools and leaves the embedded server, which stops when nobody else uses it. */
  async close(): Promise<void> {
    clearInterval(this.#collector)
    await Promise.all([...this.#open.keys()].map((name) => this.forget(name)))
    await this.#embedded?.stop()
  }
}
