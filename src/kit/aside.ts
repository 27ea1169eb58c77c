// Runs work in a separate thread that would block the event loop: one piece at a time, in order, with limits
// of time, memory and queue.
import { Worker } from 'node:worker_threads'
import { ServiceUnavailable } from '../errors.ts'

export interface Terms {
  /** File of the thread's program: it answers each message with one. */
  readonly program: URL
  /** One piece takes a fraction of it; whatever takes this long has gone wrong. */
  readonly patienceMs: number
  /** Milliseconds that a piece may wait before it is refused; without a limit by default. */
  readonly turnMs?: number
  /** The thread and its memory are released after this time without work. */
  readonly idleMs: number
  /** Megabytes of JavaScript's heap in the thread; beyond it the thread ends, not the server. */
  readonly heapMb: number
  /** Total bytes of the pieces that may wait at a time, from all callers. */
  readonly waiting: number
  /** The noun of the refusal, such as "texts". */
  readonly what: string
}

/** One thread and its queue. An answer of null means that a piece could not be processed. */
export class Aside<Piece, Answer> {
  readonly #terms: Terms
  #turn: Promise<unknown> = Promise.resolve()
  #bytes = 0
  #thread: Worker | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(terms: Terms) {
    this.#terms = terms
  }

  /**
   * The answer to a piece of so many bytes; null when the thread failed at it, ran out of memory or took too
   * long. Throws ServiceUnavailable when too much waits already.
   */
  async ask(piece: Piece, bytes: number): Promise<Answer | null> {
    if (this.#bytes > 0 && this.#bytes + bytes > this.#terms.waiting) throw this.#tooMany()
    this.#bytes += bytes
    const turn = Promise.withResolvers<boolean>()
    const run = this.#turn.then(async () => {
      turn.resolve(true)
      return (await turn.promise) ? this.#answer(piece) : null
    })
    this.#turn = run.catch(() => undefined)
    const { turnMs } = this.#terms
    const timer = turnMs === undefined ? undefined : setTimeout(() => turn.resolve(false), turnMs)
    try {
      if (!(await turn.promise)) throw this.#tooMany()
      return await run
    } finally {
      clearTimeout(timer)
      this.#bytes -= bytes
    }
  }

  #tooMany(): ServiceUnavailable {
    return new ServiceUnavailable(
      `Too many ${this.#terms.what} are being processed. Try again in a moment.`,
      { retryAfter: 5 },
    )
  }

  async #answer(piece: Piece): Promise<Answer | null> {
    clearTimeout(this.#idle)
    const worker = this.#started()
    worker.ref()
    const { promise, resolve } = Promise.withResolvers<Answer | null>()
    const fail = () => resolve(null)
    const timer = setTimeout(fail, this.#terms.patienceMs)
    worker.once('message', resolve).once('error', fail).once('exit', fail)
    worker.postMessage(piece)
    const answer = await promise
    clearTimeout(timer)
    worker.off('message', resolve).off('error', fail).off('exit', fail)
    worker.unref()
    // After a failure its memory is in no state to go on with.
    if (answer === null) await this.#leave(worker)
    else this.#idle = setTimeout(() => void this.#leave(worker), this.#terms.idleMs).unref()
    return answer
  }

  #started(): Worker {
    const { program, heapMb } = this.#terms
    this.#thread ??= new Worker(program, {
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16 },
    })
    return this.#thread
  }

  async #leave(worker: Worker): Promise<void> {
    if (this.#thread === worker) this.#thread = undefined
    worker.on('error', () => undefined)
    await worker.terminate()
  }
}

/** The file of a thread's program, next to the file that asks, as source or compiled. */
export function threadProgram(asker: string, name: string): URL {
  return new URL(`./${name}${asker.slice(asker.lastIndexOf('.'))}`, asker)
}
