// Reordering rules (stock.warehouse.orderpoint) know what requests for quotation will bring: it is not
// expected by the stock yet, and not to be bought a second time.
import { type Environment, extend, implement } from '#models'
import { addDecimals } from '../../kit/rounding.ts'

/** Quantities in the products' own units, by reordering rule. */
async function inProgress(env: Environment, orderpoints: readonly number[]): Promise<Map<number, number>> {
  if (orderpoints.length === 0) return new Map()
  const lines = await env
    .sudo()
    .model('purchase.order.line')
    .search([
      ['orderpoint_id', 'in', [...new Set(orderpoints)]],
      ['state', 'in', ['draft', 'sent', 'to approve']],
    ])
  const sums = new Map<number, number>()
  for (const line of await lines.load(['orderpoint_id', 'product_uom_qty'])) {
    const id = line.orderpoint_id?.id ?? 0
    sums.set(id, addDecimals(sums.get(id) ?? 0, line.product_uom_qty))
  }
  return sums
}

export default implement(extend('stock.warehouse.orderpoint', { fields: {} }), {
  wrap: {
    quantity_in_progress: (next) => async (points, params) => {
      const quantities = { ...(await next(points, params)) }
      for (const [id, quantity] of await inProgress(points.env, points.ids))
        quantities[id] = addDecimals(quantities[id] ?? 0, quantity)
      return quantities
    },
  },
})
