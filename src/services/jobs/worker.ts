// Does jobs: a few at a time in every process, each under a lease, so that what a lost process had is taken
// up by another.
import { randomUUID } from 'node:crypto'
import type { Database, Databases } from '../../databases/index.ts'
import { type About, ServiceError, ServiceUnavailable, Unauthorized } from '../../errors.ts'
import { inOwnTrace, outsideTrace } from '../../kit/watch/index.ts'
import { batch, type Outcome } from '../batch/index.ts'
import type { BatchAnswer } from '../batch/request.ts'
import { call } from '../call.ts'
import { mayPass, translatedError } from '../failures.ts'
import type { Taker } from '../orphaned-work.ts'
import type { CallBody } from '../request.ts'
import { allLines, exportsRows, inLines, lineTypes } from '../row-lines.ts'
import { forgetKeys } from './bulk/keys.ts'
import { doBulk } from './bulk/run.ts'
import { giveBack } from './give-back.ts'
import {
  ATTEMPTS,
  alone,
  type Claimed,
  claim,
  end,
  endWith,
  type Headers,
  hasOpen,
  LEASE,
  LostJob,
  releaseOthers,
  renew,
  type Work,
} from './store.ts'

/** Jobs of a process at a time; milliseconds between two looks, and between two renewals. */
const [AT_ONCE, LOOK_MS, RENEW_MS] = [4, 1000, 5000]

/** Progress of a job; null: the total is unchanged. */
interface Progress {
  done: number
  of: number | null
}

/** Serializers of answers and failures: these belong to the wire. */
export interface Texts {
  readonly batch: (answer: BatchAnswer) => string
  readonly error: (error: ServiceError) => string
}

interface WorkerOptions {
  readonly texts: Texts
  /** Milliseconds that a job may take. */
  readonly timeoutMs: number
  readonly log: { error(message: string, facts?: object): void }
}

/** Members of problem details in addition to the error object. */
const aboutOf = ({ about: { kind, accepted, suggestions, faults } }: ServiceError): About => ({
  ...(kind && { kind }),
  ...(accepted && { accepted }),
  ...(suggestions && { suggestions }),
  ...(faults && { faults }),
})

/** Runs the jobs of all databases in this process. */
export class JobWorker implements Taker {
  readonly #databases: Databases
  readonly #options: WorkerOptions
  /** Databases with jobs. */
  readonly #open = new Set<string>()
  /** Runs, with the ids of their jobs: a run that lost its job may last while the next one runs. */
  readonly #running = new Map<Promise<void>, string>()
  /** Names this worker in its claims. */
  readonly #id = randomUUID()
  /**
   * Until when claims in a database may turn out to be made whose answer was lost; after that the leases are
   * over too.
   */
  readonly #unsure = new Map<string, number>()
  readonly #timer: NodeJS.Timeout
  #looking: Promise<void> | undefined
  #closed = false

  constructor(databases: Databases, options: WorkerOptions) {
    this.#databases = databases
    this.#options = options
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref()
    databases.announcements.on('job', (name) => this.wake(name, false))
  }

  /** Jobs that run here. */
  get running(): number {
    return this.#running.size
  }

