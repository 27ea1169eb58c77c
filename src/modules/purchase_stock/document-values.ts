// Values of receipts by the documents of their purchase: as billed, as far as posted bills go, the
// receipts that came first; the rest at the price of the order (recorded).
import type { Environment } from '#models'
import { present } from '../../kit/present.ts'
import { asDecimal } from '../../kit/rounding.ts'
import { idList, sql } from '../../sql/index.ts'
import { unitCostsOn } from './unit-costs.ts'

interface Billed {
  /** In the unit of the product. */
  readonly quantity: number
  /** In the company's currency, at the rates of the bills; not rounded (recorded). */
  readonly amount: number
}

/** Values by move, of those that come for lines of orders; `quantities` in the unit of the product. */
export async function documentValues(
  env: Environment,
  quantities: ReadonlyMap<number, number>,
): Promise<Map<number, number>> {
  const rows = await env
    .sudo()
    .model('stock.move')
    .browse([...quantities.keys()])
    .load(['purchase_line_id', 'location_id.usage', 'date'])
  const moves = rows.flatMap((row) =>
    row.purchase_line_id && row.location_id.usage === 'supplier'
      ? [{ id: row.id, line: row.purchase_line_id.id, day: row.date.slice(0, 10) }]
      : [],
  )
  if (moves.length === 0) return new Map()
  const lines = [...new Set(moves.map(({ line }) => line))]
  const costOf = await unitCostsOn(env, moves)
  const billed = await billedOf(env, lines)
  const earlier = billed.size ? await earlierThan(env, moves) : new Map<number, number>()
  return new Map(
    moves.map(({ id, line, day }) => {
      const quantity = present(quantities.get(id))
      const bills = billed.get(line)
      const left = bills ? Math.max(0, bills.quantity - (earlier.get(id) ?? 0)) : 0
      const covered = Math.min(quantity, left)
      const asBilled = bills && covered > 0 ? (bills.amount * covered) / bills.quantity : 0
      return [id, asDecimal(asBilled + (quantity - covered) * costOf(line, day))]
    }),
  )
}

/**
 * Quantities and amounts of posted bills less credit notes, by line, where they are for more than nothing.
 */
async function billedOf(env: Environment, lines: readonly number[]): Promise<Map<number, Billed>> {
  const rows = await env.rows(
    sql`SELECT l.id, sum(CASE WHEN m.move_type = 'in_refund' THEN -1 ELSE 1 END
          * round((COALESCE(i.quantity, 0) * COALESCE(u.factor, 1) / COALESCE(o.factor, 1))::numeric, 2)
        )::float8,
      sum(CASE WHEN m.move_type = 'in_refund' THEN -1 ELSE 1 END
          * COALESCE(i.price_subtotal, 0) / COALESCE(NULLIF(m.invoice_currency_rate, 0), 1))::float8
      FROM purchase_order_line l JOIN account_move_line i ON i.purchase_line_id = l.id AND i.display_type = 'product'
      JOIN account_move m ON m.id = i.move_id AND m.state = 'posted' AND m.move_type IN ('in_invoice', 'in_refund')
      LEFT JOIN uom_uom u ON u.id = i.product_uom_id
      LEFT JOIN product_product p ON p.id = l.product_id LEFT JOIN product_template t ON t.id = p.product_tmpl_id LEFT JOIN uom_uom o ON o.id = t.uom_id
      WHERE l.id = ANY(${idList(lines)}) GROUP BY l.id`,
    {
      reads: [
        'purchase.order.line',
        'account.move.line',
        'account.move',
        'uom.uom',
        'product.product',
        'product.template',
      ],
      row: ['int', 'float', 'float'],
    },
  )
  return new Map(
    rows.flatMap(([line, quantity, amount]) => (quantity > 0 ? [[line, { quantity, amount }] as const] : [])),
  )
}

/**
 * Quantities that came for the same line before each move, less those that went back, in the unit of the
 * product.
 */
async function earlierThan(
  env: Environment,
  moves: readonly { readonly id: number }[],
): Promise<Map<number, number>> {
  const rows = await env.rows(
    sql`SELECT m.id, sum(CASE WHEN d.usage = 'supplier' THEN -1 ELSE 1 END * o.quantity * u.factor / n.factor)::float8
      FROM stock_move m JOIN stock_move o ON o.purchase_line_id = m.purchase_line_id AND o.product_id = m.product_id
        AND o.state = 'done' AND (o.date, o.id) < (m.date, m.id)
      JOIN stock_location d ON d.id = o.location_dest_id JOIN uom_uom u ON u.id = o.product_uom
      JOIN product_product p ON p.id = o.product_id JOIN product_template t ON t.id = p.product_tmpl_id JOIN uom_uom n ON n.id = t.uom_id
      WHERE m.id = ANY(${idList(moves.map(({ id }) => id))}) GROUP BY m.id`,
    {
      reads: ['stock.move', 'stock.location', 'uom.uom', 'product.product', 'product.template'],
      row: ['int', 'float'],
    },
  )
  return new Map(rows)
}
