// Products that somebody added to a delivery, or to a return of one: they appear on the order as delivered,
// with nothing ordered.
import type { Environment, Vals } from '#models'
import { present } from '../../kit/present.ts'
import { type Addition, joinLines } from '../stock/index.ts'
import { directionOf } from './delivered.ts'

const paths = [
  'product_id',
  'product_uom',
  'to_refund',
  'scrap_id',
  'origin_returned_move_id',
  'location_id.usage',
  'location_dest_id.usage',
  'picking_id.sale_id',
] as const

/** Paths that the engine of moves has read before: the others are read only where customers get or return goods. */
const placePaths = ['location_id.usage', 'location_dest_id.usage'] as const

/** Gives moves that are being done, and that no line asked for, their lines: called before they are done. */
export async function joinOrders(env: Environment, ids: readonly number[]): Promise<void> {
  const moves = env.sudo().model('stock.move')
  const sold = (await moves.browse([...ids]).load([...placePaths])).filter((move) =>
    [move.location_id.usage, move.location_dest_id.usage].includes('customer'),
  )
  const rows = await moves.browse(sold.map(({ id }) => id)).load(['sale_line_id'])
  const loose = rows.flatMap((move) => (move.sale_line_id ? [] : [move.id]))
  if (loose.length === 0) return
  const additions = (await moves.browse(loose).load([...paths])).flatMap((move): Addition[] => {
    const order = move.picking_id?.sale_id
    if (!order || directionOf(move) === 0) return []
    return [{ move: move.id, order: order.id, product: move.product_id.id, unit: move.product_uom.id }]
  })
  if (additions.length === 0) return
  const lines = await linesOf(env, additions)
  const joined = await joinLines(additions, lines, (missing) => addLines(env, missing))
  await moves.writeEach(
    new Map([...joined].map(([move, line]) => [move, { sale_line_id: line } satisfies Vals<'stock.move'>])),
  )
}

async function linesOf(env: Environment, additions: readonly Addition[]) {
  const lines = await env
    .sudo()
    .model('sale.order.line')
    .search([
      ['order_id', 'in', [...new Set(additions.map((addition) => addition.order))]],
      ['product_id', 'in', [...new Set(additions.map((addition) => addition.product))]],
      ['is_downpayment', '=', false],
      ['is_expense', '=', false],
    ])
  return lines.load(['order_id', 'product_id'])
}

/**
 * Goods that are invoiced as delivered are charged at their price; goods that are invoiced as ordered cost
 * nothing until somebody orders them.
 */
async function addLines(env: Environment, missing: readonly Addition[]): Promise<readonly number[]> {
  const su = env.sudo()
  const products = await su
    .model('product.product')
    .browse([...new Set(missing.map((row) => row.product))])
    .load(['product_tmpl_id.invoice_policy'])
  const policies = new Map(products.map((product) => [product.id, product.product_tmpl_id.invoice_policy]))
  const lines = await su.model('sale.order.line').create(
    missing.map(({ order, product, unit }) => ({
      order_id: order,
      product_id: product,
      product_uom_id: unit,
      product_uom_qty: 0,
      ...(present(policies.get(product)) === 'delivery' ? {} : { price_unit: 0, technical_price_unit: 0 }),
    })),
  )
  return lines.ids
}
