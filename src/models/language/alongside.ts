// What leaves in one statement or one flush with the credential's check of a call: questions, checks, and the
// row that says that the call was done.
import type { Statement } from '../../sql/index.ts'

/** An expression with `$1` and so on whose value is asked for. */
export interface Question {
  readonly column: string
  readonly values: readonly unknown[]
}

/** A check beside another statement: it fails as `refused` says; and what is made of the number. */
export interface Beside extends Question {
  readonly refusal: (wrong: number) => unknown
}

/**
 * What a call takes for granted: the column fails (`STAKED` of unit/refusing.ts) where it does not hold;
 * `refused` hears of that.
 */
export interface Stake extends Question {
  readonly refused: () => void
}

/**
 * The row that says that a call was done, and what it answered. Its place is unique: where it leaves in one
 * flush with the credential's check and COMMIT it goes ahead of all that the call does, and whoever finds it
 * taken has done nothing.
 */
export interface Claim {
  /** Whether the place is free; leaves with the credential's check. */
  readonly check: Beside
  /** What is left to check where the row itself comes next. */
  readonly ahead: Beside
  /** Makes the row when COMMIT is about to leave. */
  make(): Statement
}
