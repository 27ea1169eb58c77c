// Several processes behind one port: starts them, replaces those that die, stops them.
import cluster, { type Address, type Worker } from 'node:cluster'
import type { Config } from '../config/index.ts'
import { StartupError } from '../errors.ts'
import type { Log } from '../http/log.ts'

export interface Workers {
  /** The port they share. */
  readonly port: number
  /** Lets them finish their calls; resolves when all are gone. */
  stop(): Promise<void>
}

/** A worker that lives shorter than this, in milliseconds, would die again: its successor waits as long. */
const SHORT_LIFE = 1000

/** Starts the workers; resolves when all of them answer. Throws StartupError when one dies before. */
export async function startWorkers({ workers: count }: Config, log: Log): Promise<Workers> {
  let stopping = false
  const fork = () => {
    const started = performance.now()
    const worker = cluster.fork()
    closeWhatItNeverTook(worker)
    worker.on('exit', (code, signal) => {
      if (stopping || !worker.process.pid) return
      log.error('A worker died; another takes its place', { pid: worker.process.pid, code, signal })
      setTimeout(() => stopping || fork(), performance.now() - started < SHORT_LIFE ? SHORT_LIFE : 0)
    })
    return worker
  }
  const stop = async () => {
    stopping = true
    await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && stopped(worker)))
  }
  try {
    const addresses = await Promise.all(Array.from({ length: count }, () => listening(fork())))
    return { port: addresses[0]?.port ?? 0, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** What the primary process hands over: a connection, under a number that the worker's word that it has it will bear. */
interface Handover {
  readonly act?: string
  readonly seq?: number
  readonly ack?: number
}

/**
 * Closes the connections that were on their way to a worker when it died: Node.js waits for its word for ever, and so would the clients.
 * Node.js tells of a connection by `send` with a number, and of the worker's answer by an internal message with the same number.
 */
function closeWhatItNeverTook({ process: child }: Worker): void {
  const onTheWay = new Map<number, { close(): void }>()
  const send = child.send as (...given: unknown[]) => boolean
  child.send = (...given: unknown[]): boolean => {
    const [message, handle] = given as [Handover | null, { close(): void } | undefined]
    if (message?.act === 'newconn' && message.seq !== undefined && handle) onTheWay.set(message.seq, handle)
    return send.apply(child, given)
  }
  child.on('internalMessage', ({ ack }: Handover) => {
    if (ack !== undefined) onTheWay.delete(ack)
  })
  child.once('exit', () => {
    for (const handle of onTheWay.values()) handle.close()
    onTheWay.clear()
  })
}

function listening(worker: Worker): Promise<Address> {
  return new Promise((resolve, reject) => {
    worker.once('listening', resolve)
    worker.once('exit', () => reject(new StartupError('A worker could not start; its message is above')))
  })
}

function stopped(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    if (worker.isDead()) return resolve()
    worker.once('exit', () => resolve())
    worker.process.kill('SIGTERM')
  })
}
