// Ids that PostgreSQL gives to new rows in the flush that commits them: the INSERT draws and returns them,
// and nothing is waited for before COMMIT (docs/decisions/0119).
import type { Statement } from '../../sql/index.ts'

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

/** The id of a new record, which may be deferred. */
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
export interface Beside extends Question {
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
  readonly check: Beside
  /** Replaces `check` if the row leads the flush: its unique key makes the rest of `check` redundant. */
  readonly ahead: Beside
  /** Creates the statement of the row, when COMMIT is about to be sent. */
  make(): Statement
}
