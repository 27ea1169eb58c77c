// Documents unlike those before them: amounts and days that are far from what the partner's last documents
// had. People look at such drafts before they post them.
import type { Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'

/** Documents before that are needed to say what is usual, and the most that are looked at. */
const FEWEST = 10
const MOST = 30

export interface Unusual {
  readonly amount: string | null
  readonly date: string | null
}

/**
 * Warnings of drafts of invoices, in one statement: an amount or a number of days since the last document
 * that is more than two standard deviations from the mean of those of its kind, partner and currency.
 * Partners may be left out of either.
 */
export async function unusualDocuments(
  env: Environment,
  drafts: readonly number[],
): Promise<Map<number, Unusual>> {
  if (drafts.length === 0) return new Map()
  const rows = await env.rows(
    sql`SELECT m.id, NOT COALESCE(p.ignore_abnormal_invoice_amount, false) AND abs(m.amount_total - u.mean) > 2 * u.spread,
      NOT COALESCE(p.ignore_abnormal_invoice_date, false)
        AND abs((COALESCE(m.invoice_date, current_date) - u.latest) - u.gap) > 2 * u.gap_spread,
      round(u.mean, 2)::text, round(u.gap)::int
    FROM account_move m JOIN res_partner p ON p.id = m.commercial_partner_id
    CROSS JOIN LATERAL (SELECT avg(x.amount_total) AS mean, stddev_samp(x.amount_total) AS spread, max(x.invoice_date) AS latest,
        avg(x.days) AS gap, stddev_samp(x.days) AS gap_spread, count(*) AS documents
      FROM (SELECT d.amount_total, d.invoice_date, d.invoice_date - lag(d.invoice_date) OVER (ORDER BY d.invoice_date, d.id) AS days
        FROM (SELECT o.id, o.amount_total, o.invoice_date FROM account_move o WHERE o.commercial_partner_id = m.commercial_partner_id
            AND o.move_type = m.move_type AND o.company_id = m.company_id AND o.currency_id = m.currency_id AND o.state = 'posted'
          ORDER BY o.invoice_date DESC, o.id DESC LIMIT ${MOST}) d) x) u
    WHERE m.id = ANY(${idList([...drafts])}) AND m.move_type <> 'entry' AND u.documents >= ${FEWEST}`,
    { reads: ['account.move', 'res.partner'], row: ['int', 'bool?', 'bool?', 'text', 'int?'] },
  )
  return new Map(
    rows.map(([id, amount, day, mean, gap]) => [
      id,
      {
        amount: amount
          ? `The amount is unusual: documents of this contact usually have about ${mean}.`
          : null,
        date: day ? `The date is unusual: documents of this contact usually arrive every ${gap} days.` : null,
      },
    ]),
  )
}
