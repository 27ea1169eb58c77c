// The unit of work: one call's transaction, its cache, and what is pending until a recomputation or the
// commit.
import type { LimitName } from '../../limits.ts'
import type { ListedRows, Sql, Statement } from '../../sql/index.ts'
import type { Assertion, Beside, Claim, DeferredId, NewId, Question } from './deferred.ts'
import type { FieldDef, ModelDef, Registry } from './definitions.ts'
import type { AuditRow, FileStore, Guard, ModuleChange } from './outside.ts'
import type { Preferences } from './preferences.ts'
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
  made(model: ModelDef, ids: readonly number[], column: ColumnOf): void
  /** Whether all of these are rows that this call inserted, and their values are still certain. */
  hasMade(model: ModelDef, ids: readonly number[]): boolean
  /** Forgets values of inserted rows that were not read back: other code may have changed them. */
  doubtMade(): void
  /** Runs `work` without trimming the cache: rows that are not stored yet exist only here. */
  holding<T>(work: () => Promise<T>): Promise<T>
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
  /** Counts text of a list of rows. */
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
  readonly ids: readonly number[]
  readonly fields: readonly string[]
  readonly event: string | null
}

/** Changes of a unit of work that are published with COMMIT. */
export interface Changes {
  /** Whether changes are published. */
  readonly tells: boolean
  /** Number of entries so far. */
  readonly length: number
  rows(): readonly ChangeRow[]
  note(uid: number, model: string, kind: ChangeKind, ids: readonly NewId[], fields: readonly string[]): void
  emit(uid: number, model: string, event: string, ids: readonly number[]): void
  isNew(model: string, id: number): boolean
}

