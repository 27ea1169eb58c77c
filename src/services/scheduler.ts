// The scheduler: looks at the databases of a server from time to time and runs the jobs that are due. Any
// number of processes may do so.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Databases } from '../databases/index.ts'
import { keepAudit } from './audit/ship.ts'
import { runDueJobs, secondsToNext } from './scheduled-actions.ts'

/** Seconds between two looks at a database that is in use here, and at one that is not. */
const USED = 60
const UNUSED = 600

export interface SchedulerOptions {
  readonly log: { info(message: string, more?: object): void; error(message: string, more?: object): void }
  /** Seconds until the first look: a server that starts has other things to do. */
  readonly delay?: number
}

/** Runs the scheduled actions of all databases in this process. */
export class Scheduler {
  readonly #databases: Databases
  readonly #log: SchedulerOptions['log']
  readonly #stopping = new AbortController()
  /** Database → when to look at it next, on the clock of `performance`. */
  readonly #next = new Map<string, number>()
  readonly #running: Promise<void>

  /** Starts at once; runs until `stop`. */
  constructor(databases: Databases, { log, delay = 10 }: SchedulerOptions) {
    this.#databases = databases
    this.#log = log
    this.#running = this.#run(delay)
  }

  /** Lets the job that runs finish; no other one begins. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(delay: number): Promise<void> {
    const { signal } = this.#stopping
    // Several machines that were started together do not look together.
    let pause = delay * (0.5 + Math.random())
    while (!signal.aborted) {
      await sleep(pause * 1000, undefined, { signal, ref: false }).catch(() => undefined)
      if (signal.aborted) return
      pause = await this.#look(signal)
    }
  }

  /** Looks at every database whose time has come; gives seconds until the next look. */
  async #look(signal: AbortSignal): Promise<number> {
    const names = await this.#databases.list().catch((error: unknown) => {
      this.#log.error('The databases could not be listed for their scheduled jobs', { error: String(error) })
      return [] as string[]
    })
    for (const name of [...this.#next.keys()]) if (!names.includes(name)) this.#next.delete(name)
    for (const name of names) {
      if (signal.aborted) return 0
      const used = this.#databases.isOpen(name)
      if (!used && performance.now() < (this.#next.get(name) ?? 0)) continue
      const wait = await this.#work(name, signal).catch((error: unknown) => {
        // The database may just have been dropped; if not, the next look finds the job again.
        this.#log.error('Scheduled jobs could not be run', { database: name, error: String(error) })
        return USED
      })
      this.#next.set(name, performance.now() + wait * 1000)
    }
    const soonest = Math.min(USED, ...[...this.#next.values()].map((at) => (at - performance.now()) / 1000))
    return Math.max(1, soonest)
  }

  /** A receiver that is away delays no job: it gets later what it missed. */
  async #keepAudit(database: Database): Promise<void> {
    await keepAudit(database, this.#databases.options.receivers ?? null).catch((error: unknown) =>
      this.#log.error('The audit log could not be sealed or forwarded', {
        database: database.name,
        error: String(error),
      }),
    )
  }

  /** Runs what is due in a database; gives seconds until it should be looked at again. */
  async #work(name: string, signal: AbortSignal): Promise<number> {
    const [runs, due] = await this.#databases.visit(name, async (database) => {
      try {
        return [await runDueJobs(database, signal), await secondsToNext(database)] as const
      } finally {
        await this.#keepAudit(database)
      }
    })
    for (const { id, outcome, seconds, error } of runs) {
      const facts = { database: name, job: id, seconds: Number(seconds.toFixed(3)) }
      if (outcome === 'done') this.#log.info('Scheduled job done', facts)
      else
        this.#log.error('Scheduled job failed', {
          ...facts,
          error: error instanceof Error ? (error.stack ?? error.message) : String(error),
        })
    }
    return Math.min(UNUSED, Math.max(1, due ?? UNUSED))
  }
}
