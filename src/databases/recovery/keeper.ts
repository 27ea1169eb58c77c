// Maintains the backups of an embedded server, in one process of its data directory: makes base backups on
// schedule, closes and packs the log in time, removes old ones, and reports failures.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Archive } from '../../postgres/embedded/index.ts'
import { Backups } from './backups.ts'
import { ArchiveLag, lagPause } from './lag.ts'
import { stateOf } from './state.ts'

export interface KeeperOptions {
  readonly everySeconds: number
  readonly keepDays: number
  readonly log: { info(message: string, more?: object): void; error(message: string, more?: object): void }
  /** Seconds between two looks. */
  readonly pause?: number
}

const PAUSE = 60
/** Seconds after which a lasting failure is reported again, and a failed base backup is tried again. */
const AGAIN = 3600

export class BackupKeeper {
  readonly #archive: Archive & { readonly pgdata: string }
  readonly #backups: Backups
  readonly #options: KeeperOptions
  readonly #stopping = new AbortController()
  readonly #lag: ArchiveLag
  readonly #running: Promise<unknown>
  /** The last reported failure, and when, on the clock of `performance`. */
  #reported: { readonly words: string; readonly at: number } | null = null
  #failed = Number.NEGATIVE_INFINITY

  /** Starts at once, and runs until `stop`. */
  constructor(dataDir: string, archive: Archive & { readonly pgdata: string }, options: KeeperOptions) {
    this.#archive = archive
    this.#backups = new Backups(dataDir, archive)
    this.#options = options
    this.#lag = new ArchiveLag(dataDir, archive)
    this.#running = Promise.all([
      this.#every(options.pause ?? PAUSE, () => this.#look()),
      // A look that fails raises no alarm: the lag grows from there, and is reported when it is too long.
      this.#every(lagPause(archive), () => this.#lag.look().catch(() => undefined)),
    ])
  }

  /** Waits for what is being done. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
    await this.#lag.end()
  }

  async #every(seconds: number, work: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await work().catch((error: unknown) => this.#tell(String(error)))
      await sleep(seconds * 1000, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  async #look(): Promise<void> {
    // First what makes room.
    await this.#backups.pack()
    await this.#backups.contents.catchUp()
    if (await this.#isDue()) await this.#base()
    const { failing } = await stateOf(this.#archive, this.#backups.dataDir, this.#options.everySeconds)
    if (failing) return this.#tell(failing)
    if (this.#reported) this.#options.log.info('Backups are complete again')
    this.#reported = null
  }

  /** In time, and when the log no longer leads on from the last one. */
  async #isDue(): Promise<boolean> {
    if (performance.now() < this.#failed + AGAIN * 1000) return false
    const last = (await this.#backups.list()).at(-1)
    if (!last || last.reach.gap) return true
    return Date.now() - Date.parse(last.ended) >= this.#options.everySeconds * 1000
  }

  async #base(): Promise<void> {
    try {
      const { label, bytes } = await this.#backups.base()
      const removed = await this.#backups.prune(this.#options.keepDays)
      this.#options.log.info('Base backup taken', { label, bytes, removed })
    } catch (error) {
      this.#failed = performance.now()
      throw error
    }
  }

  /** Reports a failure once, and again each hour: writes go on meanwhile, and the log grows. */
  #tell(words: string): void {
    const kind = words.replaceAll(/\d+/g, '')
    if (this.#reported?.words === kind && performance.now() < this.#reported.at + AGAIN * 1000) return
    this.#reported = { words: kind, at: performance.now() }
    this.#options.log.error('Backups are incomplete: a restore would lose data', { reason: words })
  }
}
