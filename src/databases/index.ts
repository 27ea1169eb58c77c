// Databases of one server: made, copied, renamed, saved, dropped. The entry of the room.
import type { Readable } from 'node:stream'
import { StartupError, UserError } from '../errors.ts'
import type { Environment } from '../models/index.ts'
import { makeDataDir, startEmbedded } from '../postgres/embedded/index.ts'
import { assertWays, sweepRestorers, waysOf } from '../postgres/index.ts'
import { audit, lastBackups, type ServerEvent } from './audit.ts'
import { type BackupFormat, type BackupOptions, backupStream } from './backup/archive.ts'
import { type Restored, type RestoreOptions, restoreDatabase } from './backup/restore.ts'
import { Database, ReplacedDatabase } from './database.ts'
import { publish, sweep, withDraft, withScratch } from './drafts.ts'
import { dropFiles, filesDirectory, linkFiles } from './filestore.ts'
import { registryOf } from './known.ts'
import { makeDatabase, withDependencies } from './make.ts'
import type { CreateOptions } from './maker.ts'
import { assertName } from './names.ts'
import type { ServerOptions } from './options.ts'
import { adviceOn } from './release.ts'
import { neutralize, renew } from './renew.ts'
import { Serving } from './serving.ts'
import { systemUnit } from './system-unit.ts'

export type { AuditLine } from './audit.ts'
export type { BackupFormat, BackupOptions } from './backup/archive.ts'
export type { Restored, RestoreOptions } from './backup/restore.ts'
export { buildId } from './build-id.ts'
export { clockScript } from './clock.ts'
export type { CreateOptions, Progress } from './maker.ts'
export { enterModules, markInstalled, markRelease } from './modules.ts'
export type { ServerOptions } from './options.ts'
export { BackupKeeper, Backups, backupsIn, namePoint, points, restoreTo, verify } from './recovery/index.ts'
export { adviceOn, Database, ReplacedDatabase, registryOf, systemUnit, withDependencies }

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

export class Databases extends Serving {
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
    if (options.replicaUrl)
      throw new StartupError('--replica-url needs --database-url, whose server it follows.')
    const { dataDir, log = () => undefined, durable = true } = options
    const embedded = await startEmbedded({ dataDir, log, durable, archive: options.archive })
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
    await sweep(this.maker, this.embedded !== null).catch((error: unknown) =>
      this.options.log?.(`What was left behind could not be removed: ${String(error)}`),
    )
  }

  /**
   * Whoever serves strangers needs no superuser; the roles that restores make for themselves there may have
   * been left behind.
   */
  async #adviseOnRole(): Promise<void> {
    if (await sweepRestorers(this.address))
      this.options.log?.(
        'The role of --database-url is a superuser of PostgreSQL; one that may log in and create databases is enough, and safer.',
      )
  }

  async #assertMove(name: string, next: string): Promise<void> {
    await this.#assertThere(name)
    if (await this.maker.admin.databaseExists(next))
      throw new UserError('A database of this name exists already.')
  }

  /**
   * From now on these names mean other databases than before, or none: here and in the other processes they
   * are opened anew.
   */
  async #changed(...names: readonly string[]): Promise<void> {
    this.names.forget()
    for (const name of names) this.handles.retire(name)
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
    this.names.forget()
    await audit(this.target, { event, database, address: by.address ?? null, detail })
  }

  /** Throws UserError for an impossible or taken name, an unknown module, language or country. */
  async create(name: string, options: CreateOptions = {}, by: Actor = {}): Promise<void> {
    await this.#assertFree(name)
    await makeDatabase(this.maker, name, options)
    await this.#done('database.create', by, name, {
      login: options.login ?? 'admin',
      demo: options.demo ?? false,
    })
    await this.#changed(name)
  }

  /** Throws UserError for an impossible or taken name. */
  async #assertFree(name: string): Promise<void> {
    assertName(name)
    if (await this.maker.admin.databaseExists(name))
      throw new UserError('A database of this name exists already.')
  }

  /**
   * What is told to who manages databases: their size in bytes, files aside, and the moment of the last
   * backup, ISO 8601 in UTC.
   */
  async facts(names: readonly string[]): Promise<readonly DatabaseFacts[]> {
    const [sizes, backups] = await Promise.all([this.maker.admin.sizes(names), lastBackups(this.target)])
    return names.map((name) => ({ name, bytes: sizes.get(name) ?? null, backup: backups.get(name) ?? null }))
  }

  /** False when there is none. */
  async drop(name: string, by: Actor = {}): Promise<boolean> {
    if (!(await this.exists(name))) return false
    const { admin, dataDir } = this.maker
    await admin.holding([name], async () => {
      // Connections of other processes are cut with it; they hear why afterwards.
      await this.handles.apart(name, () => admin.dropDatabase(name))
      await this.#done('database.drop', by, name)
      await dropFiles(dataDir, name)
    })
    this.collector.forget(name)
    await this.#changed(name)
    return true
  }

  /** Puts the database `by`, whole as it is, in the place of `name`, whose calls in flight finish before. */
  async replace(name: string, by: string): Promise<void> {
    const { admin, dataDir } = this.maker
    await admin.holding([name], () =>
      this.handles.apart(name, async () => {
        await admin.clearDatabase(name)
        await dropFiles(dataDir, name)
        await this.handles.apart(by, () => admin.renameDatabase(by, name))
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
    await withDraft(this.maker, 'duplicate', async (draft) => {
      await this.handles.apart(name, () => this.maker.admin.duplicateDatabase(name, draft))
      await linkFiles(this.options.dataDir, name, draft)
      await this.#within(draft, async (env) => {
        await renew(env)
        if (options.neutralize) await neutralize(env, this.options.modules)
      })
      await publish(this.maker, draft, copy)
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

  /** A transaction in a database that is not opened for it. */
  async #within(name: string, work: (env: Environment) => Promise<void>): Promise<void> {
    // Past any pooler: what is done to a database as a whole, such as renaming it, waits for no connection
    // that a pooler keeps.
    const pool = { ...this.poolOf(name), ...this.maker.pool, max: 1 }
    await this.aside(name, pool, (database) => database.system(work))
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
      address: this.address,
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
    const restored = await restoreDatabase(this.maker, name, path, options, (draft, work) =>
      this.#within(draft, work),
    )
    await this.kept?.keepAnew(name)
    const { copy = false, neutralize: neutralized = false } = options
    await this.#done('database.restore', by, name, { copy, neutralized, ...restored })
    await this.#changed(name)
    return restored
  }

  /** Runs `work` with the path of a file that may be written, and goes away afterwards. */
  scratch<T>(work: (path: string) => Promise<T>): Promise<T> {
    return withScratch(this.maker, work)
  }

  async rename(name: string, next: string, by: Actor = {}): Promise<void> {
    assertName(next)
    await this.#assertMove(name, next)
    const { admin, dataDir } = this.maker
    await admin.holding([name, next], async () => {
      await this.#assertMove(name, next)
      await admin.clearDatabase(next)
      await dropFiles(dataDir, next)
      // Under both names while the database changes its own: should the process die, the files without a
      // database are swept.
      await linkFiles(dataDir, name, next)
      await this.handles.apart(name, () => admin.renameDatabase(name, next))
      await this.#done('database.rename', by, name, { to: next })
      await linkFiles(dataDir, name, next)
      await dropFiles(dataDir, name)
    })
    this.collector.forget(name)
    await this.#changed(name, next)
  }
}
