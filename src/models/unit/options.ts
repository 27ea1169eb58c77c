// Options of a session: its user, its permissions, and the statements of its first flush.
import type { Connection } from '../../postgres/index.ts'
import type { Statement } from '../../sql/index.ts'
import type { AuditRow, FileStore, Guard } from '../language/outside.ts'
import type { Row } from '../language/unit.ts'

/**
 * The credential check: a statement that leaves with the first query of a call; `verify` throws for a
 * result that ends the call.
 */
export interface CredentialQuery {
  readonly statement: Statement
  /**
   * The same as a statement that fails as `refusing.ts` says where `verify` would throw: PostgreSQL then
   * skips all later statements of the flush.
   */
  readonly strict?: Statement
  verify(rows: readonly Row[]): void
}

export interface UnitOptions {
  readonly readonly: boolean
  readonly credentialQuery?: CredentialQuery
  /** The user whose share of the connections it counts for; undefined for the server's own work. */
  readonly holder?: number
  /** Whether the client has disconnected: then no further work begins. */
  readonly gone?: (() => boolean) | undefined
  /**
   * READ COMMITTED: each statement has its own snapshot. For readers of the change feed.
   */
  readonly follows?: boolean
  /**
   * The call is a single read: it needs no transaction block, so credential check and query are one
   * flush.
   */
  readonly sole?: boolean
  /**
   * Whether the call is repeated on the general path (`OtherWay`) after a failed optimistic assertion:
   * then all of it, from BEGIN to COMMIT, may leave in one flush.
   */
  readonly isOptimistic?: boolean
  /** Whether its method may return ids that come with COMMIT (`DeferredRecords`). */
  readonly defers?: boolean
  /**
   * A repeated call: it waits for repeated calls of other nodes, so that they do not conflict again.
   */
  readonly inLane?: boolean
  /**
   * Locks to take before the transaction begins: those that the call lacked before it was repeated.
   * Undefined: the session takes no such locks.
   */
  readonly turns?: readonly string[] | undefined
  /** The server's own work: its statements have no timeout. */
  readonly patient?: boolean
  /** Called with the connection before the first statement: for statements that precede the snapshot. */
  readonly opened?: ((connection: Connection) => void) | undefined
  /** Called with the connection once COMMIT has left, for further statements of the same flush. */
  readonly committed?: ((connection: Connection) => void) | undefined
  /** The brute-force guard; called where a secret is checked. */
  readonly guard?: () => Guard
  /** Called with rows of the audit log, once they are committed. */
  readonly tell?: ((row: AuditRow) => void) | null
  /** Called once changes are committed; null: changes are not recorded. */
  readonly changed?: (() => void) | null
  /** Whether changes are recorded without a feed: for the report of a dry run. */
  readonly noted?: boolean
  /** Whether `waited` is kept. */
  readonly timed?: boolean
  /** Where contents of attachments are kept besides the database. */
  readonly files?: FileStore
  /** Whether the call's result may be a `LongAnswer`, which only the wire understands. */
  readonly takesLong?: boolean
  /**
   * Whether it is a client's call, which the limits of limits.ts hold for; the server's own work has none.
   */
  readonly bounded?: boolean
}
