// What a pool may be told: how many connections, how long callers wait, and what is done where there is no
// room.
import type { ConnectionOptions } from './address.ts'
import type { Patience } from './silence.ts'

export interface PoolOptions extends ConnectionOptions {
  /** Connections at most. Default 10. */
  readonly max?: number
  /** Callers that may wait at most; more are refused. Default 1000. */
  readonly queueLimit?: number
  /** Milliseconds that a caller may wait. Default 30 000. */
  readonly acquireTimeoutMs?: number
  /** Milliseconds after which a connection that nobody uses is closed. Default 60 000. */
  readonly idleTimeoutMs?: number
  /**
   * Called when the server takes no more connections; whoever has free ones elsewhere closes them. The pool
   * tries again.
   */
  readonly makeRoom?: () => void
  /** What callers hear in the place of an error of connecting; by default the driver's error. */
  readonly refusal?: (error: unknown) => unknown
  /** For tests: how soon a silent line is given up. */
  readonly patience?: Patience
}

/** Connections open and free, callers waiting. */
export interface PoolStats {
  readonly open: number
  readonly free: number
  readonly waiting: number
}
