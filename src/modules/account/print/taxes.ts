// Taxes as documents sum them up: by tax group, in the currency and the language of the document.
import type { Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'

export interface TaxSum {
  readonly label: string
  readonly amount: number
}

/** Sums by document: one query. Signs are those of the document, as on its lines. */
export async function taxSums(env: Environment, moves: readonly number[]): Promise<Map<number, TaxSum[]>> {
  if (moves.length === 0) return new Map()
  const rows = await env.rows(
    sql`SELECT m.id, COALESCE(g.name->>COALESCE(p.lang, 'en_US'), g.name->>'en_US', t.name->>'en_US'),
      (COALESCE(sum(l.amount_currency), 0) * CASE WHEN m.move_type IN ('out_invoice', 'in_refund', 'out_receipt') THEN -1 ELSE 1 END)::float8
    FROM account_move_line l JOIN account_move m ON m.id = l.move_id JOIN account_tax t ON t.id = l.tax_line_id
    LEFT JOIN account_tax_group g ON g.id = t.tax_group_id LEFT JOIN res_partner p ON p.id = m.partner_id
    WHERE l.move_id = ANY(${idList([...moves])}) AND m.move_type <> 'entry' GROUP BY m.id, 2, g.sequence, g.id, m.move_type ORDER BY m.id, g.sequence NULLS LAST, g.id`,
    {
      reads: ['account.move.line', 'account.move', 'account.tax', 'account.tax.group', 'res.partner'],
      row: ['int', 'text', 'float'],
    },
  )
  const sums = new Map<number, TaxSum[]>()
  for (const [move, label, amount] of rows)
    sums.set(move, [...(sums.get(move) ?? []), { label, amount: Number(amount.toFixed(6)) + 0 }])
  return sums
}
