// Reservations that lost their goods to moves done beyond the free quantity, or corrected: they are released,
// the last ones first, and reserved again from elsewhere.
import type { Environment } from '#models'
import { sql } from '../../../sql/index.ts'
import { type Held, type QuantChange, settled } from '../quants/ledger.ts'
import { assignMoves, quantityOn } from './assign.ts'
import { asEngineWrite } from './engine-writes.ts'
import type { LineVals } from './load.ts'
import { refreshStates } from './states.ts'

/**
 * Lowers reservations whose goods were taken from these places. Picked quantities stay: someone holds those
 * goods.
 */
export async function freeOverdrawn(env: Environment, taken: readonly Taken[]): Promise<void> {
  if (taken.length === 0) return
  const pairs = JSON.stringify(taken.map(({ product, location }) => ({ product, location })))
  const rows = await env.rows(
    sql`SELECT l.id, q.id, (q.reserved_quantity - GREATEST(q.quantity, 0))::float8, COALESCE(l.quantity_product_uom, 0)::float8
    FROM stock_quant q JOIN stock_location place ON place.id = q.location_id AND place.usage IN ('internal', 'transit')
      JOIN stock_move_line l ON l.product_id = q.product_id AND l.location_id = q.location_id
        AND COALESCE(l.lot_id, 0) = COALESCE(q.lot_id, 0) AND COALESCE(l.package_id, 0) = COALESCE(q.package_id, 0)
        AND COALESCE(l.owner_id, 0) = COALESCE(q.owner_id, 0)
    WHERE q.reserved_quantity > GREATEST(q.quantity, 0) AND l.state NOT IN ('done', 'cancel') AND l.picked IS NOT TRUE AND l.quantity > 0
      AND (q.product_id, q.location_id) IN (SELECT x.product, x.location FROM jsonb_to_recordset(${pairs}::jsonb) AS x(product int, location int))
    ORDER BY q.id, l.id DESC`,
    { reads: ['stock.quant', 'stock.location', 'stock.move.line'], row: ['int', 'int', 'float', 'float'] },
  )
  if (rows.length === 0) return
  const lacking = new Map<number, number>()
  const gone: number[] = []
  const lowered = new Map<number, number>()
  for (const [line, quant, lack, held] of rows) {
    const left = lacking.get(quant) ?? lack
    if (left <= 0) continue
    if (held <= left) gone.push(line)
    else lowered.set(line, settled(held - left))
    lacking.set(quant, settled(left - held))
  }
  const lines = env.model('stock.move.line')
  const touched = await lines
    .browse([...gone, ...lowered.keys()])
    .load(['move_id', 'product_uom_id.factor', 'product_id.product_tmpl_id.uom_id.factor'])
  const values = new Map<number, LineVals>()
  for (const line of touched) {
    const quantity = lowered.get(line.id)
    if (quantity !== undefined)
      values.set(line.id, quantityOn(quantity, line.product_id.product_tmpl_id.uom_id, line.product_uom_id))
  }
  const moves = touched.flatMap((line) => (line.move_id ? [line.move_id.id] : []))
  await asEngineWrite(env, async () => {
    if (gone.length) await lines.browse(gone).unlink()
    if (values.size) await lines.writeEach(values)
  })
  await refreshStates(env, moves)
  await assignMoves(env, moves)
}

/** Goods of a place that were taken. */
type Taken = Pick<QuantChange, 'product' | 'location'>

/** Whether changes reduce locked stock rows that have reservations. */
export function isOverdrawn(held: readonly Held[], changes: readonly QuantChange[]): boolean {
  const keyOf = (record: { product: number; location: number }) => `${record.product}/${record.location}`
  const reserved = new Set(held.filter((row) => row.reserved > 0).map(keyOf))
  return changes.some((change) => change.quantity < 0 && reserved.has(keyOf(change)))
}
