// Amounts of orders: sums with taxes rounded as the company does, before discounts, and still to be
// invoiced.

import { computed, computedFields } from '#models'
import { present } from '../../kit/present.ts'
import { addDecimals, asDecimal } from '../../kit/rounding.ts'
import { sql } from '../../sql/index.ts'
import { totalsAsks } from '../account/index.ts'
import { totalsFor } from './amounts.ts'
import { order } from './order.contract.ts'

/**
 * Totals are not the sums of what lines show: taxes are rounded over the whole order unless the company says
 * otherwise.
 */
export const orderAmounts = computedFields(
  order,
  ['amount_untaxed', 'amount_tax', 'amount_total'],
  [
    'company_id',
    'currency_id',
    'order_line.display_type',
    'order_line.price_unit',
    'order_line.product_uom_qty',
    'order_line.discount',
    'order_line.tax_ids',
    'order_line.extra_tax_data',
  ],
  async (orders, env) => {
    const documents = orders.map((order) => ({
      company: order.company_id.id,
      currency: order.currency_id?.id ?? null,
    }))
    const totals = await totalsFor(
      env,
      orders.flatMap((order) => order.order_line),
      documents,
    )
    return new Map(
      orders.map((order, i) => {
        const { untaxed, tax, total } = totals(order.order_line, present(documents[i]))
        return [order.id, { amount_untaxed: untaxed, amount_tax: tax, amount_total: total }]
      }),
    )
  },
  { asks: totalsAsks('order_line') },
)

interface Discounted {
  readonly price_subtotal: number
  readonly price_unit: number
  readonly product_uom_qty: number
  readonly discount: number
}

const beforeDiscount = (line: Discounted) =>
  line.discount === 100
    ? asDecimal(line.price_unit * line.product_uom_qty)
    : asDecimal((line.price_subtotal * 100) / (100 - line.discount))

const sum = <T>(list: readonly T[], of: (one: T) => number) =>
  list.reduce((total, item) => addDecimals(total, of(item)), 0)

export const liveAmounts = {
  amount_undiscounted: computed(
    order,
    [
      'order_line.price_subtotal',
      'order_line.price_unit',
      'order_line.product_uom_qty',
      'order_line.discount',
    ],
    (order) => sum(order.order_line, beforeDiscount),
  ),
  amount_to_invoice: computed(order, ['order_line.amount_to_invoice'], (order) =>
    sum(order.order_line, (line) => line.amount_to_invoice),
  ),
  amount_invoiced: computed(
    order,
    ['order_line.amount_invoiced'],
    (order) => sum(order.order_line, (line) => line.amount_invoiced),
    {
      sql: (scope) =>
        sql`COALESCE((SELECT sum(l.amount_invoiced) FROM sale_order_line l WHERE l.order_id = ${scope.id}), 0)`,
    },
  ),
}

/** Invoice status of a confirmed order, by its lines; sections, notes and down payments do not count. */
export const invoiceStatus = computed(
  order,
  ['state', 'order_line.invoice_status', 'order_line.display_type', 'order_line.is_downpayment'],
  (order) => {
    const statuses = order.order_line
      .filter((line) => !line.display_type && !line.is_downpayment)
      .map((line) => line.invoice_status)
    if (order.state !== 'sale' || statuses.length === 0) return 'no'
    if (statuses.includes('to invoice')) return 'to invoice'
    if (statuses.every((status) => status === 'invoiced')) return 'invoiced'
    return statuses.every((status) => status === 'invoiced' || status === 'upselling') ? 'upselling' : 'no'
  },
)
