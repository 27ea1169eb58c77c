// The trial balance: one pass over an index that holds all that is summed; results of earlier years are one
// row.
import type { Environment } from '#models'
import { idList, type Sql, sql } from '../../../sql/index.ts'
import { cents, companiesOf, type Period, postedOf } from './parameters.ts'

export interface AccountRow {
  readonly account_id: readonly [number, string] | false
  readonly code: string
  readonly name: string
  readonly account_type: string
  readonly opening: number
  readonly debit: number
  readonly credit: number
  readonly closing: number
}

/** Sums of accounts until the end of a period: one statement, from the index. */
export const sumsOfAccounts = (
  companies: readonly number[],
  { from, to }: Period,
  more: Sql = sql`TRUE`,
): Sql => {
  const year = `${from.slice(0, 4)}-01-01`
  // Two sums a row: exact numbers are what this takes its time for.
  return sql`WITH s AS (SELECT l.account_id, CASE WHEN l.date >= ${from}::date THEN 2 WHEN l.date >= ${year}::date THEN 1 ELSE 0 END AS stretch,
      sum(l.debit) AS debit, sum(l.credit) AS credit
    FROM account_move_line l WHERE ${postedOf(companies)} AND l.date <= ${to}::date AND ${more}
      AND l.account_id IS NOT NULL GROUP BY 1, 2)
    SELECT account_id, COALESCE(sum(debit - credit) FILTER (WHERE stretch = 0), 0)::float8, COALESCE(sum(debit - credit) FILTER (WHERE stretch = 1), 0)::float8,
      COALESCE(sum(debit) FILTER (WHERE stretch = 2), 0)::float8, COALESCE(sum(credit) FILTER (WHERE stretch = 2), 0)::float8 FROM s GROUP BY account_id`
}

/** Accounts by id, with their names in the caller's language. */
export async function accountsById(env: Environment, ids: readonly number[]) {
  const rows = await env
    .sudo()
    .model('account.account')
    .browse([...new Set(ids)])
    .load(['code', 'name', 'account_type'])
  return new Map(rows.map((row) => [row.id, row]))
}

const idOf = ({ account_id }: AccountRow) => (account_id ? account_id[0] : 0)

const isResult = (type: string) => type.startsWith('income') || type.startsWith('expense')

/** Rows by code; they add up to nothing on either side. */
export async function trialBalance(
  env: Environment,
  period: Period,
  journals: readonly number[],
): Promise<AccountRow[]> {
  const companies = await companiesOf(env)
  const more = journals.length ? sql`l.journal_id = ANY(${idList([...journals])})` : sql`TRUE`
  const sums = await env.rows(sumsOfAccounts(companies, period, more), {
    reads: ['account.move.line'],
    row: ['int', 'float', 'float', 'float', 'float'],
  })
  const accounts = await accountsById(
    env,
    sums.map(([id]) => id),
  )
  let earlier = 0
  const rows = sums.flatMap(([id, before, opening, debit, credit]) => {
    const account = accounts.get(id)
    const result = isResult(account?.account_type ?? '')
    if (result) earlier += before
    const start = cents(result ? opening : before + opening)
    if (start === 0 && debit === 0 && credit === 0) return []
    return [rowOf(id, account, { opening: start, debit: cents(debit), credit: cents(credit) })]
  })
  if (cents(earlier) !== 0) rows.push(await undistributed(env, cents(earlier)))
  return merged(rows).toSorted((a, b) => a.code.localeCompare(b.code) || idOf(a) - idOf(b))
}

interface Sums {
  readonly opening: number
  readonly debit: number
  readonly credit: number
}

function rowOf(
  id: number,
  account: { code: string; name: string; account_type: string } | undefined,
  sums: Sums,
): AccountRow {
  const { code = '', name = '', account_type = '' } = account ?? {}
  return {
    account_id: [id, name],
    code,
    name,
    account_type,
    ...sums,
    closing: cents(sums.opening + sums.debit - sums.credit),
  }
}

/** Undistributed results of earlier years, on the account for them, or on a row of their own. */
async function undistributed(env: Environment, opening: number): Promise<AccountRow> {
  const resultAccount = await env
    .sudo()
    .model('account.account')
    .search(
      [
        ['account_type', '=', 'equity_unaffected'],
        ['company_ids', 'in', [env.companyId]],
      ],
      { limit: 1 },
    )
  const [account] = await resultAccount.load(['code', 'name', 'account_type'])
  const sums = { opening, debit: 0, credit: 0 }
  if (account) return rowOf(account.id, account, sums)
  return {
    account_id: false,
    code: '',
    name: 'Undistributed profits of earlier years',
    account_type: 'equity_unaffected',
    ...sums,
    closing: opening,
  }
}

/** One row an account. */
function merged(rows: readonly AccountRow[]): AccountRow[] {
  const byId = new Map<number | false, AccountRow>()
  for (const row of rows) {
    const id = row.account_id ? row.account_id[0] : false
    const existing = byId.get(id)
    const add = (name: 'opening' | 'debit' | 'credit' | 'closing') =>
      cents((existing?.[name] ?? 0) + row[name])
    byId.set(id, {
      ...row,
      opening: add('opening'),
      debit: add('debit'),
      credit: add('credit'),
      closing: add('closing'),
    })
  }
  return [...byId.values()]
}

/** Sums over all rows. */
export const trialBalanceTotals = (rows: readonly AccountRow[]) => {
  const sum = (name: 'opening' | 'debit' | 'credit' | 'closing') =>
    cents(rows.reduce((total, row) => total + row[name], 0))
  return { opening: sum('opening'), debit: sum('debit'), credit: sum('credit'), closing: sum('closing') }
}
