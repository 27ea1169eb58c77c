// Parameters of reports: days, numbers and companies, validated before anything is read.
import type { Environment } from '#models'
import { AccessError, InvalidValue } from '../../../errors.ts'
import { isDate, today } from '../../../kit/dates.ts'
import { idList, type Sql, sql } from '../../../sql/index.ts'

export interface Period {
  readonly from: string
  readonly to: string
}

/** Before all books. */
const FIRST = '0001-01-01'

/** The requested day. Throws InvalidValue for an invalid one. */
export function dayOf(value: unknown, fallback: string): string {
  if (value === null || value === undefined || value === false || value === '') return fallback
  if (typeof value !== 'string' || !isDate(value)) throw new InvalidValue('Invalid date: use YYYY-MM-DD.')
  return value
}

/** The days of a period. Throws InvalidValue for what is not a period. */
export function periodOf(
  env: Environment,
  { date_from, date_to }: { readonly date_from?: unknown; readonly date_to?: unknown },
): Period {
  const period = { from: dayOf(date_from, FIRST), to: dayOf(date_to, today(env.tz, env.now())) }
  if (period.from > period.to) throw new InvalidValue('The period must begin before it ends.')
  return period
}

/** A whole number within bounds. Throws InvalidValue. */
export function countOf(value: unknown, what: string, least: number, most: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
    throw new InvalidValue(`${what} must be a whole number from ${least} to ${most}.`)
  return value
}

/** The caller's companies, for users who may see all of the books. Throws AccessError for others. */
export async function companiesOf(env: Environment): Promise<readonly number[]> {
  if (
    !env.su &&
    !env.hasGroup('account.group_account_readonly') &&
    !env.hasGroup('account.group_account_invoice')
  )
    throw new AccessError('You may not see the books: ask an administrator for accounting rights.')
  shareOut(env)
  return env.companyIds
}

/**
 * Sums over all items are shared out to workers of PostgreSQL, where it has some to spare. Tables to join by
 * are each worker's own: what they share is small, as containers have it.
 */
function shareOut(env: Environment): void {
  env.unit.send(
    sql`SELECT set_config('max_parallel_workers_per_gather', '2', true), set_config('enable_parallel_hash', 'off', true)`,
  )
}

/** Posted items of companies: of one alone, PostgreSQL reads an index in the order of its next columns. */
export function postedOf(companies: readonly number[]): Sql {
  const [only, ...others] = companies
  const which =
    others.length || only === undefined ? sql`= ANY(${idList([...companies])})` : sql`= ${only}::int`
  return sql`l.parent_state = 'posted' AND l.company_id ${which}`
}

/** Without the noise of binary fractions, and without a sign of nothing. */
export const cents = (amount: number): number => Number(amount.toFixed(6)) + 0
