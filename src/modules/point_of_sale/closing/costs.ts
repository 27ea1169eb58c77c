// The cost of goods that orders without an invoice sold and took back: items of the entry that closes their
// session, and of the entry that takes an order out of it.
import type { Vals } from '#models'
import { present } from '../../../kit/present.ts'
import { addDecimals, roundHalfUp } from '../../../kit/rounding.ts'
import { idList, sql } from '../../../sql/index.ts'
import type { GoodsSold, SalesCost } from '../../account/index.ts'
import type { Desk } from './context.ts'

/**
 * Done moves of the goods of `sold`, which has "order", session, product, leaves and line. Goods that moved
 * when the session closed moved for all its orders together: their moves have no order.
 */
export const movedGoods = sql`moved AS (
  SELECT k.pos_order_id AS "order", k.pos_session_id AS session, m.product_id AS product,
    d.usage NOT IN ('internal', 'transit') AS leaves, jsonb_agg(m.id ORDER BY m.date, m.id) AS moves
  FROM stock_picking k JOIN stock_move m ON m.picking_id = k.id JOIN stock_location d ON d.id = m.location_dest_id
  WHERE k.pos_session_id IN (SELECT session FROM sold)
    AND (k.pos_order_id IS NULL OR k.pos_order_id IN (SELECT "order" FROM sold))
    AND m.state = 'done' GROUP BY 1, 2, 3, 4)`

/** The moves of a row of `sold`, as JSON, and the tables that give them. */
export const movesOfGoods = sql`(COALESCE(a.moves, '[]') || COALESCE(b.moves, '[]'))::text FROM sold s
  LEFT JOIN moved a ON a."order" = s."order" AND a.product = s.product AND a.leaves = s.leaves
  LEFT JOIN moved b ON b."order" IS NULL AND b.session = s.session AND b.product = s.product AND b.leaves = s.leaves
  ORDER BY s.line`

/** Costs of the goods of orders, by order; a few statements, however many orders. */
export async function costsOf(
  { env }: Desk,
  orders: readonly number[],
): Promise<ReadonlyMap<number, readonly SalesCost[]>> {
  const rows = await env.rows(
    sql`WITH sold AS (
      SELECT o.id AS "order", o.session_id AS session, o.fiscal_position_id AS position, l.product_id AS product,
        l.qty > 0 AS leaves, l.qty::float8 AS quantity, l.id AS line
      FROM pos_order o JOIN pos_order_line l ON l.order_id = o.id
      WHERE o.id = ANY(${idList(orders)}) AND l.qty <> 0),
    ${movedGoods}
    SELECT s."order", s.product, s.quantity, s.position, ${movesOfGoods}`,
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

/**
 * Two items for each pair of accounts, in the direction of `sign`: 1 books costs, -1 takes them back. Costs
 * below nothing are of goods that came back.
 */
export function costVals(
  costs: readonly SalesCost[],
  sign: 1 | -1,
  { currency, rounding, foreign, usesStorno }: Desk,
): Vals<'account.move.line'>[] {
  const pairs = Map.groupBy(costs, ({ expense, valuation }) => `${expense}/${valuation}`)
  return [...pairs.values()].flatMap((same) => {
    const { expense, valuation } = present(same[0])
    const cost = same.reduce((sum, row) => addDecimals(sum, sign * row.cost), 0)
    // Each line is rounded by itself, as on an invoice.
    const inCurrency = same.reduce(
      (sum, row) => addDecimals(sum, roundHalfUp(foreign(sign * row.cost), rounding)),
      0,
    )
    const item = (account_id: number, balance: number, amount: number): Vals<'account.move.line'> => ({
      name: 'Cost of Goods Sold',
      account_id,
      currency_id: currency,
      display_type: 'cogs',
      quantity: 0,
      balance,
      amount_currency: amount,
      ...(usesStorno && cost < 0 && { is_storno: true }),
    })
    return cost === 0 ? [] : [item(expense, cost, inCurrency), item(valuation, -cost, -inCurrency + 0)]
  })
}
