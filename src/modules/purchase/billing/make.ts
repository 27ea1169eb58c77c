// Bills from orders: what is due, with its headings and notes; orders of one vendor in one currency share
// one.

import type { Records, Vals } from '#models'
import { present } from '../../../kit/present.ts'
import { createDocuments, joined } from '../../account/index.ts'
import { addressesOf, assertAllowed, shownRecords } from '../../base/index.ts'

type Orders = Records<'purchase.order'>
type LineVals = Vals<'account.move.line'>

const paths = [
  'name',
  'company_id',
  'currency_id',
  'partner_id',
  'fiscal_position_id',
  'payment_term_id',
  'incoterm_id',
  'note',
  'order_line.display_type',
  'order_line.is_downpayment',
  'order_line.name',
  'order_line.product_id',
  'order_line.product_uom_id',
  'order_line.qty_to_invoice',
  'order_line.price_unit',
  'order_line.discount',
  'order_line.tax_ids',
  'order_line.analytic_distribution',
] as const

const load = (orders: Orders) => orders.sudo().load([...paths])
type Billable = Awaited<ReturnType<typeof load>>[number]
type OrderLine = Billable['order_line'][number]

/**
 * Makes drafts of bills and gives their ids, whatever the caller may do with bills. A bill has all lines of
 * its orders, with what is due of each: of lines with nothing due the quantity is 0, for the vendor's bill
 * may say something else (recorded: also where nothing at all is due).
 */
export async function makeBills(orders: Orders): Promise<number[]> {
  await assertAllowed(orders, 'write')
  const drafts = (await load(orders)).map((row) => ({ one: row, lines: row.order_line.map(lineOf) }))
  const vendors = orders
    .sudo()
    .env.model('res.partner')
    .browse([...new Set(drafts.map(({ one }) => one.partner_id.id))])
  const addresses = await addressesOf(vendors, new Set(['invoice', 'contact']))
  const groups = Map.groupBy(drafts, ({ one }) =>
    [one.company_id.id, one.partner_id.id, one.currency_id.id, one.fiscal_position_id?.id].join(),
  )
  return createDocuments(
    orders.env,
    [...groups.values()].map((group) => {
      const lines = group.flatMap((draft) => draft.lines).map((line, i) => ({ ...line, sequence: i + 1 }))
      const vendor = group[0]?.one.partner_id.id ?? 0
      return headerOf(
        group.map(({ one }) => one),
        addresses.get(vendor)?.invoice ?? vendor,
        lines,
      )
    }),
    true,
  )
}

function headerOf(
  orders: readonly Billable[],
  partner_id: number,
  lines: readonly LineVals[],
): Vals<'account.move'> {
  const first = present(orders[0])
  // The reference of a bill is the number on it, which the vendor's reference of the order is not (recorded).
  return {
    move_type: 'in_invoice',
    company_id: first.company_id.id,
    partner_id,
    currency_id: first.currency_id.id,
    fiscal_position_id: first.fiscal_position_id?.id ?? false,
    invoice_payment_term_id: first.payment_term_id?.id ?? false,
    invoice_incoterm_id: first.incoterm_id?.id ?? false,
    invoice_origin: joined(orders.map((order) => order.name)),
    narration: first.note ?? false,
    invoice_line_ids: lines.map((line) => [0, 0, line]),
  }
}

function lineOf(line: OrderLine): LineVals {
  if (line.display_type)
    return { display_type: line.display_type, name: line.name, purchase_line_id: line.id }
  return {
    display_type: 'product',
    name: line.name,
    product_id: line.product_id?.id ?? false,
    product_uom_id: line.product_uom_id?.id ?? false,
    quantity: line.qty_to_invoice,
    price_unit: line.price_unit,
    discount: line.discount,
    tax_ids: [[6, 0, line.tax_ids.map(({ id }) => id)]],
    is_downpayment: line.is_downpayment,
    purchase_line_id: line.id,
    ...(line.analytic_distribution ? { analytic_distribution: line.analytic_distribution } : {}),
  }
}

/** The action that shows bills. */
export const shownBills = (ids: readonly number[]): object =>
  shownRecords('Vendor Bills', 'account.move', [...new Set(ids)], {
    context: { default_move_type: 'in_invoice' },
  })
