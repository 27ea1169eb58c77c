// Value of the goods of products in the current company: now from the balances, at a date from the moves
// and changes up to then.
import type { Environment } from '#models'
import { isDate, isMoment } from '../../kit/dates.ts'
import { idList, sql } from '../../sql/index.ts'

export interface Worth {
  readonly quantity: number
  readonly value: number
}

/** By product, in one statement; nothing for products that were never there. */
export async function worthOf(env: Environment, products: readonly number[]): Promise<Map<number, Worth>> {
  const { to_date: until } = env.context
  const moment =
    typeof until !== 'string' ? null : isMoment(until) ? until : isDate(until) ? `${until} 23:59:59` : null
  const rows = moment === null ? await now(env, products) : await then(env, products, moment)
  return new Map(rows.map((row) => [row[0], { quantity: row[1], value: row[2] }]))
}

const now = (env: Environment, products: readonly number[]) =>
  env.rows(
    sql`SELECT p.id, COALESCE((SELECT sum(q.quantity) FROM stock_quant q JOIN stock_location l ON l.id = q.location_id
      WHERE q.product_id = p.id AND q.owner_id IS NULL AND l.company_id = ${env.companyId}::int AND l.usage IN ('internal', 'transit')), 0)::float8,
    COALESCE((SELECT b.value FROM comptoir_stock_balance b WHERE b.product_id = p.id AND b.company_id = ${env.companyId}::int), 0)::float8
    FROM unnest(${idList(products)}) AS p(id)`,
    { reads: ['stock.quant', 'stock.location', 'comptoir.stock.balance'], row: ['int', 'float', 'float'] },
  )

const then = (env: Environment, products: readonly number[], moment: string) =>
  env.rows(
    sql`SELECT p.id, COALESCE(sum(m.sign * m.quantity), 0)::float8,
    (COALESCE(sum(m.change), 0) + COALESCE((SELECT sum(v.delta) FROM product_value v
      WHERE v.product_id = p.id AND v.company_id = ${env.companyId}::int AND v.date <= ${moment}::timestamp), 0))::float8
    FROM unnest(${idList(products)}) AS p(id)
    LEFT JOIN LATERAL (SELECT g.sign, o.valued_qty AS quantity, COALESCE(o.value_change, g.sign * o.value) AS change
      FROM stock_move o JOIN stock_location s ON s.id = o.location_id JOIN stock_location d ON d.id = o.location_dest_id
      CROSS JOIN LATERAL (SELECT (d.usage IN ('internal', 'transit'))::int - (s.usage IN ('internal', 'transit'))::int AS sign) g
      WHERE o.product_id = p.id AND o.company_id = ${env.companyId}::int AND o.state = 'done' AND (o.valued_qty <> 0 OR o.value_change <> 0) AND o.date <= ${moment}::timestamp) m ON true
    GROUP BY p.id`,
    { reads: ['product.value', 'stock.move', 'stock.location'], row: ['int', 'float', 'float'] },
  )
