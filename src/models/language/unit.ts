// The unit of work as the engine and its modules see it: one call's transaction, its cache, and what waits to
// be recomputed or committed.
import type { LimitName } from '../../limits.ts'
import type { ListedRows, Sql, Statement } from '../../sql/index.ts'
import type { Beside, Claim, Question, Stake } from './alongside.ts'
import type { DeferredId, NewId } from './deferred.ts'
import type { FieldDef, ModelDef, Registry } from './definitions.ts'
import type { AuditRow, FileStore, Guard, ModuleChange } from './outside.ts'
import type { Rights } from './rights.ts'
import type { Wishes } from './wishes.ts'

export type Row = readonly unknown[]

/** What a field of a new row, the nth, reads as; undefined where only PostgreSQL knows. */
export type ColumnOf = (field: FieldDef, n: number) => unknown

/** Values that were read, by field, variant (language, company, context) and record. */
export interface Cache {
  /** Known values of a field in a variant, by record id; a caller may add to them. */
  of(field: FieldDef, variant: string): Map<number, unknown>
  /** Forgets a field, of the given records or of all. */
  forget(field: FieldDef, ids?: Iterable<number>): void
  /**
   * Forgets everything whose value may follow from other records: computed, related and x2many fields, but
   * for what `stands`; `short`: lists of one line, or of none.
   */
  forgetDerived(stands?: (field: FieldDef, variant: string) => boolean | 'short'): void
  /** Says what the columns of new rows hold: it is known as if it had been read. */
  made(model: ModelDef, ids: readonly number[], column: ColumnOf): void
  /** Whether all of these are such rows, and no code has put that in doubt. */
  hasMade(model: ModelDef, ids: readonly number[]): boolean
  /** Forgets what rows hold that were made and not read: somebody may have changed them. */
  doubtMade(): void
  /** Keeps `work` from losing what it put here: rows that are not stored yet are known from nowhere else. */
  holding<T>(work: () => Promise<T>): Promise<T>
  /** Forgets everything once it has become much. */
  trim(): void
  clear(): void
}

/** What the call's answer shows so far, within the limits. Each method throws PayloadTooLarge. */
export interface Shown {
  /** Values so far. */
  readonly cells: number
  /** Text so far, in characters. */
  readonly length: number
  /**
   * So many further values are about to come, or none of more text: a large answer waits until others are
   * made. Throws ServiceUnavailable where that takes too long.
   */
  expect(cells: number): Promise<void>
  /** The call is large, whatever it shows: it waits as above, before it has a connection. */
  begin(since?: number): Promise<void>
  /** Further values of records, groups and tables. */
  add(cells: number): void
  /** Values that stand in several places, each time counted: `cells` in all, more or fewer than were read. */
  reach(cells: number): void
  /** Further text of a list of rows. */
  addText(bytes: number): void
  /** A part of the answer takes a query of its own. */
  addQuery(): void
  /** What was shown is on its way: what follows is counted anew. */
  forget(): void
}

/** Created, updated, deleted. */
export type ChangeKind = 'c' | 'u' | 'd'

/** What became of records of a model: a row of the feed; `e` is an event that was declared. */
export interface ChangeRow {
  readonly model: string
  readonly op: ChangeKind | 'e'
  readonly ids: readonly number[]
  readonly fields: readonly string[]
  readonly event: string | null
}

/** What a unit changed, to be told with COMMIT. */
export interface Changes {
  /** Whether it is told. */
  readonly tells: boolean
  /** How much is noted. */
  readonly length: number
  rows(): readonly ChangeRow[]
  note(uid: number, model: string, kind: ChangeKind, ids: readonly NewId[], fields: readonly string[]): void
  emit(uid: number, model: string, event: string, ids: readonly number[]): void
  isNew(model: string, id: number): boolean
}

