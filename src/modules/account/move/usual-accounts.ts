// The accounts that documents of a partner are usually booked on: what lines without a product begin with.
import type { Environment } from '#models'
import { addDays } from '../../../kit/dates.ts'
import { sql } from '../../../sql/index.ts'

/** A document, as far as its usual account goes. */
interface Concerned {
  readonly move_type: string
  readonly company: number
  readonly partner: number | null
}

/** Items of the last two years count. */
const DAYS = 730

/** Documents that bring money are booked on income, those that cost money on expenses (recorded). */
const sideOf = (type: string) =>
  ['out_invoice', 'in_refund', 'out_receipt'].includes(type) ? 'income' : 'expense'

const keyOf = (move: Concerned) => `${move.company}/${move.partner}/${sideOf(move.move_type)}`

/**
 * Gives the account of each document that most posted items of its partner's company are on, of its side;
 * what goods sold cost aside. One statement, and none for documents without a partner.
 */
export async function usualAccounts(
  env: Environment,
  documents: readonly Concerned[],
): Promise<(move: Concerned) => number | null> {
  const asks = new Map(
    documents.flatMap((document) =>
      document.partner === null
        ? []
        : [
            [
              keyOf(document),
              { company: document.company, partner: document.partner, side: sideOf(document.move_type) },
            ] as const,
          ],
    ),
  )
  if (asks.size === 0) return () => null
  const since = addDays(env.now().toISOString().slice(0, 10), -DAYS)
  const rows = await env.sudo().rows(
    sql`SELECT DISTINCT ON (x.company, x.partner, x.side) concat(x.company, '/', x.partner, '/', x.side), l.account_id
    FROM jsonb_to_recordset(${JSON.stringify([...asks.values()])}::jsonb) AS x(company int, partner int, side text)
    JOIN res_partner p ON p.id = x.partner
    JOIN account_move_line l ON l.partner_id = p.commercial_partner_id AND l.company_id = x.company
      AND l.parent_state = 'posted' AND l.date >= ${since}::date AND l.display_type <> 'cogs'
    JOIN account_account a ON a.id = l.account_id AND a.active AND split_part(a.account_type, '_', 1) = x.side
    GROUP BY x.company, x.partner, x.side, l.account_id ORDER BY x.company, x.partner, x.side, count(*) DESC, l.account_id`,
    { reads: ['account.move.line', 'account.account', 'res.partner'], row: ['text', 'int'] },
  )
  const accounts = new Map(rows)
  return (document) => accounts.get(keyOf(document)) ?? null
}
