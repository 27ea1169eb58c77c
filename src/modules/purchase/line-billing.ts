// Received and billed quantities of a line, and the quantity to bill: the ordered or the received one,
// as the product says.
import { computed, computedFields } from '#models'
import { addDecimals } from '../../kit/rounding.ts'
import { invoicedQuantities } from '../account/index.ts'
import { line } from './line.contract.ts'

export const received = {
  qty_received_method: computed(line, ['display_type'], (one) =>
    one.display_type ? null : ('manual' as const),
  ),
  ...computedFields(
    line,
    ['qty_received'],
    ['qty_received_method', 'qty_received_manual'],
    (lines) =>
      new Map(
        lines.map((one) => [
          one.id,
          { qty_received: one.qty_received_method === 'manual' ? one.qty_received_manual : 0 },
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
    return new Map(lines.map((one) => [one.id, { qty_invoiced: quantities.get(one.id)?.all ?? 0 }]))
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
        lines.flatMap((one) => (one.state === 'purchase' && one.product_id ? [one.product_id.id] : [])),
      ),
    ]
    const products = await env
      .sudo()
      .model('product.product')
      .browse(ids)
      .load(['product_tmpl_id.purchase_method'])
    const policies = new Map(products.map((one) => [one.id, one.product_tmpl_id.purchase_method]))
    return new Map(
      lines.map((one) => {
        if (one.state !== 'purchase' || one.display_type) return [one.id, { qty_to_invoice: 0 }]
        const due = policies.get(one.product_id?.id ?? 0) === 'receive' ? one.qty_received : one.product_qty
        return [one.id, { qty_to_invoice: addDecimals(due, -one.qty_invoiced) }]
      }),
    )
  },
)
