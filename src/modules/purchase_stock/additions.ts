// Products that somebody added to a receipt, or to a return of one: they appear on the order as received,
// with nothing ordered, at the price that the vendor asks.
import type { Environment, Vals } from '#models'
import { type Addition, joinLines } from '../stock/index.ts'

const paths = [
  'product_id',
  'product_uom',
  'to_refund',
  'scrap_id',
  'location_id.usage',
  'location_dest_id.usage',
  'picking_id.purchase_id',
] as const

/** Paths that the engine of moves has read before: the others are read only where vendors send or get goods. */
const placePaths = ['location_id.usage', 'location_dest_id.usage'] as const

/** Gives moves that are being done, and that no line asked for, their lines: called before they are done. */
export async function joinOrders(env: Environment, ids: readonly number[]): Promise<void> {
  const moves = env.sudo().model('stock.move')
  const bought = (await moves.browse([...ids]).load([...placePaths])).filter((move) =>
    [move.location_id.usage, move.location_dest_id.usage].includes('supplier'),
  )
  const rows = await moves.browse(bought.map(({ id }) => id)).load(['purchase_line_id'])
  const loose = rows.flatMap((move) => (move.purchase_line_id ? [] : [move.id]))
  if (loose.length === 0) return
  const additions = (await moves.browse(loose).load([...paths])).flatMap((move): Addition[] => {
    const order = move.picking_id?.purchase_id
    const comes = move.location_id.usage === 'supplier'
    const goesBack = move.location_dest_id.usage === 'supplier' && move.to_refund
    if (!order || move.scrap_id || comes === goesBack) return []
    return [{ move: move.id, order: order.id, product: move.product_id.id, unit: move.product_uom.id }]
  })
  if (additions.length === 0) return
  const lines = await linesOf(env, additions)
  const joined = await joinLines(additions, lines, (missing) => addLines(env, missing))
  await moves.writeEach(
    new Map(
      [...joined].map(([move, line]) => [move, { purchase_line_id: line } satisfies Vals<'stock.move'>]),
    ),
  )
}

async function linesOf(env: Environment, additions: readonly Addition[]) {
  const lines = await env
    .sudo()
    .model('purchase.order.line')
    .search([
      ['order_id', 'in', [...new Set(additions.map((addition) => addition.order))]],
      ['product_id', 'in', [...new Set(additions.map((addition) => addition.product))]],
      ['is_downpayment', '=', false],
    ])
  return lines.load(['order_id', 'product_id'])
}

async function addLines(env: Environment, missing: readonly Addition[]): Promise<readonly number[]> {
  const lines = await env
    .sudo()
    .model('purchase.order.line')
    .create(
      missing.map(({ order, product, unit }) => ({
        order_id: order,
        product_id: product,
        product_uom_id: unit,
        product_qty: 0,
      })),
    )
  return lines.ids
}
