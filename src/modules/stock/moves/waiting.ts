// Goods that arrive are reserved at once for moves that wait for them there.
import type { Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { assignMoves } from './assign.ts'

/** Moves that one arrival may serve: more wait for the scheduler. */
const MOST_SERVED = 1000

/**
 * Reserves for moves that wait for products in the very place that done moves brought them to: urgent ones
 * first, then as they were wanted.
 */
export async function reserveWaiting(env: Environment, done: readonly number[]): Promise<void> {
  if (done.length === 0) return
  const rows = await env.rows(
    sql`SELECT m.id FROM stock_move m
    WHERE (m.product_id, m.location_id) IN (SELECT d.product_id, d.location_dest_id FROM stock_move d WHERE d.id = ANY(${idList([...done])}))
      AND m.state IN ('confirmed', 'partially_available') AND m.procure_method = 'make_to_stock'
      AND m.reservation_date <= now() AT TIME ZONE 'UTC' AND m.product_qty > 0
    ORDER BY m.priority DESC NULLS LAST, m.reservation_date, m.date, m.id LIMIT ${MOST_SERVED}::int`,
    { reads: ['stock.move'], row: ['int'] },
  )
  if (rows.length)
    await assignMoves(
      env,
      rows.map((row) => row[0]),
    )
}
