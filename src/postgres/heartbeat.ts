// Checks whether a server answers, over a connection kept for this, within a time limit.
import type { ConnectionOptions } from './address.ts'
import { Connection } from './connection.ts'

export interface Beat {
  /** False on a server that only follows another one, and takes no writes. */
  readonly writable: boolean
}

/** Milliseconds for an answer, the connection's coming about included. */
const PATIENCE_MS = 3000

export class Heartbeat {
  readonly #options: ConnectionOptions
  readonly #patienceMs: number
  #line: Connection | undefined
  /** Concurrent callers share one answer. */
  #asking: Promise<Beat> | undefined
  #closed = false

  constructor(options: ConnectionOptions, patienceMs = PATIENCE_MS) {
    this.#options = options
    this.#patienceMs = patienceMs
  }

  /**
   * The current state of the server. Throws the reason for its silence: the driver's error, or that no answer
   * came in time.
   */
  feel(): Promise<Beat> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  async #ask(): Promise<Beat> {
    if (this.#closed) throw new Error('Connection terminated')
    const kept = this.#line?.usable
    try {
      return await this.#over(await this.#connected())
    } catch (error) {
      this.#line?.destroy()
      this.#line = undefined
      // A kept connection may have died since: only a new one shows whether the server runs.
      if (!kept) throw error
      return this.#over(await this.#connected())
    }
  }

  async #connected(): Promise<Connection> {
    if (this.#line?.usable) return this.#line
    const connectTimeout = Math.min(this.#options.connectTimeout ?? this.#patienceMs, this.#patienceMs)
    const line = await Connection.connect({
      ...this.#options,
      connectTimeout,
      statementTimeout: this.#patienceMs,
    })
    if (this.#closed) line.destroy()
    this.#line = line
    return line
  }

  async #over(line: Connection): Promise<Beat> {
    const deadline = setTimeout(() => line.cut(), this.#patienceMs).unref()
    try {
      const [row] = await line.query(
        "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::bool",
      )
      return { writable: row?.[0] === false }
    } finally {
      clearTimeout(deadline)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#line?.close()
  }
}
