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

/** What the engine of moves read already: the rest is asked for where vendors send or get goods. */
const placePaths = ['location_id.usage', 'location_dest_id.usage'] as const

/** Gives moves that are being done, and that no line asked for, their lines: called before they are done. */
export async function joinOrders(env: Environment, ids: readonly number[]): Promise<void> {
  const moves = env.sudo().model('stock.move')
  const bought = (await moves.browse([...ids]).load([...placePaths])).filter((one) =>
    [one.location_id.usage, one.location_dest_id.usage].includes('supplier'),
  )
  const rows = await moves.browse(bought.map(({ id }) => id)).load(['purchase_line_id'])
  const loose = rows.flatMap((one) => (one.purchase_line_id ? [] : [one.id]))
  if (loose.length === 0) return
  const additions = (await moves.browse(loose).load([...paths])).flatMap((one): Addition[] => {
    const order = one.picking_id?.purchase_id
    const comes = one.location_id.usage === 'supplier'
    const goesBack = one.location_dest_id.usage === 'supplier' && one.to_refund
    if (!order || one.scrap_id || comes === goesBack) return []
    return [{ move: one.id, order: order.id, product: one.product_id.id, unit: one.product_uom.id }]
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
  const found = await env
    .sudo()
    .model('purchase.order.line')
    .search([
      ['order_id', 'in', [...new Set(additions.map((one) => one.order))]],
      ['product_id', 'in', [...new Set(additions.map((one) => one.product))]],
      ['is_downpayment', '=', false],
    ])
  return found.load(['order_id', 'product_id'])
}

async function addLines(env: Environment, missing: readonly Addition[]): Promise<readonly number[]> {
  const made = await env
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
  return made.ids
}