export interface Unit {
  /** What parts of the engine remember of it (kit/slot.ts). */
  readonly slots: unknown[]
  /** Whether it does so much that each of its statements counts as a long one. */
  isHeavy: boolean
  /** Stands for the database: what a process remembers of it is remembered by this. */
  readonly database: object
  /** When its connection came, by `performance.now()`; null before. */
  readonly connectedAt: number | null
  readonly registry: Registry
  readonly rights: Rights
  readonly cache: Cache
  /**
   * Whether nothing that was read, judged or computed is remembered, and nothing waits: then there is nothing
   * to forget. Rows that it made may be known.
   */
  readonly isUntouched: boolean
  readonly shown: Shown
  /**
   * Stored computed fields that wait: field → ids. Whoever reads them asks the engine to compute them first
   * (`registry.engine.flush`).
   */
  readonly pending: Map<FieldDef, Set<number>>
  /**
   * Stored computed fields that a call under way gives values for: field → ids. What else the call brings
   * does not make them stale.
   */
  readonly given: Map<FieldDef, ReadonlySet<number>>
  /** Fields that are being computed right now. */
  readonly computing: Set<FieldDef>
  /** What the server is to do to the modules once the call is committed. */
  moduleChange: ModuleChange | null
  /** Run once the transaction is committed, in order. */
  readonly afterCommit: (() => void | Promise<void>)[]
  /** Run before COMMIT, in order: rows that must commit with the effect. */
  readonly beforeCommit: (() => Promise<void>)[]
  /** What commits with the effect so that the call is known to be done; null for most. */
  claim: Claim | null
  readonly guard: Guard | null
  readonly tell: ((row: AuditRow) => void) | null
  readonly files: FileStore | null
  /** Null where changes are not told. */
  readonly changes: Changes | null
  /** Whether the credential was checked, or there is none. */
  readonly verified: boolean
  /** Says which part of the work is under way, of work that has several. */
  set stage(stage: number)
  /** The part of the work whose statement failed first, which may be noticed in a later one. */
  readonly failedAt: number | undefined
  /** Statements sent so far; the bench and tests of round trips read it. */
  readonly statements: number
  /** Milliseconds spent waiting for PostgreSQL, where the call is timed. */
  readonly waited: number
  /** The moment it is: the machine's clock, or that of a test, which PostgreSQL's `now()` follows too. */
  now(): Date
  /**
   * Whether the call's own method may give a `LongAnswer`: true at most once, for what is called inside of it
   * may not.
   */
  takesLong(): boolean
  /**
   * Whether the call's own method may give text in the place of objects: true at most once, where nobody is
   * wrapped around it.
   */
  takesText(): boolean
  /**
   * Whether the call's own method may answer with ids that are there once it is committed
   * (`DeferredRecords`): true at most once.
   */
  takesDeferred(): boolean
  /** The same for the method of a batch that is about to run. */
  letDefer(): void
  /** Whether an INSERT with a deferred id waits, or is not answered. */
  readonly isDeferring: boolean
  /**
   * As `postRows`, of a row whose INSERT draws its id, and fails (`STAKED` of unit/refusing.ts) where it may
   * not: then `refused` is called, and all of the call is done again in another way.
   */
  postDeferred(row: ListedRows, alone: () => Statement, refused: () => void): DeferredId
  /**
   * Takes something for granted: it leaves with the credential's check, at the latest with COMMIT, and where
   * it does not hold all of the call is done again in another way. False where it is to be asked.
   */
  stake(stake: Stake): boolean
  /** Whether what is staked leaves in one statement with the credential's check, and with nothing before it. */
  readonly mayStakeFirst: boolean
  /** Forgets what fields of rows hold that this unit made: they are written by one that is untouched. */
  written(model: ModelDef, fields: readonly FieldDef[], ids: readonly number[]): void
  /** Keeps what the caller wishes of the rows of the call's own method, which is about to run. */
  keepWishes(wishes: Wishes): void
  /** These wishes, told once: what is called inside of the method gives rows as documented. */
  takeWishes(): Wishes
  /** Goes on with other models: some were made or dropped, and nothing of before is waiting. */
  renew(registry: Registry): void
  /**
   * Records whose rules were found to let a user do an operation in this unit; emptied by every write to the
   * model.
   */
  judged(
    env: { readonly uid: number; readonly companyIds: readonly number[] },
    model: ModelDef,
    operation: string,
  ): Set<number>
  /** Forgets what was judged: something was written. */
  rejudge(): void
  /** What a client's call may make use of; the server's own work has no bounds. */
  bound(name: LimitName): number
  /**
   * Adds to what the call makes use of. Throws PayloadTooLarge where that is beyond the limit for a client's
   * call.
   */
  spend(name: LimitName, amount: number): void
  /** As `spend`, of what will be spent later: for those who would have to take it all apart before. */
  foresee(name: LimitName, amount: number): void
  /**
   * Runs one statement in the call's transaction, behind all that were sent before, and gives its rows: `R`
   * says what its columns hold, in their order. `last`: the caller expects no further statement.
   */
  query<R extends Row = Row>(statement: Sql, last?: boolean): Promise<readonly R[]>
  /** As `query`, for a statement that is made already. */
  run<R extends Row = Row>(statement: Statement, last?: boolean): Promise<readonly R[]>
  /**
   * A statement whose rows nobody needs: it leaves in one flush with the next that somebody waits for, at the
   * latest with COMMIT. Should it fail, that is what is thrown there. Statements are carried out in their
   * order.
   */
  send(statement: Sql): void
  /**
   * As `send`, for a check that can only refuse: `violations` gives a number for each thing that is wrong,
   * and `refusal` makes an error of the first. The transaction is over then, even if COMMIT is on its way.
   */
  check(violations: Sql, refusal: (wrong: number) => unknown): void
  /** As `post`, of a check that leaves in one statement with the credential's, where that has not left. */
  postFirst(check: Beside): void
  /** The value of an expression, in one statement with the credential's check where that has not left. */
  ask(question: Question): Promise<unknown>
  /** Takes back such a check, where it has not left. */
  withdrawFirst(check: Beside): void
  /** As `send` and `check`, for a statement that is made already. */
  post(statement: Statement, refusal?: (wrong: number) => unknown): void
  /**
   * As `post`, of the statement of rows: they go along with the rows of the statement before, where that is
   * the same one and has not left. `alone` makes a statement for these rows in another form, which leaves
   * where no others joined them.
   */
  postRows(rows: ListedRows, alone?: (() => Statement) | null): void
  /**
   * As `post`, of the INSERT of rows that only this call knows of: reads of other tables leave without it.
   * `make` makes it when it leaves.
   */
  postLate(make: () => Statement, table: string): void
  /** The next statement looks at these tables, whatever its text names; null: it may look at any. */
  looksAt(tables: readonly string[] | null): void
  /**
   * Whether such a statement waits and may still give its rows other values in these columns: nothing behind
   * it looks at them.
   */
  mayAmend(make: () => Statement, columns: readonly string[]): boolean
  /**
   * Says which much wanted things the call is about to read and change, before it reads them: ids of a kind,
   * or a query of them. Calls that name the same thing go one after the other, each with a snapshot of its
   * own turn; what the call did so far is done again once it is its turn, so this comes first.
   */
  takeTurns(kind: string, about: readonly number[] | Sql): Promise<void>
  /** Says what the call changes where it is too late to ask: should it lose, it is repeated in turn. */
  noteTurns(kind: string, ids: readonly number[]): void
  /** Says that rows are inserted into a table. */
  grew(table: string, rows: number): void
  /** Whether it said so of a table. */
  hasGrown(table: string): boolean
  /** Takes back a statement that has not left; false when it has. */
  withdraw(statement: Statement): boolean
  /** As `withdraw`, of a statement that none but these follow: what goes on from it may take its place. */
  withdrawBefore(statement: Statement, behind: readonly Statement[]): boolean
  /** Statements that wait to leave, without those that can only refuse. */
  waiting(): readonly Statement[]
  /** Whether these were sent last, in this order, and have not left. */
  endsWith(statements: readonly Statement[]): boolean
  /**
   * Runs `work` so that a failure inside, or a result that is not to be kept, leaves no trace of it but lets
   * the call go on.
   */
  savepoint<T>(work: () => Promise<T>, keep?: (result: T) => boolean): Promise<T>
  /** Makes sure that the credential was checked before anything is answered. */
  verify(): Promise<void>
}
