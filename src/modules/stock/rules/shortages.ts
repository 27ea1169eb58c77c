// Reports goods that fall below their minimum: once, at the end of the call that took them away.
import { CommitNotes } from '#engine'
import type { Environment } from '#models'
import { sql } from '../../../sql/index.ts'

/** Change of a product's quantity in a place. */
interface Moved {
  readonly product: number
  readonly location: number
  readonly quantity: number
}

/** Movements of a call that wait for its end. */
const moved = new CommitNotes<readonly Moved[]>()

/** Notes what changes in the ledger; before COMMIT one statement finds the rules that fell below. */
export function watchMinimums(env: Environment, changes: readonly Moved[]): void {
  const { unit } = env
  const relevant = changes
    .filter(({ quantity }) => quantity !== 0)
    .map(({ product, location, quantity }) => ({ product, location, quantity }))
  if (!unit.changes || relevant.length === 0) return
  moved.add(unit, relevant, (lists) => notifyShortages(env, lists.flat()))
}

async function notifyShortages(env: Environment, rows: readonly Moved[]): Promise<void> {
  if (rows.every(({ quantity }) => quantity > 0)) return
  const fallen = await env.rows(
    sql`WITH moved AS (
      SELECT x.product, l.parent_path AS path, x.quantity
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS x(product int, location int, quantity numeric)
      JOIN stock_location l ON l.id = x.location)
    SELECT p.id FROM stock_warehouse_orderpoint p
    JOIN stock_location root ON root.id = p.location_id
    CROSS JOIN LATERAL (SELECT COALESCE(sum(m.quantity), 0) AS quantity FROM moved m
      WHERE m.product = p.product_id AND starts_with(m.path, root.parent_path)) AS change
    CROSS JOIN LATERAL (SELECT COALESCE(sum(q.quantity), 0) AS quantity FROM stock_quant q
      JOIN stock_location l ON l.id = q.location_id
      WHERE q.product_id = p.product_id AND starts_with(l.parent_path, root.parent_path)) AS held
    WHERE p.active AND p.product_id IN (SELECT product FROM moved)
      AND held.quantity < p.product_min_qty AND held.quantity - change.quantity >= p.product_min_qty`,
    { reads: ['stock.location', 'stock.warehouse.orderpoint', 'stock.quant'], row: ['int'] },
  )
  const ids = fallen.map((row) => row[0])
  env.model('stock.warehouse.orderpoint').browse(ids).emit('below_minimum')
}
