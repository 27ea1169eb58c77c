// Cancelled orders: received goods stay (recorded); open receipts are cancelled, and moves that wait for
// the goods are cancelled too or take them from stock.
import type { Records } from '#models'
import { assignMoves, cancelMoves } from '../stock/index.ts'

type Orders = Records<'purchase.order'>

/**
 * Cancels open receipts. Moves that wait for the goods are cancelled too, or take them from stock, as the
 * lines say.
 */
export async function cancelReceipts(orders: Orders): Promise<void> {
  const { env } = orders.sudo()
  const lines = await env.model('purchase.order.line').search([['order_id', 'in', orders.ids]])
  const rows = await lines.load(['propagate_cancel', 'move_ids.state', 'move_dest_ids.state'])
  const open = <M extends { readonly id: number; readonly state: string | null }>(moves: readonly M[]) =>
    moves.filter((move) => move.state !== 'done' && move.state !== 'cancel').map(({ id }) => id)
  const receipts = rows.flatMap((row) => open(row.move_ids))
  const waiting = rows.filter((row) => !row.propagate_cancel).flatMap((row) => open(row.move_dest_ids))
  const lost = rows.filter((row) => row.propagate_cancel).flatMap((row) => open(row.move_dest_ids))
  if (waiting.length)
    await env
      .model('stock.move')
      .browse(waiting)
      .write({ procure_method: 'make_to_stock', move_orig_ids: [[5, 0, 0]] })
  if (receipts.length + lost.length) await cancelMoves(env, [...new Set([...receipts, ...lost])])
  if (waiting.length) await assignMoves(env, waiting)
}
