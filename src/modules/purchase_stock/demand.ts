// Demand that orders answer: quantities that left the places of companies lately.
import type { Environment } from '#models'
import { idList, sql } from '../../sql/index.ts'

/** Quantities that left in the past days, by product, in its unit. */
export async function demandOf(
  env: Environment,
  products: readonly number[],
  companies: readonly number[],
  days: number,
): Promise<Map<number, number>> {
  const rows = await env.rows(
    sql`SELECT m.product_id, sum(m.product_qty)::float8 FROM stock_move m
    JOIN stock_location s ON s.id = m.location_id AND s.usage IN ('internal', 'transit')
    JOIN stock_location d ON d.id = m.location_dest_id AND d.usage NOT IN ('internal', 'transit', 'inventory', 'supplier')
    WHERE m.product_id = ANY(${idList(products)}) AND m.state = 'done' AND m.company_id = ANY(${idList(companies)})
      AND m.date >= now() AT TIME ZONE 'UTC' - ${days}::int * interval '1 day' GROUP BY 1`,
    { reads: ['stock.move', 'stock.location'], row: ['int', 'float'] },
  )
  return new Map(rows.map((row) => [row[0], row[1]]))
}
