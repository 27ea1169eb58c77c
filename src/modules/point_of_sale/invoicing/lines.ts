// Lines of invoices of orders: what was sold, and a note where a pricelist took something off the usual
// price.

import { add, type Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import type { Desk } from '../closing/context.ts'
import type { Invoiceable } from './invoiceable.ts'

type Line = Invoiceable['lines'][number]

/** Whether a line was sold for less than its product usually costs, before any discount. */
const isReduced = (line: Line, { booked }: Desk) => booked(line.price_unit) < line.product_id.lst_price

/**
 * Orders whose invoices note what their pricelist took off, including pricelists with percentage rules
 * that sales orders show as discounts. One statement, and none if all was sold at the usual price.
 */
export async function ordersWithNotes(
  env: Environment,
  desk: Desk,
  orders: readonly Invoiceable[],
): Promise<ReadonlySet<number>> {
  const reduced = orders.filter(
    (order) => order.pricelist_id && order.lines.some((line) => isReduced(line, desk)),
  )
  if (reduced.length === 0) return new Set()
  const lists = [...new Set(reduced.flatMap((order) => order.pricelist_id?.id ?? []))]
  const rows = await env.rows(
    sql`SELECT DISTINCT pricelist_id FROM product_pricelist_item
    WHERE pricelist_id = ANY(${idList(lists)}) AND compute_price = 'percentage'`,
    { reads: ['product.pricelist.item'], row: ['int'] },
  )
  const telling = new Set(rows.map((row) => row[0]))
  return new Set(reduced.filter((order) => telling.has(order.pricelist_id?.id ?? 0)).map(({ id }) => id))
}

/** Commands for the lines of an invoice, in their order; `sign` is -1 for a credit note. */
export function invoiceLines(order: Invoiceable, desk: Desk, sign: number, withNotes: boolean) {
  const lines = order.lines.flatMap((line) => [
    {
      display_type: 'product' as const,
      product_id: line.product_id.id,
      name: [line.full_product_name, line.customer_note].filter(Boolean).join('\n') || false,
      quantity: sign * line.qty + 0,
      price_unit: line.price_unit,
      discount: line.discount,
      tax_ids: [[6, 0, line.tax_ids_after_fiscal_position.map(({ id }) => id)]] as const,
    },
    ...(withNotes && isReduced(line, desk)
      ? [
          {
            display_type: 'line_note' as const,
            name: `Price discount from ${line.product_id.lst_price} to ${line.price_unit}`,
          },
        ]
      : []),
  ])
  return lines.map((line, i) => add({ ...line, sequence: i + 1 }))
}
