// The tax report: what was taxed and how much tax came of it, by tax.
import type { Environment } from '#models'
import { type Sql, sql } from '../../../sql/index.ts'
import { cents, companiesOf, type Period, postedOf } from './parameters.ts'

/**
 * Bases and amounts of taxes, less credit notes; sales are positive, and so are purchases. Each side is
 * summed before it is joined with its tax. Debits and credits stand in the indexes, so no item is read.
 */
export function taxReportSums(companies: readonly number[], { from, to }: Period): Sql {
  const within = sql`${postedOf(companies)} AND l.date BETWEEN ${from}::date AND ${to}::date`
  return sql`SELECT t.id, t.name->>'en_US', t.type_tax_use, t.amount::float8, (COALESCE(sum(x.base), 0) * s.sign)::float8, (COALESCE(sum(x.tax), 0) * s.sign)::float8
    FROM (SELECT r.account_tax_id AS tax_id, sum(l.debit - l.credit) AS base, 0 AS tax
        FROM account_move_line l JOIN account_move_line_account_tax_rel r ON r.account_move_line_id = l.id WHERE ${within} GROUP BY 1
      UNION ALL SELECT l.tax_line_id, 0, sum(l.debit - l.credit) FROM account_move_line l WHERE ${within} AND l.tax_line_id IS NOT NULL GROUP BY 1) x
    JOIN account_tax t ON t.id = x.tax_id
    CROSS JOIN LATERAL (SELECT CASE WHEN t.type_tax_use = 'sale' THEN -1 ELSE 1 END AS sign) s
    GROUP BY t.id, s.sign ORDER BY t.type_tax_use, t.sequence, t.id`
}

/** Rows by tax, and what is owed of it all: taxes of sales less those of purchases. */
export async function taxReport(env: Environment, period: Period) {
  const companies = await companiesOf(env)
  const sums = await env.rows(taxReportSums(companies, period), {
    reads: ['account.move.line', 'account.tax'],
    row: ['int', 'text', 'text', 'float', 'float', 'float'],
  })
  const names = await env
    .sudo()
    .withContext({ active_test: false })
    .model('account.tax')
    .browse([...new Set(sums.map(([id]) => id))])
    .load(['name'])
  const nameOf = new Map(names.map((name) => [name.id, name.name]))
  const rows = sums.map(([id, name, use, rate, base, amount]) => ({
    tax_id: [id, nameOf.get(id) ?? name] as const,
    type_tax_use: use,
    rate,
    base: cents(base),
    amount: cents(amount),
  }))
  const of = (use: string) =>
    cents(rows.reduce((sum, row) => (row.type_tax_use === use ? sum + row.amount : sum), 0))
  return {
    rows,
    totals: { sale: of('sale'), purchase: of('purchase'), due: cents(of('sale') - of('purchase')) },
  }
}
