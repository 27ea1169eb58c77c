// Upgrades a database when a node of a newer build opens it, if the setting allows it: one node does it, and
// calls wait for a moment or are asked to retry.
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceUnavailable, UserError } from '../../errors.ts'
import { Pool, type PoolOptions, sqlState } from '../../postgres/index.ts'
import type { Cluster, Clusters } from '../clusters/clusters.ts'
import { openInCluster } from '../clusters/open-in-cluster.ts'
import { isGone } from '../names.ts'
import { awaitsUpgrade } from '../release.ts'
import { type GroundOptions, withUpgradeLock } from './ground.ts'
import { otherBuildsIn } from './presence.ts'
import { contract, expand, migrate } from './steps.ts'

/** Milliseconds that a call waits for an upgrade, and seconds after which it may come again. */
const PATIENCE_MS = 5000
const RETRY_AFTER = 5

interface Options extends Pick<GroundOptions, 'main' | 'available'> {
  readonly log: (message: string) => void
}

export class Upgrades {
  readonly #clusters: Clusters
  readonly #options: Options
  readonly #running = new Map<string, Promise<void>>()
  /** A failed upgrade is not tried again by this process: an administrator has to look at it. */
  readonly #failed = new Map<string, Error>()

  constructor(clusters: Clusters, options: Options) {
    this.#clusters = clusters
    this.#options = options
  }

  /** Options of a step. */
  async groundOf(name: string): Promise<GroundOptions> {
    const { main, available } = this.#options
    return { name, cluster: await this.#clusters.of(name), main, available }
  }

  /**
   * Upgrades a database of an earlier build. Throws ServiceUnavailable if that fails, or takes longer than a
   * call waits.
   */
  async bring(name: string, poolAt: (cluster: Cluster) => PoolOptions): Promise<void> {
    const isOlder = await openInCluster(this.#clusters, name, async (cluster) => {
      const pool = new Pool({ ...poolAt(cluster), database: name, max: 1 })
      try {
        return await awaitsUpgrade(pool, this.#options.available)
      } catch (error) {
        // A fault of the database itself is reported when it is opened next.
        if (error instanceof UserError || isGone(error) || sqlState(error) === '42P01') return false
        throw error
      } finally {
        await pool.end()
      }
    })
    if (isOlder) await this.#wait(await this.groundOf(name))
  }

  async #wait(options: GroundOptions): Promise<void> {
    const { name } = options
    const failed = this.#failed.get(name)
    if (failed)
      throw new ServiceUnavailable(`The database could not be upgraded: ${failed.message}`, {
        retryAfter: 60,
        repeats: true,
      })
    const running = this.#running.get(name) ?? this.#begin(options)
    const late = sleep(PATIENCE_MS, 'late', { ref: false })
    if ((await Promise.race([running, late])) === 'late')
      throw new ServiceUnavailable('The database is being upgraded. Please try again.', {
        retryAfter: RETRY_AFTER,
        repeats: true,
      })
  }

  #begin(options: GroundOptions): Promise<void> {
    const { name } = options
    const running = this.#upgrade(options).finally(() => this.#running.delete(name))
    this.#running.set(name, running)
    running.catch((error: Error) => {
      // Another process is at it: the next call looks again.
      if (error instanceof ServiceUnavailable) return
      this.#failed.set(name, error)
      this.#options.log(`Database ${name} could not be upgraded: ${error.message}`)
    })
    return running
  }

  /** Keeps columns and tables that hold data: administrators ask for dropping them. */
  async #upgrade(options: GroundOptions): Promise<void> {
    const { name } = options
    this.#options.log(`Database ${name} was last brought up to date by another build: it is being upgraded.`)
    const others = await withUpgradeLock(options, async (ground) => {
      if (!ground.standing.older) return []
      await expand(ground)
      await migrate(ground)
      const serving = await otherBuildsIn(ground.main, name, ground.build)
      if (serving.length === 0) await contract(ground, { keep: true })
      return serving
    })
    this.#options.log(
      others.length
        ? `Database ${name} has been expanded and migrated; nodes of another build still serve: ${others.map((node) => node.name).join(', ')}. When they are gone: comptoir module upgrade --database ${name} --step contract`
        : `Database ${name} has been upgraded.`,
    )
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#running.values())
  }
}
