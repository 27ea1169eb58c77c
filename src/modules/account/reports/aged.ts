// Aged receivables and payables on a day: open items from their index; for past days, items that were
// matched since count as open.
import type { Environment } from '#models'
import { addDays } from '../../../kit/dates.ts'
import { idList, type Sql, sql } from '../../../sql/index.ts'
import { cents, companiesOf } from './parameters.ts'

export interface Aged {
  readonly type: 'asset_receivable' | 'liability_payable'
  readonly date: string
  readonly days: number
  readonly partners: readonly number[]
}

const STRETCHES = 4

/** Names of the columns: not due yet, four stretches of time, all that is older. */
export const columnsOf = (days: number): string[] => [
  'not_due',
  ...Array.from({ length: STRETCHES }, (_, n) => `${n * days + 1}_${(n + 1) * days}`),
  'older',
]

/** Open amounts by contact and stretch: the statement that reads them. */
export function agedSums(
  companies: readonly number[],
  accounts: readonly number[],
  request: Aged,
  past: boolean,
): Sql {
  const { date, days, partners, type } = request
  const due = sql`${date}::date - COALESCE(o.date_maturity, o.date)`
  const stretch = sql`CASE WHEN ${due} <= 0 THEN 0 ELSE least((${due} - 1) / ${days}::int + 1, ${STRETCHES + 1}::int) END`
  const ofPartners = partners.length ? sql`l.partner_id = ANY(${idList([...partners])})` : sql`TRUE`
  const within = sql`l.parent_state = 'posted' AND l.account_id = ANY(${idList([...accounts])}) AND l.company_id = ANY(${idList([...companies])}) AND ${ofPartners}`
  const now = sql`SELECT l.id, l.partner_id, l.date, l.date_maturity, l.amount_residual AS open FROM account_move_line l WHERE ${within} AND NOT l.reconciled`
  const later = sql`SELECT l.id, l.partner_id, l.date, l.date_maturity, p.amount AS open FROM account_partial_reconcile p
      JOIN account_move_line l ON l.id = p.debit_move_id WHERE p.max_date > ${date}::date AND ${within}
    UNION ALL SELECT l.id, l.partner_id, l.date, l.date_maturity, -p.amount FROM account_partial_reconcile p
      JOIN account_move_line l ON l.id = p.credit_move_id WHERE p.max_date > ${date}::date AND ${within}`
  const sign = type === 'liability_payable' ? -1 : 1
  return sql`SELECT o.partner_id, ${stretch}, (COALESCE(sum(o.open), 0) * ${sign}::int)::float8 FROM (${past ? sql`${now} UNION ALL ${later}` : now}) o
    WHERE o.date <= ${date}::date GROUP BY 1, 2`
}

/** Rows by the name of the contact, and sums over all of them. */
export async function aged(env: Environment, request: Aged, today: string) {
  const companies = await companiesOf(env)
  const accounts = await env
    .sudo()
    .model('account.account')
    .withContext({ active_test: false })
    .search([['account_type', '=', request.type]])
  const sums = await env.rows(
    agedSums(companies, accounts.ids, request, request.date < today || (await hasLater(env, request.date))),
    { reads: ['account.move.line', 'account.partial.reconcile'], row: ['int?', 'int', 'float'] },
  )
  const columns = columnsOf(request.days)
  const byPartner = Map.groupBy(sums, ([partner]) => partner)
  const names = await env
    .sudo()
    .model('res.partner')
    .browse([...byPartner.keys()].flatMap((id) => id ?? []))
    .load(['complete_name'])
  const nameOf = new Map(names.map((name) => [name.id, name.complete_name ?? '']))
  const rows = [...byPartner].flatMap(([partner, partnerItems]) => {
    const amounts = Object.fromEntries(
      columns.map((name, at) => [
        name,
        cents(partnerItems.reduce((sum, [, n, open]) => (n === at ? sum + open : sum), 0)),
      ]),
    )
    const total = cents(partnerItems.reduce((sum, [, , open]) => sum + open, 0))
    if (total === 0 && Object.values(amounts).every((amount) => amount === 0)) return []
    return [
      {
        partner_id: partner === null ? (false as const) : ([partner, nameOf.get(partner) ?? ''] as const),
        ...amounts,
        total,
      },
    ]
  })
  const totals = Object.fromEntries(
    [...columns, 'total'].map((name) => [
      name,
      cents(rows.reduce((sum, row) => sum + Number((row as Record<string, unknown>)[name]), 0)),
    ]),
  )
  const name = (row: { readonly partner_id: readonly [number, string] | false }) =>
    row.partner_id ? row.partner_id[1] : ''
  return {
    date: request.date,
    until: addDays(request.date, -STRETCHES * request.days),
    columns,
    rows: rows.toSorted((a, b) => name(a).localeCompare(name(b))),
    totals,
  }
}

/** True if items were matched with items of later days. */
async function hasLater(env: Environment, date: string): Promise<boolean> {
  const rows = await env.rows(
    sql`SELECT 1 FROM account_partial_reconcile WHERE max_date > ${date}::date LIMIT 1`,
    { reads: ['account.partial.reconcile'], row: ['int'] },
  )
  return rows.length > 0
}
