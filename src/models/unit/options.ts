// Options of a session: its user, its permissions, and the statements of its first flush.
import type { Connection, Pool } from '../../postgres/index.ts'
import type { Statement } from '../../sql/index.ts'
import type { AuditRow, FileStore, Guard } from '../language/outside.ts'
import type { UserProfile } from '../language/rights.ts'
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
  /** READ COMMITTED: each statement has its own snapshot. For readers of the change feed. */
  readonly follows?: boolean
  /** A single read needs no transaction block: credential check and query are one flush. */
  readonly sole?: boolean
  /**
   * Whether the call is repeated on the general path after a failed optimistic assertion
   * (`OptimisticCheckFailed`): then all of it, from BEGIN to COMMIT, may leave in one flush.
   */
  readonly isOptimistic?: boolean
  /** Whether its method may return ids that come with COMMIT (`DeferredRecords`). */
  readonly defers?: boolean
  /** A repeated call: it waits for repeated calls of other nodes, so that they do not conflict again. */
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
  /** Whether it is a client's call, with the limits of limits.ts; the server's own work has none. */
  readonly bounded?: boolean
}

// The system user, which owns the data of modules.

/** User 1. It has no rights of its own: it works with `su`. */
export const SYSTEM: UserProfile = Object.freeze({
  id: 1,
  login: '__system__',
  name: 'System',
  partnerId: 2,
  active: false,
  lang: null,
  tz: null,
  companyId: 1,
  companyIds: Object.freeze([1]),
  groupIds: Object.freeze([]),
  groups: new Set<string>(),
})

// A connection for a session that has to wait for one.

/** Waits for a connection, and calls `opened` with it. */
export async function acquire(pool: Pool, options: UnitOptions): Promise<Connection> {
  const { holder, readonly, gone, opened } = options
  const writing = holder !== undefined && !readonly
  const connection = await pool.acquire(holder, { writing, gone })
  opened?.(connection)
  return connection
}

// The statements that begin and end transactions.

export const COMMIT: Statement = { text: 'COMMIT', values: [] }
export const ROLLBACK: Statement = { text: 'ROLLBACK', values: [] }
export const JUDGE_ALL: Statement = { text: 'SET CONSTRAINTS ALL IMMEDIATE', values: [] }
const BEGIN: Statement = { text: 'BEGIN ISOLATION LEVEL REPEATABLE READ', values: [] }
// SET takes no snapshot, unlike SELECT: after a wait for the lock of the schema, the call sees what was
// committed meanwhile.
const PATIENT: readonly Statement[] = ['statement_timeout', 'lock_timeout'].map((name) => ({
  text: `SET LOCAL ${name} = 0`,
  values: [],
}))
// LOCK takes no snapshot either: the call sees the changes of repeated calls before it. The lock
// conflicts only with theirs, and with VACUUM, which comes again.
const LANE: Statement = {
  text: 'LOCK TABLE rights_version IN SHARE UPDATE EXCLUSIVE MODE',
  values: [],
}
const BEGIN_FOLLOWING: Statement = {
  text: 'BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY',
  values: [],
}
/** The same for a session that writes. */
const BEGIN_TAKING_UP: Statement = {
  text: 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE',
  values: [],
}
const BEGIN_READ_ONLY: Statement = {
  text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  values: [],
}

/** The statements that begin a transaction, in order. */
export function beginWith({ follows, readonly, patient, inLane }: UnitOptions): Statement[] {
  const following = readonly ? BEGIN_FOLLOWING : BEGIN_TAKING_UP
  const statements = [follows ? following : readonly ? BEGIN_READ_ONLY : BEGIN]
  if (patient) statements.push(...PATIENT)
  if (inLane && !readonly) statements.push(LANE)
  return statements
}

/** The error of a statement that is sent after its transaction has ended. */
export const ENDED = 'A statement was sent after the end of its transaction.'
