// What requests for quotation will bring for reordering rules: not expected by the stock yet, and not to be
// bought a second time.
import type { Environment } from '#models'
import { addDecimals } from '../../kit/rounding.ts'

/** Quantities in the products' own units, by reordering rule. */
export async function inProgress(
  env: Environment,
  orderpoints: readonly number[],
): Promise<Map<number, number>> {
  if (orderpoints.length === 0) return new Map()
  const lines = await env
    .sudo()
    .model('purchase.order.line')
    .search([
      ['orderpoint_id', 'in', [...new Set(orderpoints)]],
      ['state', 'in', ['draft', 'sent', 'to approve']],
    ])
  const sums = new Map<number, number>()
  for (const one of await lines.load(['orderpoint_id', 'product_uom_qty'])) {
    const id = one.orderpoint_id?.id ?? 0
    sums.set(id, addDecimals(sums.get(id) ?? 0, one.product_uom_qty))
  }
  return sums
}