export interface Unit {
  /** Values that parts of the engine cache for it (kit/slot.ts). */
  readonly slots: unknown[]
  /** Whether the call is so large that each of its statements counts as a long one. */
  isHeavy: boolean
  /** Identifies the database: the key of caches of the process. */
  readonly database: object
  /** When it got its connection, by `performance.now()`; null before. */
  readonly connectedAt: number | null
  readonly registry: Registry
  readonly rights: Rights
  readonly cache: Cache
  /**
   * Whether nothing was cached, authorized or computed, and nothing is pending, so that nothing has to
   * be forgotten. Rows that it inserted may be cached.
   */
  readonly isUntouched: boolean
  readonly shown: Shown
  /**
   * Stored computed fields with pending values: field → ids. Code that reads them calls
   * `registry.engine.flush` first.
   */
  readonly pending: Map<FieldDef, Set<number>>
  /**
   * Stored computed fields for which the call in progress has explicit values: field → ids. Other
   * changes of the call do not make these values dirty.
   */
  readonly explicitIds: Map<FieldDef, ReadonlySet<number>>
  /** Fields that are being computed. */
  readonly computing: Set<FieldDef>
  /** The change of modules that the server makes once the call is committed. */
  moduleChange: ModuleChange | null
  /** Run in order once the transaction is committed. */
  readonly afterCommit: (() => void | Promise<void>)[]
  /** Run in order before COMMIT: for rows that must commit with the effect. */
  readonly beforeCommit: (() => Promise<void>)[]
  /** The record of the call that commits with its effect; null for most calls. */
  claim: Claim | null
  readonly guard: Guard | null
  readonly tell: ((row: AuditRow) => void) | null
  readonly files: FileStore | null
  /** Null if changes are not published. */
  readonly changes: Changes | null
  /** Whether the credential was checked, or the call has no credential. */
  readonly verified: boolean
  /** Sets the number of the current stage, for calls that have several. */
  set stage(stage: number)
  /** The stage whose statement failed first. The failure may be noticed in a later stage. */
  readonly failedAt: number | undefined
  /** Number of statements sent so far; for the benchmark and tests of round trips. */
  readonly statements: number
  /** Milliseconds spent waiting for PostgreSQL, if the call is timed. */
  readonly waited: number
  /** The current time: the machine's clock, or a test's, which PostgreSQL's `now()` follows too. */
  now(): Date
  /**
   * Whether the call's own method may return a `LongAnswer`. True once at most: methods that it calls
   * may not.
   */
  takesLong(): boolean
  /**
   * Whether the call's own method may return text instead of objects. True once at most, and only if the
   * method has no wrap.
   */
  takesText(): boolean
  /**
   * Whether the call's own method may return ids that are known once the call is committed
   * (`DeferredRecords`). True once at most.
   */
  takesDeferred(): boolean
  /** Allows `takesDeferred` for the next method of a batch. */
  letDefer(): void
  /** Whether an INSERT with a deferred id is not sent, or not answered yet. */
  readonly isDeferring: boolean
  /**
   * As `postRows`, for a row whose INSERT returns a deferred id. The INSERT fails (`ASSERTION_FAILED` of
   * unit/refusing.ts) if the row may not be inserted: `refused` is called, and the call is repeated on
   * the general path.
   */
  postDeferred(row: ListedRows, alone: () => Statement, refused: () => void): DeferredId
  /**
   * Adds an optimistic assertion, which is checked with the credential check or at the latest with
   * COMMIT. If it fails, the call is repeated on the general path. Returns false if the caller has to
   * query instead.
   */
  assert(assertion: Assertion): boolean
  /**
   * Whether an assertion is sent in one statement with the credential check, before any other statement.
   */
  readonly mayAssertFirst: boolean
  /** Forgets fields of rows that this unit inserted: an untouched unit wrote them. */
  written(model: ModelDef, fields: readonly FieldDef[], ids: readonly number[]): void
  /** Sets the caller's preferences for rows that the call's own method, about to run, returns. */
  keepPreferences(wishes: Preferences): void
  /** Returns these preferences once. Methods that the call's own method calls get the defaults. */
  takePreferences(): Preferences
  /** Continues with another registry: models were created or dropped, and nothing is pending. */
  renew(registry: Registry): void
  /**
   * Records that record rules allowed the user for an operation in this unit. Cleared by every write to
   * the model.
   */
  judged(
    env: { readonly uid: number; readonly companyIds: readonly number[] },
    model: ModelDef,
    operation: string,
  ): Set<number>
  /** Forgets authorized records, after a write. */
  rejudge(): void
  /** The limit of a client's call; infinite for the server's own work. */
  bound(name: LimitName): number
  /** Charges the call's quota. Throws PayloadTooLarge if a client's call exceeds the limit. */
  spend(name: LimitName, amount: number): void
  /**
   * As `spend`, but only checks an amount that will be charged later: refuses a call before it does work
   * that would have to be undone.
   */
  foresee(name: LimitName, amount: number): void
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
  /**
   * As `send`, for a check. `violations` returns a row with a number for each violation, and `refusal`
   * creates the error for the first. It aborts the transaction, even if COMMIT is already sent.
   */
  check(violations: Sql, refusal: (wrong: number) => unknown): void
  /**
   * As `post`, for a check that is sent in one statement with the credential check, if that is not sent
   * yet.
   */
  postFirst(check: Beside): void
  /** The value of an expression, in one statement with the credential check if that is not sent yet. */
  ask(question: Question): Promise<unknown>
  /** Withdraws such a check if it is not sent yet. */
  withdrawFirst(check: Beside): void
  /** As `send` and `check`, for a compiled statement. */
  post(statement: Statement, refusal?: (wrong: number) => unknown): void
  /**
   * As `post`, for a statement that inserts or updates lists of rows: the rows join those of the
   * previous statement if that is the same and is not sent yet. `alone` creates a statement in another
   * form, which is used if no rows join.
   */
  postRows(rows: ListedRows, alone?: (() => Statement) | null): void
  /**
   * As `post`, for a deferred insert of rows that only this call knows: reads of other tables are sent
   * without it. `make` creates the statement when it is sent.
   */
  postLate(make: () => Statement, table: string): void
  /** Declares that the next statement reads these tables, whatever its text names; null: any table. */
  looksAt(tables: readonly string[] | null): void
  /**
   * Whether the deferred insert is not sent yet and its rows may still get other values in these
   * columns: no later statement uses them.
   */
  mayAmend(make: () => Statement, columns: readonly string[]): boolean
  /**
   * Announces contended resources that the call is about to read and change, before it reads them: ids
   * of a kind, or a query of ids. Calls that name the same resource run one after the other, each with a
   * snapshot taken after it got the mutex. Work that the call did before is repeated then, so this comes
   * first.
   */
  takeTurns(kind: string, about: readonly number[] | Sql): Promise<void>
  /**
   * Announces contended resources that the call changes without the mutex. If the call loses a conflict,
   * it is repeated with the mutex.
   */
  noteTurns(kind: string, ids: readonly number[]): void
  /** Notes that rows are inserted into a table. */
  grew(table: string, rows: number): void
  /** Whether the unit inserted rows into a table. */
  hasGrown(table: string): boolean
  /** Withdraws a statement that is not sent yet; false if it is. */
  withdraw(statement: Statement): boolean
  /**
   * As `withdraw`, if only the statements in `behind` follow. A statement based on it may then replace
   * it.
   */
  withdrawBefore(statement: Statement, behind: readonly Statement[]): boolean
  /** Statements that are not sent yet, without checks. */
  waiting(): readonly Statement[]
  /** Whether these were added last, in this order, and are not sent yet. */
  endsWith(statements: readonly Statement[]): boolean
  /**
   * Runs `work` in a savepoint, which is rolled back if `work` fails or `keep` returns false for its
   * result.
   */
  savepoint<T>(work: () => Promise<T>, keep?: (result: T) => boolean): Promise<T>
  /** Makes sure that the credential was checked before anything is answered. */
  verify(): Promise<void>
}
