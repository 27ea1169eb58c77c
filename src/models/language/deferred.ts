// Ids that PostgreSQL gives to new rows in the flush that commits them: the INSERT draws and returns them,
// and nothing is waited for before COMMIT (docs/decisions/0023).
import type { ListedRows, Sql, Statement } from '../../sql/index.ts'

/** The id of a row whose INSERT has been sent. As text, its place until the id is there (`toString`). */
export class DeferredId {
  /** Its place among the deferred ids of the transaction, from 1. */
  readonly #place: number
  #id: number | null = null

  constructor(place: number) {
    this.#place = place
  }

  /** Null until the INSERT is answered. */
  get id(): number | null {
    return this.#id
  }

  resolve(id: number): void {
    this.#id = id
  }

  /** The id, or what PostgreSQL's `format` puts it in the place of (changes/last.ts). */
  toString(): string {
    return this.#id === null ? `%${this.#place}$s` : String(this.#id)
  }

  toJSON(): string | number {
    return this.#id ?? this.toString()
  }
}

/** New records as a method's result: their ids are known once the call is committed. */
export class DeferredRecords {
  readonly ids: readonly DeferredId[]

  constructor(ids: readonly DeferredId[]) {
    this.ids = ids
  }
}

export type NewId = number | DeferredId

// Parts of a call that PostgreSQL gets in one statement or one flush with the credential check:
// questions, checks, and the row that records the call as done.

/** An SQL expression with placeholders from `$1` whose value is requested. */
export interface Question {
  readonly column: string
  readonly values: readonly unknown[]
}

/**
 * A check that is sent with another statement. `column` fails with a number if the check does not hold,
 * and `refusal` turns the number into an error.
 */
export interface AttachedCheck extends Question {
  readonly refusal: (wrong: number) => unknown
}

/**
 * An optimistic assertion: the column fails (`ASSERTION_FAILED` of unit/refusing.ts) if the assertion
 * does not hold. `refused` is called then, before the call is repeated on the general path.
 */
export interface Assertion extends Question {
  readonly refused: () => void
}

/**
 * The row that records that a call was done, and its answer. The row's key is unique. The row leads the
 * flush that has the credential check and COMMIT, so that a call that finds the key taken has no effect.
 */
export interface Claim {
  /** Whether the key is free. Sent with the credential check. */
  readonly check: AttachedCheck
  /** Replaces `check` if the row leads the flush: its unique key makes the rest of `check` redundant. */
  readonly ahead: AttachedCheck
  /** Creates the statement of the row, when COMMIT is about to be sent. */
  make(): Statement
}

/** The credential check of the call, and what is sent in one statement with it. */
export interface CredentialFlush {
  /** Whether the credential was checked, or the call has no credential. */
  readonly verified: boolean
  /** Makes sure that the credential was checked before anything is answered. */
  verify(): Promise<void>
  /** The value of an expression, in one statement with the credential check if that is not sent yet. */
  ask(question: Question): Promise<unknown>
  /** Adds a check, to the write buffer if the credential check is sent already. */
  post(check: AttachedCheck): void
  /** Withdraws such a check if it is not sent yet. */
  withdraw(check: AttachedCheck): void
  /**
   * Adds an optimistic assertion, which is checked with the credential check or at the latest with COMMIT. If
   * it fails, the call is repeated on the general path. Returns false if the caller has to query instead.
   */
  assert(assertion: Assertion): boolean
  /** Whether an assertion is sent with the credential check, before any other statement. */
  readonly mayAssertFirst: boolean
}

/** Statements whose rows are not needed: they are sent with the next statement, or with COMMIT. */
export interface StatementBuffer {
  /** Adds a statement. `refusal` creates the error for the number that a failing check returns. */
  post(statement: Statement, refusal?: (wrong: number) => unknown): void
  /**
   * Adds a check. `violations` returns a row with a number for each violation, and `refusal` creates the
   * error for the first. It aborts the transaction, even if COMMIT is already sent.
   */
  check(violations: Sql, refusal: (wrong: number) => unknown): void
  /**
   * As `post`, for a statement that inserts or updates lists of rows: the rows join those of the
   * previous statement if that is the same and is not sent yet. `alone` creates a statement in another
   * form, which is used if no rows join.
   */
  postRows(rows: ListedRows, alone?: (() => Statement) | null): void
  /**
   * As `postRows`, for a row whose INSERT returns a deferred id. The INSERT fails (`ASSERTION_FAILED` of
   * unit/refusing.ts) if the row may not be inserted: `refused` is called, and the call is repeated on
   * the general path.
   */
  postDeferred(row: ListedRows, alone: () => Statement, refused: () => void): DeferredId
  /** Whether an INSERT with a deferred id is not sent, or not answered yet. */
  readonly isDeferring: boolean
  /**
   * As `post`, for a deferred insert of rows that only this call knows: reads whose text `late` does not
   * match are sent without it. `make` creates the statement when it is sent.
   */
  postDeferredInsert(make: () => Statement, late: RegExp): void
  /**
   * Whether the deferred insert is not sent yet and its rows may still get other values in these
   * columns: no later statement uses them.
   */
  mayAmend(make: () => Statement, columns: readonly string[]): boolean
  /** Declares that the next statement reads these tables, whatever its text names; null: any table. */
  declareReads(tables: readonly string[] | null): void
  /** Statements that are not sent yet, without checks. */
  waiting(): readonly Statement[]
  /** Whether these were added last, in this order, and are not sent yet. */
  endsWith(statements: readonly Statement[]): boolean
  /**
   * Withdraws a statement that is not sent yet and that only those in `behind` follow; false if it
   * cannot. A statement based on it may then replace it.
   */
  withdrawBefore(statement: Statement, behind: readonly Statement[]): boolean
  /** The number of the current stage, for calls that have several. */
  stage: number
  /** The stage whose statement failed first. The failure may be noticed in a later stage. */
  readonly failedAt: number | undefined
}
