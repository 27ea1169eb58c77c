// Amounts of orders: sums with taxes rounded as the company does; expected arrival; bill status.

import { computed, computedFields } from '#models'
import { present } from '../../kit/present.ts'
import { asDecimal, roundHalfUp } from '../../kit/rounding.ts'
import { type PricedLine, totalsAsks, totalsFor } from '../account/index.ts'
import { order } from './order.contract.ts'

export const quantityOf = (line: PricedLine & { readonly product_qty: number }): number => line.product_qty

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
    'order_line.product_qty',
    'order_line.discount',
    'order_line.tax_ids',
  ],
  async (orders, env) => {
    const documents = orders.map((order) => ({
      company: order.company_id.id,
      currency: order.currency_id.id,
    }))
    const totals = await totalsFor(
      env,
      orders.flatMap((order) => order.order_line),
      documents,
      quantityOf,
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

/** The total in the company's currency. */
export const companyTotal = computed(
  order,
  ['amount_total', 'currency_rate', 'company_id.currency_id.rounding'],
  (order) =>
    roundHalfUp(
      asDecimal(order.amount_total / (order.currency_rate || 1)),
      order.company_id.currency_id.rounding,
    ),
)

/** The earliest day of the lines. */
export const expected = computedFields(
  order,
  ['date_planned'],
  ['order_line.date_planned', 'order_line.display_type'],
  (orders) =>
    new Map(
      orders.map((order) => {
        const days = order.order_line.flatMap((line) =>
          line.display_type || !line.date_planned ? [] : [line.date_planned],
        )
        return [order.id, days.length ? { date_planned: days.toSorted()[0] } : {}]
      }),
    ),
  { editable: true },
)

/** Amounts left to bill of a confirmed order, by its lines; bills count that are cancelled or for nothing. */
export const invoiceStatus = computed(
  order,
  ['state', 'order_line.qty_to_invoice', 'order_line.invoice_lines.move_id', 'order_line.display_type'],
  (order) => {
    if (order.state !== 'purchase') return 'no' as const
    if (order.order_line.some((line) => !line.display_type && line.qty_to_invoice !== 0))
      return 'to invoice' as const
    return order.order_line.some((line) => line.invoice_lines.length)
      ? ('invoiced' as const)
      : ('no' as const)
  },
)
