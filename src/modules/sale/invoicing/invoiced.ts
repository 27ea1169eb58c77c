// What of order lines was invoiced: quantities of all invoices but cancelled ones, amounts of posted ones; credit notes take off.
import { computedFields, type Environment } from '#models'
import { addDecimals, asDecimal } from '../../../kit/rounding.ts'
import { line } from '../line.contract.ts'

interface InvoiceLine {
  readonly quantity: number
  readonly price_subtotal: number
  readonly price_total: number
  readonly amount_currency: number
  readonly parent_state: string | null
  readonly product_uom_id: { readonly id: number } | null
  readonly move_id: { readonly move_type: string }
}

const sum = (lines: readonly InvoiceLine[], of: (one: InvoiceLine) => number) =>
  lines.reduce((total, one) => addDecimals(total, (one.move_id.move_type === 'out_refund' ? -1 : 1) * of(one)), 0)

const booked = (lines: readonly InvoiceLine[]) => lines.reduce((total, one) => addDecimals(total, -one.amount_currency), 0)

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
    const factors = await factorsOf(
      env,
      lines.filter((one) => one.invoice_lines.length > 0),
    )
    return new Map(
      lines.map((one) => {
        const alive = one.invoice_lines.filter((own) => own.parent_state !== 'cancel')
        const posted = alive.filter((own) => own.parent_state === 'posted')
        const factor = factors.get(one.product_uom_id?.id ?? 0) ?? 1
        const quantity = (own: InvoiceLine) => asDecimal((own.quantity * (factors.get(own.product_uom_id?.id ?? 0) ?? factor)) / factor)
        return [
          one.id,
          {
            qty_invoiced: sum(alive, quantity),
            qty_invoiced_posted: sum(posted, quantity),
            // What was booked: cents that a document rounds over all its lines are in it.
            untaxed_amount_invoiced: booked(posted),
            amount_invoiced: addDecimals(
              booked(posted),
              sum(posted, (own) => addDecimals(own.price_total, -own.price_subtotal)),
            ),
          },
        ]
      }),
    )
  },
)

/** Factors of the units of lines that were invoiced, and of their invoices; lines that were not need none. */
async function factorsOf(
  env: Environment,
  lines: readonly { readonly product_uom_id: { readonly id: number } | null; readonly invoice_lines: readonly InvoiceLine[] }[],
): Promise<Map<number, number>> {
  const units = new Set(lines.flatMap((one) => [one, ...one.invoice_lines].flatMap(({ product_uom_id: unit }) => unit?.id ?? [])))
  if (units.size === 0) return new Map()
  const rows = await env
    .sudo()
    .model('uom.uom')
    .browse([...units])
    .load(['factor'])
  return new Map(rows.map((one) => [one.id, one.factor]))
}
