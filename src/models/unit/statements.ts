// The statements that begin and end transactions.
import type { Statement } from '../../sql/index.ts'
import type { UnitOptions } from './options.ts'

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
export function beginning({ follows, readonly, patient, inLane }: UnitOptions): Statement[] {
  const following = readonly ? BEGIN_FOLLOWING : BEGIN_TAKING_UP
  const statements = [follows ? following : readonly ? BEGIN_READ_ONLY : BEGIN]
  if (patient) statements.push(...PATIENT)
  if (inLane && !readonly) statements.push(LANE)
  return statements
}

/** The error of a statement that is sent after its transaction has ended. */
export const LATE = 'A statement was sent after the end of its transaction.'
