// The unit of work: one call's transaction, its cache, and what is pending until a recomputation or the
// commit.
import type { LimitName } from '../../limits.ts'
import type { Sql, Statement } from '../../sql/index.ts'
import type { Claim, CredentialFlush, NewId, StatementBuffer } from './deferred.ts'
import type { FieldDef, Ids, ModelDef, Registry } from './definitions.ts'
import type { Preferences } from './environment.ts'
import type { AuditRow, FileStore, Guard, ModuleChange } from './outside.ts'
import type { Rights } from './rights.ts'

export type Row = readonly unknown[]

/** The value of a field in the nth new row; undefined if only PostgreSQL knows it. */
export type ColumnOf = (field: FieldDef, n: number) => unknown

/** Values that were read, by field, cache key (language, company, context) and record. */
export interface Cache {
  /** Cached values of a field and cache key, by record id. The caller may add values. */
  of(field: FieldDef, variant: string): Map<number, unknown>
  /** Forgets a field's values, of the given records or of all. */
  forget(field: FieldDef, ids?: Iterable<number>): void
  /**
   * Forgets every value that may depend on other records: computed, related and x2many fields, except
   * those for which `stands` returns true. `short`: keeps lists of at most one record.
   */
  forgetDerived(stands?: (field: FieldDef, variant: string) => boolean | 'short'): void
  /** Caches the columns of new rows as if they had been read. */
  addNewRows(model: ModelDef, ids: Ids, column: ColumnOf): void
  /** Whether all of these are rows that this call inserted, and their values are still certain. */
  hasNewRows(model: ModelDef, ids: Ids): boolean
  /** Forgets fields of rows that this unit inserted: an untouched unit wrote them. */
  forgetWritten(model: ModelDef, fields: readonly FieldDef[], ids: Ids): void
  /** Forgets values of inserted rows that were not read back: other code may have changed them. */
  forgetUnconfirmed(): void
  /** Runs `work` without trimming the cache: rows that are not stored yet exist only here. */
  withoutTrimming<T>(work: () => Promise<T>): Promise<T>
  /** Forgets everything if the cache has become large. */
  trim(): void
  clear(): void
}

/** Size of the call's answer so far, checked against the limits. Each method throws PayloadTooLarge. */
export interface Shown {
  /** Number of values so far. */
  readonly cells: number
  /** Length of texts so far, in characters. */
  readonly length: number
  /**
   * Announces so many further values, or zero for further text. A large answer waits for its turn.
   * Throws ServiceUnavailable if the wait is too long.
   */
  expect(cells: number): Promise<void>
  /**
   * Marks the call as large from its start: it waits as in `expect` before it takes a connection.
   * `since`: when its client began to wait, by `performance.now()`.
   */
  begin(since?: number): Promise<void>
  /** Counts values of records, groups and tables. */
  add(cells: number): void
  /** Raises the number of values to at least `cells`: values that occur in several places count each time. */
  reach(cells: number): void
  addText(bytes: number): void
  /** Counts a query for a part of the answer. */
  addQuery(): void
  /** The answer so far is being sent: the counts start again at zero. */
  forget(): void
}

/** Created, updated, deleted. */
export type ChangeKind = 'c' | 'u' | 'd'

/** A row of the change feed. `op` is `e` for a declared event. */
export interface ChangeRow {
  readonly model: string
  readonly op: ChangeKind | 'e'
  readonly ids: Ids
  readonly fields: readonly string[]
  readonly event: string | null
}

/** Changes of a unit of work that are published with COMMIT. */
export interface Changes {
  readonly publishes: boolean
  readonly length: number
  rows(): readonly ChangeRow[]
  note(uid: number, model: string, kind: ChangeKind, ids: readonly NewId[], fields: readonly string[]): void
  emit(uid: number, model: string, event: string, ids: Ids): void
  isNew(model: string, id: number): boolean
}

/** Recomputation of stored computed fields. */
export interface Recomputation {
  /** Fields with pending values: field → ids. Code that reads them calls `registry.engine.flush` first. */
  readonly pending: Map<FieldDef, Set<number>>
  /**
   * Fields for which the call in progress has explicit values: field → ids. Other changes of the call do
   * not make these values dirty.
   */
  readonly explicitIds: Map<FieldDef, ReadonlySet<number>>
  readonly computing: Set<FieldDef>
}

/** Limits of a client's call; the server's own work has none. */
export interface Quota {
  /** The limit of the call; infinite for the server's own work. */
  bound(name: LimitName): number
  /** Charges the call's quota. Throws PayloadTooLarge if a client's call exceeds the limit. */
  charge(name: LimitName, amount: number): void
  /**
   * As `charge`, but only checks an amount that will be charged later: refuses a call before it does work
   * that would have to be undone.
   */
  reserve(name: LimitName, amount: number): void
}

