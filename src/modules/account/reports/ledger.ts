// The general ledger: items of accounts in their order, with the balance of the account after each; a page at
// a time, from the index of accounts and days.
import type { Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { cents, companiesOf, type Period, postedOf } from './parameters.ts'
import { accountsById } from './trial-balance.ts'

export interface Page {
  readonly limit: number
  readonly offset: number
}

type Item = readonly [
  number,
  number,
  string,
  string | null,
  string | null,
  string | null,
  number,
  number,
  string | null,
]

/** One page: items, and the offset of the next page or false. */
export async function generalLedger(
  env: Environment,
  period: Period,
  accounts: readonly number[],
  { limit, offset }: Page,
) {
  const companies = await companiesOf(env)
  const which = accounts.length
    ? sql`l.account_id = ANY(${idList([...accounts])})`
    : sql`l.account_id IS NOT NULL`
  const within = sql`${postedOf(companies)} AND ${which}`
  const items = await env.rows(
    sql`SELECT l.account_id, l.id, l.date::text, l.move_name, l.name, l.ref, COALESCE(l.debit, 0)::float8, COALESCE(l.credit, 0)::float8, p.complete_name
    FROM (SELECT l.id FROM account_move_line l WHERE ${within} AND l.date BETWEEN ${period.from}::date AND ${period.to}::date
      ORDER BY l.account_id, l.date, l.id LIMIT ${limit + 1}::int OFFSET ${offset}::int) x
    JOIN account_move_line l ON l.id = x.id LEFT JOIN res_partner p ON p.id = l.partner_id ORDER BY l.account_id, l.date, l.id`,
    {
      reads: ['account.move.line', 'res.partner'],
      row: ['int', 'int', 'text', 'text?', 'text?', 'text?', 'float', 'float', 'text?'],
    },
  )
  const shown = items.slice(0, limit)
  const accountById = await accountsById(
    env,
    shown.map(([id]) => id),
  )
  const balances = await balancesBefore(env, companies, firstOfEach(shown))
  const lines = shown.map(([account, id, date, move_name, name, ref, debit, credit, partner]) => {
    const balance = cents((balances.get(account) ?? 0) + debit - credit)
    balances.set(account, balance)
    const of = accountById.get(account)
    return {
      id,
      account_id: [account, of?.name ?? ''],
      code: of?.code ?? '',
      date,
      move_name,
      partner,
      name,
      ref,
      debit,
      credit,
      balance,
    }
  })
  return { lines, next: items.length > limit ? offset + limit : false }
}

function firstOfEach(items: readonly Item[]): Item[] {
  const first = new Map<number, Item>()
  for (const item of items) if (!first.has(item[0])) first.set(item[0], item)
  return [...first.values()]
}

/** Balances of accounts before the first of their items on the page: one statement for all of them. */
async function balancesBefore(
  env: Environment,
  companies: readonly number[],
  first: readonly Item[],
): Promise<Map<number, number>> {
  if (first.length === 0) return new Map()
  const positions = first.map(([account, id, date]) => ({ account, id, date }))
  const rows = await env.rows(
    sql`SELECT x.account, (SELECT sum(l.debit - l.credit) FROM account_move_line l
      WHERE ${postedOf(companies)} AND l.account_id = x.account AND l.date < x.date)::float8,
    (SELECT sum(l.debit - l.credit) FROM account_move_line l
      WHERE ${postedOf(companies)} AND l.account_id = x.account AND l.date = x.date AND l.id < x.id)::float8
    FROM jsonb_to_recordset(${JSON.stringify(positions)}::jsonb) AS x(account int, id int, date date)`,
    { reads: ['account.move.line'], row: ['int', 'float?', 'float?'] },
  )
  return new Map(rows.map((row) => [row[0], cents((row[1] ?? 0) + (row[2] ?? 0))]))
}
