// The cost of goods that orders without an invoice sold and took back: items of the entry that closes their
// session, and of the entry that takes an order out of it.
import type { Vals } from '#models'
import { present } from '../../../kit/present.ts'
import { addDecimals, roundHalfUp } from '../../../kit/rounding.ts'
import { idList, sql } from '../../../sql/index.ts'
import { type GoodsSold, type SalesCost, sides } from '../../account/index.ts'
import type { Desk } from './context.ts'

/** Costs of the goods of orders, by order; a few statements, however many orders. */
export async function costsOf(
  { env }: Desk,
  orders: readonly number[],
): Promise<ReadonlyMap<number, readonly SalesCost[]>> {
  const rows = await env.rows(
    sql`SELECT g."order", g.product, g.quantity, g.position, to_jsonb(ARRAY(
      SELECT m.id FROM stock_picking k JOIN stock_move m ON m.picking_id = k.id JOIN stock_location d ON d.id = m.location_dest_id
      WHERE (k.pos_order_id = g."order" OR k.pos_session_id = g.session AND k.pos_order_id IS NULL)
        AND m.product_id = g.product AND m.state = 'done' AND (d.usage NOT IN ('internal', 'transit')) = (g.quantity > 0)
      ORDER BY m.date, m.id))::text
    FROM (SELECT o.id AS "order", o.session_id AS session, o.fiscal_position_id AS position, l.product_id AS product,
        sum(l.qty)::float8 AS quantity, min(l.id) AS line
      FROM pos_order o JOIN pos_order_line l ON l.order_id = o.id
      WHERE o.id = ANY(${idList(orders)}) AND l.qty <> 0 GROUP BY o.id, l.product_id, l.qty > 0) AS g ORDER BY g.line`,
    {
      reads: ['pos.order', 'pos.order.line', 'stock.picking', 'stock.move', 'stock.location'],
      row: ['int', 'int', 'float', 'int?', 'text'],
    },
  )
  const sales = rows.map(
    ([, product, quantity, fiscalPosition, moves]): GoodsSold => ({
      product,
      quantity,
      fiscalPosition,
      moves: JSON.parse(moves) as number[],
    }),
  )
  const costs = (await env
    .model('account.move.line')
    .invoke('cost_of_sales', { sales })) as readonly (SalesCost | null)[]
  const byOrder = new Map<number, SalesCost[]>()
  for (const [i, cost] of costs.entries()) {
    const [order] = present(rows[i])
    if (cost) byOrder.set(order, [...(byOrder.get(order) ?? []), cost])
  }
  return byOrder
}

/** Two items for each pair of accounts, in the direction of `sign`: 1 books costs, -1 takes them back. */
export function costVals(
  costs: readonly SalesCost[],
  sign: 1 | -1,
  { currency, rounding, foreign }: Desk,
): Vals<'account.move.line'>[] {
  const pairs = Map.groupBy(costs, ({ expense, valuation }) => `${expense}/${valuation}`)
  return [...pairs.values()].flatMap((same) => {
    const { expense, valuation } = present(same[0])
    const cost = same.reduce((sum, one) => addDecimals(sum, sign * one.cost), 0)
    const item = (account_id: number, balance: number): Vals<'account.move.line'> => ({
      name: 'Cost of Goods Sold',
      account_id,
      currency_id: currency,
      display_type: 'cogs',
      quantity: 0,
      balance,
      amount_currency: roundHalfUp(foreign(balance), rounding),
      ...sides(balance),
    })
    return cost === 0 ? [] : [item(expense, cost), item(valuation, -cost)]
  })
}
