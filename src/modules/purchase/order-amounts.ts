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
    const documents = orders.map((one) => ({ company: one.company_id.id, currency: one.currency_id.id }))
    const totals = await totalsFor(
      env,
      orders.flatMap((one) => one.order_line),
      documents,
      quantityOf,
    )
    return new Map(
      orders.map((one, i) => {
        const { untaxed, tax, total } = totals(one.order_line, present(documents[i]))
        return [one.id, { amount_untaxed: untaxed, amount_tax: tax, amount_total: total }]
      }),
    )
  },
  { asks: totalsAsks('order_line') },
)

/** The total in the company's currency. */
export const companyTotal = computed(
  order,
  ['amount_total', 'currency_rate', 'company_id.currency_id.rounding'],
  (one) =>
    roundHalfUp(asDecimal(one.amount_total / (one.currency_rate || 1)), one.company_id.currency_id.rounding),
)

/** The earliest day of the lines. */
export const expected = computedFields(
  order,
  ['date_planned'],
  ['order_line.date_planned', 'order_line.display_type'],
  (orders) =>
    new Map(
      orders.map((one) => {
        const days = one.order_line.flatMap((line) =>
          line.display_type || !line.date_planned ? [] : [line.date_planned],
        )
        return [one.id, days.length ? { date_planned: days.toSorted()[0] } : {}]
      }),
    ),
  { editable: true },
)

/** Amounts left to bill of a confirmed order, by its lines; bills count that are cancelled or for nothing. */
export const invoiceStatus = computed(
  order,
  ['state', 'order_line.qty_to_invoice', 'order_line.invoice_lines.move_id', 'order_line.display_type'],
  (one) => {
    if (one.state !== 'purchase') return 'no' as const
    if (one.order_line.some((line) => !line.display_type && line.qty_to_invoice !== 0))
      return 'to invoice' as const
    return one.order_line.some((line) => line.invoice_lines.length) ? ('invoiced' as const) : ('no' as const)
  },
)
