// Options of a pool: number of connections, waiting times, and what happens without room.
import type { ConnectionOptions } from './address.ts'
import type { Patience } from './dead-connections.ts'

export interface PoolOptions extends ConnectionOptions {
  /** Connections at most. Default 10. */
  readonly max?: number
  /** Callers that may wait at most; more are refused. Default 1000. */
  readonly queueLimit?: number
  /** Milliseconds that a caller may wait. Default 30 000. */
  readonly acquireTimeoutMs?: number
  /** Milliseconds after which an idle connection is closed. Default 60 000. */
  readonly idleTimeoutMs?: number
  /**
   * Called when the server accepts no more connections, to close free ones of other pools. The pool then
   * tries again.
   */
  readonly makeRoom?: () => void
  /** Replaces an error of connecting; by default callers get the driver's error. */
  readonly refusal?: (error: unknown) => unknown
  /** For tests: how soon a silent connection is closed. */
  readonly patience?: Patience
}

/** Connections open and free, callers waiting. */
export interface PoolStats {
  readonly open: number
  readonly free: number
  readonly waiting: number
}
