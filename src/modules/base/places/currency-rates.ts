// Rates in force: the last rate up to a date, else the first one, else 1; each for one unit
// of the company's currency.

import { zoneOf } from '#engine'
import type { Environment, Scope } from '#models'
import { isDate, today } from '../../../kit/dates.ts'
import { idList, type Sql, sql } from '../../../sql/index.ts'

/** Rate of a currency in force on a day: units for one unit of the company's currency. */
export interface RateInForce {
  readonly rate: number
  /** Date of the rate; null without rates. */
  readonly date: string | null
}

/** Rates of currencies on the day of `context.date`, else today, for the current company. */
export async function ratesOf(
  env: Environment,
  currencies: readonly number[],
): Promise<Map<number, RateInForce>> {
  const day = askedDay(env) ?? today(env.tz, env.now())
  const company = sql`SELECT c.currency_id, split_part(c.parent_path, '/', 1)::int AS root FROM res_company c WHERE c.id = ${env.companyId}::int`
  const rows = await env.rows(
    sql`WITH company AS (${company})
    SELECT c.id, COALESCE(own.rate, 1) / COALESCE(base.rate, 1), own.name FROM unnest(${idList(currencies)}) AS c(id) LEFT JOIN company ON TRUE
    LEFT JOIN LATERAL (${inForce(sql`c.id`, sql`company.root`, sql`${day}::date`)}) own ON TRUE
    LEFT JOIN LATERAL (${inForce(sql`company.currency_id`, sql`company.root`, sql`${day}::date`)}) base ON TRUE`,
    { reads: ['res.company', 'res.currency.rate'], row: ['int', 'float', 'text?'] },
  )
  return new Map(rows.map((row) => [row[0], { rate: row[1], date: row[2] }]))
}

/** A rate to look up: of a currency, for one unit of the company's currency, on a day. */
export interface RateAsk {
  readonly company: number
  readonly currency: number
  /** `YYYY-MM-DD`. */
  readonly day: string
}

/**
 * Rates of currencies, each on its own day and for its own company, in the order of `asks`: one statement.
 */
export async function ratesOn(env: Environment, asks: readonly RateAsk[]): Promise<number[]> {
  if (asks.length === 0) return []
  const root = sql`split_part(c.parent_path, '/', 1)::int`
  const rows = await env.rows(
    sql`SELECT COALESCE(own.rate, 1) / COALESCE(base.rate, 1)
    FROM jsonb_to_recordset(${JSON.stringify(asks.map((ask, n) => ({ ...ask, n })))}::jsonb) AS a(n int, company int, currency int, day date)
    JOIN res_company c ON c.id = a.company
    LEFT JOIN LATERAL (${inForce(sql`a.currency`, root, sql`a.day`)}) own ON TRUE
    LEFT JOIN LATERAL (${inForce(sql`c.currency_id`, root, sql`a.day`)}) base ON TRUE ORDER BY a.n`,
    { reads: ['res.company', 'res.currency.rate'], row: ['float'] },
  )
  return rows.map((row) => row[0])
}

/** The day that the context asks for. */
function askedDay({ context: { date } }: Environment): string | null {
  return typeof date === 'string' && isDate(date.slice(0, 10)) ? date.slice(0, 10) : null
}

/**
 * The rate of a currency as `ratesOf` gives it, and the day it was given for, as SQL; null for time zones
 * that PostgreSQL does not know.
 */
export function rateSql(scope: Scope): { readonly rate: Sql; readonly date: Sql } | null {
  const { env } = scope
  const rateDay = askedDay(env)
  const zone = zoneOf(env)
  if (rateDay === null && env.tz !== null && zone !== env.tz) return null
  // Statements are cached and reused, so PostgreSQL computes today's date.
  const day = rateDay === null ? sql`(now() AT TIME ZONE ${zone})::date` : sql`${rateDay}::date`
  const company = (column: Sql) =>
    sql`(SELECT ${column} FROM res_company o WHERE o.id = ${env.companyId}::int)`
  const root = company(sql`split_part(o.parent_path, '/', 1)::int`)
  const rate = inForce(scope.id, root, day)
  const base = inForce(company(sql`o.currency_id`), root, day)
  return {
    rate: sql`(COALESCE((SELECT y.rate FROM (${rate}) AS y), 1) / COALESCE((SELECT y.rate FROM (${base}) AS y), 1))::float8`,
    date: sql`(SELECT y.name FROM (${rate}) AS y)`,
  }
}

/**
 * Returns, by id of a rate, the rate of its company's currency on its date: the base of the rate.
 */
export async function baseRates(env: Environment, rates: readonly number[]): Promise<Map<number, number>> {
  const rows = await env.rows(
    sql`SELECT r.id, COALESCE(base.rate, 1) FROM res_currency_rate r
    LEFT JOIN res_company c ON c.id = COALESCE(r.company_id, ${env.companyId}::int)
    LEFT JOIN LATERAL (${inForce(sql`c.currency_id`, sql`split_part(c.parent_path, '/', 1)::int`, sql`r.name`)}) base ON TRUE
    WHERE r.id = ANY(${idList(rates)})`,
    { reads: ['res.currency.rate', 'res.company'], row: ['int', 'float'] },
  )
  return new Map(rows.map((row) => [row[0], row[1]]))
}

/**
 * The rate of a currency: of the company before those of all companies, of the last day up to `day`, else of
 * the first day.
 */
function inForce(currency: Sql, company: Sql, day: Sql): Sql {
  return sql`SELECT x.rate, x.name FROM res_currency_rate x WHERE x.currency_id = ${currency} AND x.rate > 0 AND (x.company_id IS NULL OR x.company_id = ${company})
    ORDER BY x.name > ${day}, x.company_id NULLS LAST, CASE WHEN x.name <= ${day} THEN x.name END DESC, x.name LIMIT 1`
}
