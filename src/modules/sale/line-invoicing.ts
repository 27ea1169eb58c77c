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

function quantityLeft(line: Ordered, policy: string | undefined): number {
  if (line.state !== 'sale' || line.display_type) return 0
  return addDecimals(due(line, policy), -line.qty_invoiced)
}

function status(line: Ordered, policy: string | undefined, quantity: number, amount: number): string {
  if (line.state !== 'sale') return 'no'
  if (line.is_downpayment && amount === 0) return 'invoiced'
  if (quantity !== 0) return 'to invoice'
  if (policy === 'order' && line.product_uom_qty >= 0 && line.qty_delivered > line.product_uom_qty)
    return 'upselling'
  return line.qty_invoiced >= line.product_uom_qty ? 'invoiced' : 'no'
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
        lines.map((line) => {
          const policy = policies.get(line.product_id?.id ?? 0)
          const quantity = quantityLeft(line, policy)
          return [
            line.id,
            {
              qty_to_invoice: quantity,
              invoice_status: status(line, policy, quantity, line.untaxed_amount_to_invoice),
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
  (line) => {
    if (line.product_uom_qty === 0) return 0
    const quantity =
      line.product_id?.product_tmpl_id.invoice_policy === 'delivery'
        ? line.qty_delivered
        : line.product_uom_qty
    const open = asDecimal(
      (line.price_total * addDecimals(quantity, -line.qty_invoiced_posted)) / line.product_uom_qty,
    )
    return roundHalfUp(open, line.currency_id?.rounding ?? 0.01)
  },
)
