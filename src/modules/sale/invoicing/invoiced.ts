// Invoiced quantities and amounts of order lines: quantities of all invoices but cancelled ones, amounts
// of posted ones; credit notes are subtracted.
import { computedFields, type Environment } from '#models'
import { invoicedQuantities, posted, sumInvoiced } from '../../account/index.ts'
import { line } from '../line.contract.ts'

/** Fields that `invoicedOf` computes. */
export const invoicedFields = [
  'qty_invoiced',
  'qty_invoiced_posted',
  'untaxed_amount_invoiced',
  'amount_invoiced',
] as const

/** Of most lines, new ones among them. */
const NOTHING = { qty_invoiced: 0, qty_invoiced_posted: 0, untaxed_amount_invoiced: 0, amount_invoiced: 0 }

/** Dependencies of the figures; modules that invoice in other ways add theirs. */
export const invoicedPaths = [
  'product_uom_id',
  'invoice_lines.quantity',
  'invoice_lines.price_subtotal',
  'invoice_lines.price_total',
  'invoice_lines.parent_state',
  'invoice_lines.product_uom_id',
  'invoice_lines.move_id.move_type',
] as const

interface Invoiced {
  readonly id: number
  readonly product_uom_id: { readonly id: number } | null
  readonly invoice_lines: readonly {
    readonly quantity: number
    readonly price_subtotal: number
    readonly price_total: number
    readonly parent_state: string | null
    readonly product_uom_id: { readonly id: number } | null
    readonly move_id: { readonly move_type: string }
  }[]
}

/** Figures by line, from the invoices of each. */
export async function invoicedOf(
  env: Environment,
  lines: readonly Invoiced[],
): Promise<Map<number, Record<(typeof invoicedFields)[number], number>>> {
  const quantities = await invoicedQuantities(env, lines)
  return new Map(
    lines.map((line) => {
      if (line.invoice_lines.length === 0) return [line.id, NOTHING]
      const final = posted(line.invoice_lines)
      return [
        line.id,
        {
          qty_invoiced: quantities.get(line.id)?.all ?? 0,
          qty_invoiced_posted: quantities.get(line.id)?.posted ?? 0,
          // As the lines show it (recorded): cents that an invoice moves between its lines are no part of it.
          untaxed_amount_invoiced: sumInvoiced(final, (invoiced) => invoiced.price_subtotal),
          amount_invoiced: sumInvoiced(final, (invoiced) => invoiced.price_total),
        },
      ]
    }),
  )
}

export const invoiced = computedFields(line, invoicedFields, [...invoicedPaths], (lines, env) =>
  invoicedOf(env, lines),
)