  /** Called when a database has a new job; announces it to other processes too. */
  wake(name: string, tell = true): void {
    this.#open.add(name)
    outsideTrace(() => this.#look())
    if (tell) void this.#databases.announcements.say('job', name)
  }

  get isClosed(): boolean {
    return this.#closed
  }

  has(name: string): boolean {
    return this.#open.has(name)
  }

  /** Whether processes of before left jobs in a database. */
  finds(database: Database): Promise<boolean> {
    return hasOpen(database)
  }

  /** Begins no further job, and waits for those that run. */
  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    await this.#looking
    await Promise.all(this.#running.keys())
  }

  #look(): void {
    if (this.#closed || this.#open.size === 0) return
    this.#looking ??= this.#lookAtAll().finally(() => {
      this.#looking = undefined
    })
  }

  async #lookAtAll(): Promise<void> {
    for (const name of [...this.#open]) {
      try {
        const database = await this.#databases.database(name)
        if (this.#unsure.has(name)) await this.#releaseOthers(database)
        while (this.#running.size < AT_ONCE && !this.#closed) {
          const job = await claim(database, this.#id)
          if (!job) break
          this.#begin(database, job)
        }
        if (this.#running.size === 0 && !(await hasOpen(database))) this.#open.delete(name)
      } catch {
        this.#unsure.set(name, performance.now() + LEASE * 1000)
        // The database is gone, or not there for a moment.
        if (await this.#databases.exists(name).catch(() => true)) continue
        this.#open.delete(name)
        this.#unsure.delete(name)
      }
    }
  }

  async #releaseOthers(database: Database): Promise<void> {
    if (performance.now() > (this.#unsure.get(database.name) ?? 0)) this.#unsure.delete(database.name)
    await releaseOthers(database, this.#id, [...this.#running.values()])
  }

  #begin(database: Database, job: Claimed): void {
    if (job.state !== 'running') {
      this.#sayFailed(database, job)
      return
    }
    const run = inOwnTrace('job', { parent: job.asks.trace }, () => this.#run(database, job))
      .catch((error: unknown) => this.#options.log.error('A job failed', { job: job.id, error }))
      .finally(() => {
        this.#running.delete(run)
        this.#look()
      })
    this.#running.set(run, job.id)
  }

  async #run(database: Database, job: Claimed): Promise<void> {
    const { texts, timeoutMs } = this.#options
    let until = performance.now() + timeoutMs
    const progress: Progress = { done: 0, of: 1 }
    let isLost = false
    const isLate = () => performance.now() > until
    const isClosed = () => this.#closed
    const renewing = setInterval(() => {
      renew(database, job, progress).then(
        (mine) => {
          isLost = !mine
        },
        () => undefined,
      )
    }, RENEW_MS)
    try {
      const gone = () => isLost || isLate()
      if (job.work.kind === 'bulk') {
        const tell = async (done: number) => {
          // The time is that of a part: each stays, whatever becomes of the next.
          until = performance.now() + timeoutMs
          Object.assign(progress, { done, of: null })
          return renew(database, job, progress)
        }
        return await doBulk(this.#databases, job, job.work, {
          owner: this.#ownerOf(database, job, gone),
          tell,
        })
      }
      const ended = await this.#done(database, job, { work: job.work, progress, gone })
      progress.done = progress.of ?? 1
      await renew(database, job, progress)
      // The job's own transaction does not end it when its call had been done before.
      await end(database, job, ended.status === 200 ? 'done' : 'failed', ended)
    } catch (caught) {
      const error = translatedError(database, caught)
      if (error instanceof LostJob || isLost) return
      if (error instanceof Unauthorized) return await end(database, job, 'cancelled', { status: 401 })
      // Nothing was done, or the job's own transaction has ended it.
      if (error instanceof ServiceUnavailable && !isLate())
        return await giveBack(database, job, { isAttempt: false, isClosed })
      if (mayPass(error)) {
        if (job.attempts < ATTEMPTS && !isLate())
          return await giveBack(database, job, { isAttempt: true, isClosed })
        this.#sayFailed(database, job, error)
      }
      if (!(error instanceof ServiceError)) {
        await end(database, job, 'failed', { status: 500, error: null })
        throw error
      }
      const json = texts.error(error)
      const { status, code } = error
      const about = job.asks.problem ? aboutOf(error) : null
      await end(database, job, 'failed', { status, error: json, code, json, about })
    } finally {
      clearInterval(renewing)
      // If that fails, the housekeeping removes the keys.
      if (job.work.kind === 'bulk') await forgetKeys(alone(database), job.id).catch(() => undefined)
    }
  }

  /** For administrators: nothing is wrong with what such a job asked for. */
  #sayFailed({ name }: Database, { id }: Claimed, error?: unknown): void {
    const facts = { database: name, job: id, error }
    this.#options.log.error('A job has failed: none of its attempts came to an end', facts)
  }

  #ownerOf({ name }: Database, { id, keyHash, asks }: Claimed, gone: () => boolean) {
    const credential = { kind: 'hash', hash: keyHash, from: asks.from } as const
    return { database: name, credential, remote: '', requestId: id, gone }
  }

  async #done(
    database: Database,
    job: Claimed,
    {
      work,
      progress,
      gone,
    }: {
      readonly work: Exclude<Work, { kind: 'bulk' }>
      readonly progress: Progress
      readonly gone: () => boolean
    },
  ): Promise<{ readonly status: number; readonly code?: string; readonly json: string; headers: Headers }> {
    const { asks } = job
    const owner = { ...this.#ownerOf(database, job, gone), queued: true }
    const headers: (readonly [string, string])[] = []
    const tell = (name: string, value: string) => headers.push([name, value])
    if (work.kind === 'call') {
      const body = () => work.body as CallBody
      const { json } = await call(this.#databases, {
        ...owner,
        model: work.model,
        method: work.method,
        body,
        // Its rows are put into lines at its end.
        asks: { ...asks, lines: null, tell },
        takesOut: exportsRows(asks.lines, work.method),
        job: {
          seal: async (unit, result, its) => {
            const form = inLines.has(work.method) ? asks.lines : null
            const model = unit.registry.get(work.model)
            const lines = form ? await allLines(result, { form, model, body: body() }) : null
            endWith(unit, job, lines ?? result, its, form && lines !== null ? lineTypes[form] : undefined)
          },
        },
      })
      return { status: 200, json, headers }
    }
    // One by one, each call happens once by a key of its own.
    const key = asks.key ?? `job/${job.id}`
    const answer = await batch(this.#databases, {
      ...owner,
      body: () => work.body,
      asks: { ...asks, key, tell },
      job: {
        seal: (unit, json) =>
          endWith(unit, job, this.#options.texts.batch({ results: JSON.parse(json) as Outcome[] }), headers),
        progress: (done, of) => Object.assign(progress, { done, of }),
      },
    })
    const json = this.#options.texts.batch(answer)
    if (!answer.failed) return { status: 200, json, headers }
    const { status, code } = answer.failed.error
    return { status, code, json, headers: [] }
  }
}
