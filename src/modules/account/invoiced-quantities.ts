// Quantities of order lines that invoices and bills hold, in the units of the order lines: drafts count,
// cancelled documents do not, credit notes take off.
import type { Environment } from '#models'
import { addDecimals, asDecimal } from '../../kit/rounding.ts'

type Unit = { readonly id: number } | null

/** A line of an invoice, as far as its quantity goes. */
export interface InvoiceLine {
  readonly quantity: number
  readonly parent_state: string | null
  readonly product_uom_id: Unit
  readonly move_id: { readonly move_type: string }
}

interface OrderLine<L> {
  readonly id: number
  readonly product_uom_id: Unit
  readonly invoice_lines: readonly L[]
}

/** A sum over lines of invoices: those of credit notes take off. */
export const sumInvoiced = <L extends InvoiceLine>(lines: readonly L[], of: (line: L) => number): number =>
  lines.reduce(
    (total, line) => addDecimals(total, (line.move_id.move_type.endsWith('_refund') ? -1 : 1) * of(line)),
    0,
  )

/** Lines of posted documents. */
export const posted = <L extends InvoiceLine>(lines: readonly L[]): L[] =>
  lines.filter((line) => line.parent_state === 'posted')

/** Quantities by order line: of all documents that are not cancelled, and of posted ones. */
export async function invoicedQuantities<L extends InvoiceLine>(
  env: Environment,
  lines: readonly OrderLine<L>[],
): Promise<Map<number, { readonly all: number; readonly posted: number }>> {
  const factors = await factorsOf(
    env,
    lines.filter((line) => line.invoice_lines.length > 0),
  )
  return new Map(
    lines.map((line) => {
      if (line.invoice_lines.length === 0) return [line.id, { all: 0, posted: 0 }]
      const factor = factors.get(line.product_uom_id?.id ?? 0) ?? 1
      const quantity = (invoiced: L) =>
        asDecimal((invoiced.quantity * (factors.get(invoiced.product_uom_id?.id ?? 0) ?? factor)) / factor)
      const alive = line.invoice_lines.filter((invoiced) => invoiced.parent_state !== 'cancel')
      return [line.id, { all: sumInvoiced(alive, quantity), posted: sumInvoiced(posted(alive), quantity) }]
    }),
  )
}

/** Factors of the units of lines that were invoiced, and of their invoices. */
async function factorsOf(
  env: Environment,
  lines: readonly OrderLine<InvoiceLine>[],
): Promise<Map<number, number>> {
  const units = new Set(
    lines.flatMap((line) =>
      [line, ...line.invoice_lines].flatMap(({ product_uom_id: unit }) => unit?.id ?? []),
    ),
  )
  if (units.size === 0) return new Map()
  const rows = await env
    .sudo()
    .model('uom.uom')
    .browse([...units])
    .load(['factor'])
  return new Map(rows.map((row) => [row.id, row.factor]))
}
