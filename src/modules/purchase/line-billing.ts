// Received and billed quantities of a line, and the quantity to bill: the ordered or the received one,
// as the product says.
import { computed, computedFields } from '#models'
import { addDecimals } from '../../kit/rounding.ts'
import { invoicedQuantities } from '../account/index.ts'
import { line } from './line.contract.ts'

export const received = {
  qty_received_method: computed(line, ['display_type'], (line) =>
    line.display_type ? null : ('manual' as const),
  ),
  ...computedFields(
    line,
    ['qty_received'],
    ['qty_received_method', 'qty_received_manual'],
    (lines) =>
      new Map(
        lines.map((line) => [
          line.id,
          { qty_received: line.qty_received_method === 'manual' ? line.qty_received_manual : 0 },
        ]),
      ),
    { editable: true },
  ),
}

export const billed = computedFields(
  line,
  ['qty_invoiced'],
  [
    'product_uom_id',
    'invoice_lines.quantity',
    'invoice_lines.parent_state',
    'invoice_lines.product_uom_id',
    'invoice_lines.move_id.move_type',
  ],
  async (lines, env) => {
    const quantities = await invoicedQuantities(env, lines)
    return new Map(lines.map((line) => [line.id, { qty_invoiced: quantities.get(line.id)?.all ?? 0 }]))
  },
)

/** A policy that changes later leaves confirmed orders as they are until something of them changes. */
export const toBill = computedFields(
  line,
  ['qty_to_invoice'],
  ['state', 'display_type', 'product_id', 'product_qty', 'qty_received', 'qty_invoiced'],
  async (lines, env) => {
    const ids = [
      ...new Set(
        lines.flatMap((line) => (line.state === 'purchase' && line.product_id ? [line.product_id.id] : [])),
      ),
    ]
    const products = await env
      .sudo()
      .model('product.product')
      .browse(ids)
      .load(['product_tmpl_id.purchase_method'])
    const policies = new Map(products.map((product) => [product.id, product.product_tmpl_id.purchase_method]))
    return new Map(
      lines.map((line) => {
        if (line.state !== 'purchase' || line.display_type) return [line.id, { qty_to_invoice: 0 }]
        const due =
          policies.get(line.product_id?.id ?? 0) === 'receive' ? line.qty_received : line.product_qty
        return [line.id, { qty_to_invoice: addDecimals(due, -line.qty_invoiced) }]
      }),
    )
  },
)
