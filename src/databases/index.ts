// Databases of one server: made, copied, renamed, saved, dropped. The entry of the room.
import type { Readable } from 'node:stream'
import { StartupError } from '../errors.ts'
import type { Environment } from '../models/index.ts'
import { makeDataDir, startEmbedded } from '../postgres/embedded/index.ts'
import { assertAddresses, serverAddresses, sweepRestorers } from '../postgres/index.ts'
import { type BackupFormat, type BackupOptions, backupStream } from './backup/archive.ts'
import { type Restored, type RestoreOptions, restoreDatabase } from './backup/restore.ts'
import type { Cluster } from './clusters/clusters.ts'
import { sweepAll } from './clusters/every-cluster.ts'
import { Database, ReplacedDatabase } from './database.ts'
import { registryOf } from './database-state.ts'
import { publish, withDraft, withScratch } from './drafts.ts'
import { copyInUse } from './duplicate.ts'
import { makeDatabase, withDependencies } from './make.ts'
import type { CreateOptions } from './maker.ts'
import { type Actor, Managing } from './managing.ts'
import { assertName } from './names.ts'
import type { ServerOptions } from './options.ts'
import { adviceOn } from './release.ts'
import { neutralize, renew } from './renew.ts'
import { systemUnit } from './system-unit.ts'

export type { AuditLine } from './audit.ts'
export type { BackupFormat, BackupOptions } from './backup/archive.ts'
export type { Restored, RestoreOptions } from './backup/restore.ts'
export { buildId } from './build-id.ts'
export { clockScript } from './clock.ts'
export type { Cluster } from './clusters/clusters.ts'
export { heartbeatsOf } from './clusters/every-cluster.ts'
export { addCluster, clusterFacts, removeCluster, useCluster } from './clusters/manage.ts'
export { probeStore } from './contents/probe.ts'
export { StoreRefusal } from './contents/s3.ts'
export { diskOf } from './disk.ts'
export type { CreateOptions, Progress } from './maker.ts'
export type { Actor, DatabaseFacts } from './managing.ts'
export { enterModules, hasDemo, markDemo, markInstalled, markRelease, markUninstalled } from './modules.ts'
export type { ServerOptions } from './options.ts'
export { type Receiver, Receivers } from './receivers/index.ts'
export {
  BackupKeeper,
  Backups,
  backupsIn,
  namePoint,
  restorePoints,
  restoreTo,
  verify,
} from './recovery/index.ts'
export { EXPANDED } from './upgrade/builds.ts'
export type { Ground } from './upgrade/ground.ts'
export { addModules, finishModules, removeModules } from './upgrade/modules.ts'
export { planOf, type UpgradePlan } from './upgrade/plan.ts'
export { contract, expand, migrate } from './upgrade/steps.ts'
export { adviceOn, Database, ReplacedDatabase, registryOf, systemUnit, withDependencies }

export class Databases extends Managing {
  /**
   * Starts or joins the embedded server of the data directory, or uses the one at the URL. Throws
   * StartupError if it cannot be reached.
   */
  static async open(options: ServerOptions): Promise<Databases> {
    if (options.databaseUrl) {
      makeDataDir(options.dataDir)
      const ways = serverAddresses(options.databaseUrl, options.pooler, options.directUrl)
      await assertAddresses(ways)
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
   * Cleans up after processes that died. Leftovers that cannot be removed now are harmless, and are tried
   * again next time.
   */
  async #sweep(): Promise<void> {
    await sweepAll(this.clusters, this.embedded !== null, (message) => this.options.log?.(message))
  }

  /** Drops roles left over from restores, and advises against a superuser. */
  async #adviseOnRole(): Promise<void> {
    if (await sweepRestorers(this.address))
      this.options.log?.(
        'The role of --database-url is a superuser of PostgreSQL; one that may log in and create databases is enough, and safer.',
      )
  }

  /** Throws UserError for an impossible or taken name, an unknown module, language or country. */
  async create(name: string, options: CreateOptions = {}, by: Actor = {}): Promise<void> {
    await this.assertFree(name)
    const { maker } = await this.clusters.forNew(options.cluster)
    await makeDatabase(maker, name, options)
    await this.done('database.create', by, name, {
      login: options.login ?? 'admin',
      demo: options.demo ?? false,
    })
    await this.changed(name)
  }

  /** False if the database does not exist. */
  async drop(name: string, by: Actor = {}): Promise<boolean> {
    if (!(await this.exists(name))) return false
    const { admin, files } = (await this.clusters.of(name)).maker
    await this.holding([name], async () => {
      // Connections of other processes are cut with it; they are notified afterwards.
      await this.handles.apart(name, () => admin.dropDatabase(name))
      await this.clusters.unplace(name)
      await this.done('database.drop', by, name)
      await files.drop(name)
    })
    this.handles.forgetUse(name)
    await this.changed(name)
    return true
  }

