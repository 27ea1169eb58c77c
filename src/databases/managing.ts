// Common steps of managing databases: checks of names, notification of other processes, audit entries; and
// moves between clusters.
import { UserError } from '../errors.ts'
import type { Environment } from '../models/index.ts'
import { audit, lastBackups, type ServerEvent } from './audit.ts'
import type { Cluster } from './clusters/clusters.ts'
import { sizesOf } from './clusters/every-cluster.ts'
import { type Moved, moveDatabase } from './clusters/move.ts'
import { CopySlots } from './copy-slots.ts'
import type { Progress } from './maker.ts'
import { assertName } from './names.ts'
import { Serving } from './serving.ts'
import { type Ground, type GroundOptions, withUpgradeLock } from './upgrade/ground.ts'

/** Of one database, for who manages them. */
export interface DatabaseFacts {
  readonly name: string
  readonly bytes: number | null
  readonly backup: string | null
}

/** Actor of an operation on a database, for the audit log. */
export interface Actor {
  readonly address?: string | null
}

export class Managing extends Serving {
  /** For what makes whole databases. */
  protected readonly places = new CopySlots(this.clusters.main.maker.admin)

  /**
   * Facts for managers of databases: size in bytes without files (unknown if the cluster does not answer),
   * and the moment of the last backup, ISO 8601 in UTC.
   */
  async facts(names: readonly string[]): Promise<readonly DatabaseFacts[]> {
    const [sizes, backups] = await Promise.all([sizesOf(this.clusters, names), lastBackups(this.target)])
    return names.map((name) => ({ name, bytes: sizes.get(name) ?? null, backup: backups.get(name) ?? null }))
  }

  /**
   * Moves a database to another cluster: calls that change it wait meanwhile, or are refused. Throws
   * UserError for what cannot be moved.
   */
  async move(name: string, cluster: string, by: Actor = {}, progress?: Progress): Promise<Moved> {
    await this.assertThere(name)
    const moved = await moveDatabase(name, cluster, {
      clusters: this.clusters,
      shut: () => {
        this.handles.shut(name)
        void this.announcements.say('moving', name)
      },
      open: () => this.changed(name),
      progress,
      log: (message) => this.options.log?.(message),
    })
    await this.done('database.move', by, name, { cluster })
    return moved
  }

  /**
   * A step of an upgrade, or what it would do. Throws UserError, ServiceUnavailable while another process is
   * at it.
   */
  async upgradeBy<T>(
    name: string,
    options: Pick<GroundOptions, 'progress' | 'record' | 'ofModules'>,
    work: (ground: Ground) => Promise<T>,
  ): Promise<T> {
    await this.assertThere(name)
    try {
      return await withUpgradeLock({ ...(await this.upgrades.groundOf(name)), ...options }, work)
    } finally {
      await this.forget(name)
    }
  }

  /** Runs work while this process alone holds the names, in all clusters. */
  protected holding<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    return this.clusters.main.maker.admin.holding(names, work)
  }

  protected async assertMove(name: string, next: string): Promise<void> {
    await this.assertThere(name)
    await this.clusters.assertFree(next)
  }

  /** Throws UserError for an impossible or taken name. */
  protected async assertFree(name: string): Promise<void> {
    assertName(name)
    await this.clusters.assertFree(name)
  }

  protected async assertThere(name: string): Promise<void> {
    if (!(await this.exists(name))) throw new UserError('Database not found.')
  }

  /** These names mean other databases from now on, or none: this process and the others open them again. */
  protected async changed(...names: readonly string[]): Promise<void> {
    this.clusters.forget()
    this.names.forget()
    for (const name of names) this.handles.retire(name)
    await this.announcements.tell(...names)
  }

  /**
   * Writes down what was done, before anything that may still fail: an entry for each deed, and none for what
   * was not done.
   */
  protected async done(
    event: ServerEvent['event'],
    by: Actor,
    database: string,
    detail: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    this.names.forget()
    await audit(this.target, { event, database, address: by.address ?? null, detail })
  }

  /** A transaction in a database that is not opened for it. */
  protected async within(
    cluster: Cluster,
    name: string,
    work: (env: Environment) => Promise<void>,
  ): Promise<void> {
    // Past any pooler: what is done to a database as a whole, such as renaming it, waits for no connection
    // that a pooler keeps.
    const pool = { ...cluster.maker.pool, max: 1 }
    await this.aside(cluster, name, pool, (database) => database.system(work))
  }
}
