// Quantities and amounts of a line that are still to be invoiced. The module that creates invoices
// stores what they contain.
import { computed, computedFields } from '#models'
import { addDecimals, asDecimal, roundHalfUp } from '../../kit/rounding.ts'
import { line } from './line.contract.ts'
import { amountToInvoice } from './line-amount-left.ts'
import { due, policiesOf } from './line-policy.ts'

interface Ordered {
  readonly display_type: string | null
  readonly is_downpayment: boolean
  readonly state: string | null
  readonly product_uom_qty: number
  readonly qty_delivered: number
  readonly qty_invoiced: number
}

function quantityLeft(one: Ordered, policy: string | undefined): number {
  if (one.state !== 'sale' || one.display_type) return 0
  return addDecimals(due(one, policy), -one.qty_invoiced)
}

function status(one: Ordered, policy: string | undefined, quantity: number, amount: number): string {
  if (one.state !== 'sale') return 'no'
  if (one.is_downpayment && amount === 0) return 'invoiced'
  if (quantity !== 0) return 'to invoice'
  if (policy === 'order' && one.product_uom_qty >= 0 && one.qty_delivered > one.product_uom_qty)
    return 'upselling'
  return one.qty_invoiced >= one.product_uom_qty ? 'invoiced' : 'no'
}

export const lineInvoicing = {
  ...amountToInvoice,
  ...computedFields(
    line,
    ['qty_to_invoice', 'invoice_status'],
    [
      'state',
      'display_type',
      'is_downpayment',
      'product_id',
      'product_uom_qty',
      'qty_delivered',
      'qty_invoiced',
      'untaxed_amount_to_invoice',
    ],
    async (lines, env) => {
      const policies = await policiesOf(env, lines)
      return new Map(
        lines.map((one) => {
          const policy = policies.get(one.product_id?.id ?? 0)
          const quantity = quantityLeft(one, policy)
          return [
            one.id,
            {
              qty_to_invoice: quantity,
              invoice_status: status(one, policy, quantity, one.untaxed_amount_to_invoice),
            },
          ]
        }),
      )
    },
    { asks: ['product_id.product_tmpl_id.invoice_policy'] },
  ),
}

/** The balance of the line with taxes, invoiced or not yet confirmed. */
export const lineBalance = computed(
  line,
  [
    'product_id.product_tmpl_id.invoice_policy',
    'product_uom_qty',
    'qty_delivered',
    'qty_invoiced_posted',
    'price_total',
    'currency_id.rounding',
  ],
  (one) => {
    if (one.product_uom_qty === 0) return 0
    const quantity =
      one.product_id?.product_tmpl_id.invoice_policy === 'delivery' ? one.qty_delivered : one.product_uom_qty
    const open = asDecimal(
      (one.price_total * addDecimals(quantity, -one.qty_invoiced_posted)) / one.product_uom_qty,
    )
    return roundHalfUp(open, one.currency_id?.rounding ?? 0.01)
  },
)
