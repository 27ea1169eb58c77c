// Shortages: forecasts of products in places, and quantities to order for them.
import type { Environment } from '#models'
import { sql } from '../../../sql/index.ts'
import { convertQuantity, type UnitFactor } from '../../uom/index.ts'
import { flushMoves } from '../products/quantities.ts'
import { settled } from '../quants/ledger.ts'

export interface Point {
  readonly product: number
  readonly location: number
}

export interface Forecast {
  readonly onHand: number
  readonly forecast: number
}

/** On hand and forecast of products at or below places, by `product/location`, in one statement. */
export async function forecastsOf(
  env: Environment,
  points: readonly Point[],
): Promise<Map<string, Forecast>> {
  if (points.length === 0) return new Map()
  await flushMoves(env)
  const rows = await env.rows(
    sql`WITH asked AS (SELECT DISTINCT x.product, x.location, root.parent_path
      FROM jsonb_to_recordset(${JSON.stringify(points)}::jsonb) AS x(product int, location int) JOIN stock_location root ON root.id = x.location),
    held AS (SELECT a.product, a.location, sum(q.quantity) AS quantity FROM asked a JOIN stock_quant q ON q.product_id = a.product
      JOIN stock_location l ON l.id = q.location_id AND starts_with(l.parent_path, a.parent_path) GROUP BY 1, 2),
    moving AS (SELECT a.product, a.location, sum(CASE WHEN starts_with(d.parent_path, a.parent_path) THEN m.product_qty ELSE 0 END
        - CASE WHEN starts_with(s.parent_path, a.parent_path) THEN m.product_qty ELSE 0 END) AS quantity
      FROM asked a JOIN stock_move m ON m.product_id = a.product AND m.state IN ('waiting', 'confirmed', 'assigned', 'partially_available')
      JOIN stock_location s ON s.id = m.location_id JOIN stock_location d ON d.id = m.location_dest_id GROUP BY 1, 2)
    SELECT a.product, a.location, COALESCE(h.quantity, 0)::float8, (COALESCE(h.quantity, 0) + COALESCE(m.quantity, 0))::float8
    FROM asked a LEFT JOIN held h ON h.product = a.product AND h.location = a.location
      LEFT JOIN moving m ON m.product = a.product AND m.location = a.location`,
    { reads: ['stock.location', 'stock.quant', 'stock.move'], row: ['int', 'int', 'float', 'float'] },
  )
  return new Map(rows.map((row) => [`${row[0]}/${row[1]}`, { onHand: row[2], forecast: row[3] }]))
}

/** Paths of a rule that `toOrder` reads. */
export const SIZES = [
  'product_min_qty',
  'product_max_qty',
  'qty_multiple',
  'replenishment_uom_id.factor',
  'product_uom.factor',
] as const

interface Sizes {
  readonly product_min_qty: number
  readonly product_max_qty: number
  readonly qty_multiple: number
  readonly replenishment_uom_id: UnitFactor | null
  readonly product_uom: UnitFactor | null
}

/**
 * Quantity to order: up to the maximum if the forecast is below the minimum, in whole ones of the unit that
 * goods are ordered in, or else in whole multiples.
 */
export function toOrder(forecast: number, sizes: Sizes): number {
  const { product_min_qty: min, product_max_qty: max, replenishment_uom_id: ordered } = sizes
  if (forecast >= min) return 0
  const missing = settled(Math.max(min, max) - forecast)
  const unit = sizes.product_uom
  const whole = ordered && unit ? convertQuantity(1, ordered, unit, 'none') : sizes.qty_multiple
  return whole > 0 ? settled(Math.ceil(settled(missing / whole)) * whole) : missing
}