/** Services of layers above the engine; null where a unit has none. */
export interface Services {
  readonly guard: Guard | null
  readonly onAudit: ((row: AuditRow) => void) | null
  readonly files: FileStore | null
}

/** The forms in which the call's own method may answer, and what its caller prefers. */
export interface AnswerForms {
  /** Whether the call's own method may return a `LongAnswer`. True once at most. */
  mayStream(): boolean
  /** Whether it may return text instead of objects. True once at most, and only without a wrap. */
  mayReturnText(): boolean
  /** Whether it may return `DeferredRecords`, whose ids come with COMMIT. True once at most. */
  mayReturnDeferred(): boolean
  /** Allows `mayReturnDeferred` for the next method of a batch. */
  allowDeferred(): void
  /** Sets the caller's preferences for rows that the call's own method, about to run, returns. */
  keepPreferences(wishes: Preferences): void
  /** Returns these preferences once. Methods that the call's own method calls get the defaults. */
  takePreferences(): Preferences
}

/** Hooks and rows of the commit of a call. */
export interface Ending {
  /** Run in order before COMMIT: for rows that must commit with the effect. */
  readonly beforeCommit: (() => Promise<void>)[]
  /** Run in order once the transaction is committed. */
  readonly afterCommit: (() => void | Promise<void>)[]
  /** The record of the call that commits with its effect; null for most calls. */
  claim: Claim | null
  /** The change of modules that the server makes once the call is committed. */
  moduleChange: ModuleChange | null
}

/** Contended resources: calls that name the same one run one after the other. */
export interface Turns {
  /**
   * Announces resources that the call is about to read and change, before it reads them: ids of a kind,
   * or a query of ids. Each call has a snapshot taken after it got the mutex. Work that the call did
   * before is repeated then, so this comes first.
   */
  take(kind: string, about: Ids | Sql): Promise<void>
  /** Announces resources that the call changes: after a conflict, it is repeated with their mutex. */
  note(kind: string, ids: Ids): void
}

/** Tables into which the unit inserted rows. */
export interface Insertions {
  note(table: string, rows: number): void
  has(table: string): boolean
}

/** Records that record rules allowed users in this unit. */
export interface AuthorizedRecords {
  /** Those of an operation, to which the caller adds. */
  of(env: { readonly uid: number; readonly companyIds: Ids }, model: ModelDef, operation: string): Set<number>
  /** Forgets all of them, after a write. */
  forget(): void
}

/** Statements and time that the unit has used so far. */
export interface Usage {
  /** Number of statements sent or buffered; for the benchmark and tests of round trips. */
  statements: number
  /** Milliseconds spent waiting for connections and for PostgreSQL. */
  waited: number
  /** When it got its connection, by `performance.now()`; null before. */
  connectedAt: number | null
  /** Whether the call is so large that each of its statements counts as a long one. */
  isHeavy: boolean
}

export interface Unit {
  /** Values that parts of the engine cache for it (kit/slot.ts). */
  readonly slots: unknown[]
  /** Identifies the database: the key of caches of the process. */
  readonly database: object
  readonly registry: Registry
  readonly rights: Rights
  readonly services: Services
  readonly cache: Cache
  readonly authorized: AuthorizedRecords
  readonly recomputation: Recomputation
  /**
   * Whether nothing was cached, authorized or computed, and nothing is pending, so that nothing has to
   * be forgotten. Rows that it inserted may be cached.
   */
  readonly isUntouched: boolean
  readonly shown: Shown
  readonly quota: Quota
  readonly usage: Usage
  /** Null if changes are not published. */
  readonly changes: Changes | null
  readonly insertions: Insertions
  readonly answer: AnswerForms
  readonly ending: Ending
  readonly turns: Turns
  readonly credential: CredentialFlush
  readonly buffer: StatementBuffer
  /** The current time: the machine's clock, or a test's, which PostgreSQL's `now()` follows too. */
  now(): Date
  /**
   * Runs a statement in the call's transaction after all statements sent before, and returns its rows.
   * `R` declares the types of its columns in order. `last`: the caller expects no further statement.
   */
  query<R extends Row = Row>(statement: Sql, last?: boolean): Promise<readonly R[]>
  /** As `query`, for a compiled statement. */
  run<R extends Row = Row>(statement: Statement, last?: boolean): Promise<readonly R[]>
  /**
   * Adds a statement whose rows are not needed to the write buffer. It is sent with the next statement
   * whose rows are needed, at the latest with COMMIT, and its failure is thrown there. The order of
   * statements is kept.
   */
  send(statement: Sql): void
  /** Runs `work` in a savepoint, rolled back if it fails or `keep` returns false for its result. */
  savepoint<T>(work: () => Promise<T>, keep?: (result: T) => boolean): Promise<T>
  /** Continues with another registry: models were created or dropped, and nothing is pending. */
  renew(registry: Registry): void
}
