// Checks inside the statements of a call: they fail, and the error says which one.
import { sqlState } from '../../postgres/index.ts'
import { literal, type Sql, sql } from '../../sql/index.ts'

/** The text that a failing check casts to a number, before that of the violation (docs/decisions/0023). */
const REFUSED = 'comptoir refuses'

/** A check (`UnitOfWork.check`) fails when `violations` returns a number, which the error contains. */
export function refusing(violations: Sql): Sql {
  return sql`SELECT ${failingIf(sql`v.wrong`)} FROM (SELECT * FROM (${violations}) AS w LIMIT 1) AS v(wrong)`
}

/** An expression that fails where it is evaluated, for statements sent with a refusal. */
export function failingIf(wrong: Sql): Sql {
  return sql`(${literal(`${REFUSED} `)} || ${wrong})::int`
}

/** The text that fails when cast to a number; for expressions that choose among several. */
export const refusal = (wrong: number): Sql => literal(`${REFUSED} ${wrong}`)

/** Violations of optimistic assertions: the credential is stale, or the database is not as assumed. */
export const [STALE, ASSERTION_FAILED] = [90, 91] as const

/**
 * An optimistic assertion failed: nothing was done, and the call is to be repeated without such
 * assertions. Never reaches a client.
 */
export class OptimisticCheckFailed extends Error {}

/** The number of the violation that a check found; undefined for any other failure. */
export function violationOf(error: unknown): number | undefined {
  if (sqlState(error) !== '22P02' || !(error instanceof Error)) return undefined
  const number = new RegExp(`${REFUSED} (\\d+)`).exec(error.message)?.[1]
  return number === undefined ? undefined : Number(number)
}
