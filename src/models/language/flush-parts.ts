// Parts of a call that PostgreSQL gets in one statement or one flush with the credential check:
// questions, checks, and the row that records the call as done.
import type { Statement } from '../../sql/index.ts'

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
