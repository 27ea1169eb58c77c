// What of order lines was invoiced: quantities of all invoices but cancelled ones, amounts of posted ones; credit notes take off.
import { computedFields } from '#models'
import { addDecimals } from '../../../kit/rounding.ts'
import { invoicedQuantities, posted, sumInvoiced } from '../../account/index.ts'
import { line } from '../line.contract.ts'

/** What was booked: cents that a document rounds over all its lines are in it. */
const booked = (lines: readonly { readonly amount_currency: number }[]) =>
  lines.reduce((total, one) => addDecimals(total, -one.amount_currency), 0)

export const invoiced = computedFields(
  line,
  ['qty_invoiced', 'qty_invoiced_posted', 'untaxed_amount_invoiced', 'amount_invoiced'],
  [
    'product_uom_id',
    'invoice_lines.quantity',
    'invoice_lines.price_subtotal',
    'invoice_lines.price_total',
    'invoice_lines.amount_currency',
    'invoice_lines.parent_state',
    'invoice_lines.product_uom_id',
    'invoice_lines.move_id.move_type',
  ],
  async (lines, env) => {
    const quantities = await invoicedQuantities(env, lines)
    return new Map(
      lines.map((one) => {
        const final = posted(one.invoice_lines)
        const untaxed = booked(final)
        return [
          one.id,
          {
            qty_invoiced: quantities.get(one.id)?.all ?? 0,
            qty_invoiced_posted: quantities.get(one.id)?.posted ?? 0,
            untaxed_amount_invoiced: untaxed,
            amount_invoiced: addDecimals(
              untaxed,
              sumInvoiced(final, (own) => addDecimals(own.price_total, -own.price_subtotal)),
            ),
          },
        ]
      }),
    )
  },
)
