// Worker processes on one port: starts them, replaces those that die, stops them.

import cluster, { type Worker } from 'node:cluster'
import type { Config } from '../config/index.ts'
import { StartupError } from '../errors.ts'
import type { Log } from '../http/log.ts'
import { present } from '../kit/present.ts'
import { type HeldPort, holdPort } from './port.ts'
import type { Progress } from './progress.ts'

/** Orders of a new worker; the port comes with them if there is only one worker. */
export interface Orders {
  readonly config: Config
  /** Its number, from 0; a replacement has the number of the worker that it replaces. */
  readonly index: number
  /** Whether it does what one process of a machine does: scheduled jobs, the first run. */
  readonly isFirst: boolean
  /** Whether it takes the place of one that died. */
  readonly replaces: boolean
}

/**
 * Messages of a worker: it is ready for orders (it does not listen before), steps of its first run, it
 * answers requests.
 */
export type Report =
  | { readonly says: 'begins' }
  | { readonly says: 'does'; readonly step: string; readonly done: number | undefined }
  | { readonly says: 'answers'; readonly url: string }

/**
 * A worker that dies before it answers, or sooner after that than this, in milliseconds, may die of what it
 * does at its start, however slow that is: the next one waits, ever longer.
 */
const SHORT_LIFE = 10_000
const LONGEST_WAIT = 30_000

/**
 * Defaults for glibc's memory allocation in workers (mallopt(3)): large blocks go back when they are freed,
 * and threads share freed memory. Otherwise the buffers of one large call keep most of their memory for good.
 */
const MEMORY: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '262144',
  MALLOC_TRIM_THRESHOLD_: '524288',
}
/**
 * Defaults for the heap of Node.js: an unlimited young generation takes 128 MB and returns them slowly, and
 * parallel collection of so small a one costs more than it saves (decisions/0084); collections can be
 * requested (memory-keeper.ts).
 */
const YOUNG: Readonly<Record<string, string>> = {
  'max-semi-space-size': '--max-semi-space-size=8',
  'parallel-scavenge': '--no-parallel-scavenge',
}
function heap(): string[] {
  const nodeOptions = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ').replaceAll('_', '-')
  const unsaid = Object.entries(YOUNG).flatMap(([name, flag]) => (nodeOptions.includes(name) ? [] : [flag]))
  return [...process.execArgv, ...unsaid, '--expose-gc']
}
const memory = () =>
  Object.fromEntries(Object.entries(MEMORY).filter(([name]) => process.env[name] === undefined))

export class Workers {
  #config: Config
  readonly #log: Log
  readonly #alive = new Set<Worker>()
  #port: HeldPort | null = null
  #stopping = false

  constructor(config: Config, log: Log) {
    this.#config = config
    this.#log = log
    // The configuration is sent over the channel, as every user of the machine can read arguments; it
    // contains sets, which JSON does not support.
    cluster.setupPrimary({ args: ['serve'], execArgv: heap(), serialization: 'advanced' })
  }

  /** Takes the port. Throws StartupError for one that cannot be had. */
  async holdPort(): Promise<void> {
    this.#port = await holdPort(this.#config, this.#config.workers)
    // Workers that are replaced bind the port that the first ones had.
    this.#config = { ...this.#config, port: this.#port.number }
  }

  /**
   * Starts the workers on the port; returns their address when all of them answer, null if they were stopped.
   * Throws StartupError when one dies before; it has printed the reason.
   */
  async start(progress: Progress): Promise<string | null> {
    // A stop that came while the port was taken found nothing to stop.
    if (this.#stopping) {
      this.#port?.close()
      return null
    }
    const [url] = await Promise.all(
      Array.from({ length: this.#config.workers }, (_, i) =>
        answering(this.#fork(i, { replaces: false, deaths: 0 }), progress),
      ),
    )
    return present(url)
  }

  /** Lets them finish their calls; resolves when all are gone. */
  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all([...this.#alive].map(stopped))
    this.#port?.close()
  }

  /** `deaths`: how many that did not live long came before it. */
  #fork(index: number, { replaces, deaths }: { replaces: boolean; deaths: number }): Worker {
    const worker = cluster.fork(memory())
    this.#alive.add(worker)
    closeWhatItNeverTook(worker)
    const orders: Orders = { config: this.#config, index, isFirst: index === 0, replaces }
    let answered: number | null = null
    worker.on('message', ({ says }: Report) => {
      if (says === 'answers') answered = performance.now()
      // A send to a worker that died at once fails; its exit event reports that.
      else if (says === 'begins')
        worker.send(orders, (this.#port?.socket ?? undefined) as never, () => undefined)
    })
    worker.once('exit', (code, signal) => {
      this.#alive.delete(worker)
      // One that never answered ends the start, unless it was to take the place of another.
      if (this.#stopping || (answered === null && !replaces)) return
      const short = answered === null || performance.now() - answered < SHORT_LIFE ? deaths + 1 : 0
      const wait = short <= 1 ? 0 : Math.min(LONGEST_WAIT, 500 * 2 ** (short - 2))
      this.#log.error('A worker process ended unexpectedly; starting another', {
        pid: worker.process.pid,
        ...reasonOf(code, signal),
        ...(wait ? { wait } : {}),
      })
      setTimeout(() => this.#stopping || this.#fork(index, { replaces: true, deaths: short }), wait)
    })
    return worker
  }
}

/** Why a process ended: the system's code or signal, and words. */
function reasonOf(code: number | null, signal: string | null): object {
  if (signal === 'SIGKILL')
    return { signal, reason: 'it was killed, perhaps by the system because of its memory use' }
  if (signal === 'SIGABRT' || code === 134)
    return { code, signal, reason: 'it aborted, most likely because it ran out of memory' }
  return {
    code,
    signal,
    reason: signal ? 'it received a signal' : code === 0 ? 'it exited' : 'it failed; its error is above',
  }
}

/**
 * A handover by the primary process: a connection with a sequence number, which the worker's acknowledgement
 * repeats.
 */
interface Handover {
  readonly act?: string
  readonly seq?: number
  readonly ack?: number
}

/**
 * Closes the connections that were being sent to a worker when it died: Node.js would wait for their
 * acknowledgement forever, and so would the clients. Node.js sends a connection with a number, and the worker
 * acknowledges it by an internal message with the same number.
 */
function closeWhatItNeverTook({ process: child }: Worker): void {
  const onTheWay = new Map<number, { close(): void }>()
  const send = child.send as (...args: unknown[]) => boolean
  child.send = (...args: unknown[]): boolean => {
    const [message, handle] = args as [Handover | null, { close(): void } | undefined]
    if (message?.act === 'newconn' && message.seq !== undefined && handle) onTheWay.set(message.seq, handle)
    return send.apply(child, args)
  }
  child.on('internalMessage', ({ ack }: Handover) => {
    if (ack !== undefined) onTheWay.delete(ack)
  })
  child.once('exit', () => {
    for (const handle of onTheWay.values()) handle.close()
    onTheWay.clear()
  })
}

function answering(worker: Worker, progress: Progress): Promise<string> {
  return new Promise((resolve, reject) => {
    worker.on('message', (report: Report) => {
      if (report.says === 'answers') resolve(report.url)
      if (report.says === 'does') progress(report.step, report.done)
    })
    // The worker has printed the reason on a line of its own.
    worker.once('exit', (code) => reject(new StartupError('', { exitCode: code || 1 })))
  })
}

function stopped(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    if (worker.isDead()) return resolve()
    worker.once('exit', () => resolve())
    worker.process.kill('SIGTERM')
  })
}
