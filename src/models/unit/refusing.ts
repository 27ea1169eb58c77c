// Checks that PostgreSQL makes in the statements of a call: they fail, and say of what.
import { sqlState } from '../../postgres/index.ts'
import { literal, type Sql, sql } from '../../sql/index.ts'

/**
 * What a check that does not hold makes PostgreSQL complain about, before the number of what is wrong
 * (docs/decisions/0023).
 */
const REFUSED = 'comptoir refuses'

/**
 * The statement of a check (`UnitOfWork.check`): it fails, and says of what, when `violations` gives a
 * number.
 */
export function refusing(violations: Sql): Sql {
  return sql`SELECT ${refused(sql`v.wrong`)} FROM (SELECT * FROM (${violations}) AS w LIMIT 1) AS v(wrong)`
}

/**
 * An expression that fails, and says of what, wherever it is evaluated; for statements that are sent by
 * `post` with a refusal.
 */
export function refused(wrong: Sql): Sql {
  return sql`(${literal(`${REFUSED} `)} || ${wrong})::int`
}

/** The text that fails as a number, and says of what; for expressions that choose among several. */
export const refusal = (wrong: number): Sql => literal(`${REFUSED} ${wrong}`)

/** What is wrong with what a call stakes: its credential, or what it took for granted of the database. */
export const [STALE, STAKED] = [90, 91] as const

/**
 * What a call staked does not hold: nothing of it was done, and it is to be done in a way that stakes
 * nothing. Never reaches a client.
 */
export class OtherWay extends Error {}

/** What a check complained about, by the number that its query gave; undefined for any other failure. */
export function wrongOf(error: unknown): number | undefined {
  if (sqlState(error) !== '22P02' || !(error instanceof Error)) return undefined
  const number = new RegExp(`${REFUSED} (\\d+)`).exec(error.message)?.[1]
  return number === undefined ? undefined : Number(number)
}
