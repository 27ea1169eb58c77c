// Quantities of returns: never more than was moved, less the returns before.
import type { Environment } from '#models'
import { UserError } from '../../../errors.ts'
import { idList, sql } from '../../../sql/index.ts'
import type { MoveRow } from './load.ts'

/**
 * Throws UserError where returns that are done come to more than the moves that they take back. A return may
 * be planned for more (recorded); goods that went out again by the return of a return may come back anew.
 */
export async function assertReturnable(env: Environment, done: readonly MoveRow[]): Promise<void> {
  const origins = [...new Set(done.flatMap((move) => move.origin_returned_move_id?.id ?? []))]
  if (origins.length === 0) return
  const rows = await env.rows(
    sql`WITH RECURSIVE back AS (
      SELECT m.id, m.origin_returned_move_id AS origin, 1 AS sign, m.quantity * u.factor AS moved
      FROM stock_move m JOIN uom_uom u ON u.id = m.product_uom
      WHERE m.origin_returned_move_id = ANY(${idList(origins)}) AND m.state = 'done'
      UNION ALL SELECT m.id, b.origin, -b.sign, m.quantity * u.factor
      FROM back b JOIN stock_move m ON m.origin_returned_move_id = b.id AND m.state = 'done'
      JOIN uom_uom u ON u.id = m.product_uom) CYCLE id SET is_cycle USING path
    SELECT o.product_id, o.quantity::float8, (sum(b.sign * b.moved) / u.factor)::float8
    FROM back b JOIN stock_move o ON o.id = b.origin JOIN uom_uom u ON u.id = o.product_uom
    WHERE NOT b.is_cycle GROUP BY o.id, u.factor ORDER BY o.id`,
    { reads: ['stock.move', 'uom.uom'], row: ['int', 'float', 'float'] },
  )
  // Quantities have two decimals; those in other units are off by less than half of the last one.
  const excess = rows.find(([, moved, back]) => back > moved + 0.005)
  if (!excess) return
  const [product, moved, back] = excess
  const { display_name } = await env.model('product.product').browse([product]).one(['display_name'])
  throw new UserError(
    `${display_name}: ${back} would have come back, but ${moved} were moved. Lower the quantity of the return, or ask a stock manager to validate it.`,
  )
}