  /** Replaces `name` by the complete database `by`; calls in flight on `name` finish first. */
  async replace(name: string, by: string): Promise<void> {
    const { admin, files } = (await this.clusters.of(name)).maker
    await this.holding([name], () =>
      this.handles.apart(name, async () => {
        await admin.clearDatabase(name)
        await files.drop(name)
        await this.handles.apart(by, () => admin.renameDatabase(by, name))
        await this.clusters.unplace(by)
      }),
    )
    await this.changed(name, by)
  }

  /** A copy with an identity of its own; when neutralized, it contacts no other system. */
  async duplicate(
    name: string,
    copy: string,
    options: { readonly neutralize?: boolean } = {},
    by: Actor = {},
  ): Promise<void> {
    assertName(copy)
    await this.assertMove(name, copy)
    const cluster = await this.clusters.of(name)
    const { maker } = cluster
    const make = async (draft: string) => {
      await this.#copy(cluster, name, draft)
      await this.within(cluster, draft, async (env) => {
        await renew(env)
        if (options.neutralize) await neutralize(env, this.options.modules)
      })
      await publish(maker, draft, copy)
    }
    await this.places.run(() => withDraft(maker, 'duplicate', make))
    await this.done('database.duplicate', by, name, { copy, neutralized: options.neutralize ?? false })
    await this.changed(copy)
  }

  /** Calls on the database go on; they wait only if PostgreSQL itself has to copy it. */
  async #copy({ address, maker }: Cluster, name: string, draft: string): Promise<void> {
    const files = () => this.files.link(name, draft)
    await maker.admin.createDatabase(draft)
    try {
      if (await copyInUse({ ...address, database: name }, { ...address, database: draft }, files)) return
    } catch (error) {
      // Dropped meanwhile.
      await this.assertThere(name)
      throw error
    }
    await maker.admin.dropDatabase(draft)
    await this.handles.apart(name, () => maker.admin.duplicateDatabase(name, draft))
    await files()
  }

  /** Makes the database harmless: it contacts no other system. Throws UserError if it does not exist. */
  async neutralize(name: string, by: Actor = {}): Promise<void> {
    await this.assertThere(name)
    await this.within(await this.clusters.of(name), name, (env) => neutralize(env, this.options.modules))
    await this.done('database.neutralize', by, name)
  }

  /**
   * A backup of a database, made as it is read. The audit log gets an entry at its end, also if it was broken
   * off, as part of the data left. Throws UserError if the database does not exist.
   */
  async backup(
    name: string,
    format: BackupFormat,
    version: string,
    options: BackupOptions = {},
    by: Actor = {},
  ): Promise<Readable> {
    await this.assertThere(name)
    const stream = await backupStream(name, {
      format,
      version,
      address: (await this.clusters.of(name)).address,
      files: this.files.of(name),
      ...options,
    })
    stream.once(
      'close',
      () =>
        void this.done(stream.readableEnded ? 'database.backup' : 'database.backup-failure', by, name, {
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
    await this.assertFree(name)
    const cluster = await this.clusters.forNew(options.cluster)
    const within = (draft: string, work: (env: Environment) => Promise<void>) =>
      this.within(cluster, draft, work)
    const restored = await this.places.run(() => restoreDatabase(cluster.maker, name, path, options, within))
    await this.kept?.copyAll(name)
    const { copy = false, neutralize: neutralized = false } = options
    await this.done('database.restore', by, name, { copy, neutralized, ...restored })
    await this.changed(name)
    return restored
  }

  /** Runs `work` with the path for a file that is removed afterwards. */
  scratch<T>(work: (path: string) => Promise<T>): Promise<T> {
    return withScratch(this.clusters.main.maker, work)
  }

  async rename(name: string, next: string, by: Actor = {}): Promise<void> {
    assertName(next)
    await this.assertMove(name, next)
    const cluster = await this.clusters.of(name)
    const { admin, files } = cluster.maker
    await this.holding([name, next], async () => {
      await this.assertMove(name, next)
      await admin.clearDatabase(next)
      await files.drop(next)
      // Under both names while the database changes its own: should the process die, the files without a
      // database are swept.
      await files.link(name, next)
      await this.clusters.replacing(cluster, name, next, () =>
        this.handles.apart(name, () => admin.renameDatabase(name, next)),
      )
      await this.done('database.rename', by, name, { to: next })
      await files.link(name, next)
      await files.drop(name)
    })
    this.handles.forgetUse(name)
    await this.changed(name, next)
  }
}
