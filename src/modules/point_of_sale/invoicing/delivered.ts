// The moves of goods that invoices of till orders are for: an invoice costs what closing would have booked.
import { extend, implement, type Records } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import type { DeliveredGoods } from '../../account/index.ts'
import { movedGoods, movesOfGoods } from '../closing/costs.ts'

const line = extend('account.move.line', { fields: {} })

async function deliveredGoods({ env, ids }: Records<'account.move.line'>) {
  const rows = await env.rows(
    sql`WITH sold AS (
      SELECT o.id AS "order", o.session_id AS session, l.product_id AS product, l.id AS line,
        (l.quantity > 0) = (m.move_type <> 'out_refund') AS leaves, abs(l.quantity)::float8 AS quantity
      FROM account_move_line l JOIN account_move m ON m.id = l.move_id JOIN pos_order o ON o.account_move = m.id
      WHERE l.id = ANY(${idList(ids)}) AND l.product_id IS NOT NULL),
    ${movedGoods}
    SELECT s.line, s.leaves, s.quantity, ${movesOfGoods}`,
    {
      reads: [
        'account.move',
        'account.move.line',
        'pos.order',
        'stock.picking',
        'stock.move',
        'stock.location',
      ],
      row: ['int', 'bool', 'float', 'text'],
    },
  )
  return new Map(
    rows.map(([id, leaves, quantity, moves]): [number, DeliveredGoods] => [
      id,
      // Goods that come back are taken from the start of their moves too: they end where nothing was
      // invoiced.
      {
        origin: `till/${id}`,
        moves: JSON.parse(moves) as number[],
        returns: [],
        invoiced: leaves ? 0 : quantity,
        documents: [],
      },
    ]),
  )
}

export default implement(line, {
  wrap: {
    delivered_goods: (next) => async (lines, params) =>
      new Map([...(await deliveredGoods(lines)), ...(await next(lines, params))]),
  },
})
