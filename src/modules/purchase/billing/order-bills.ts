// Bills of orders: all that have a line for one of theirs.
import { computedTogether, type Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { order } from '../order.contract.ts'

async function billsOf(
  env: Environment,
  orders: readonly { readonly id: number }[],
): Promise<Map<number, number[]>> {
  const rows = await env.rows(
    sql`SELECT o, array_agg(m ORDER BY d DESC, n DESC NULLS FIRST, m DESC) FROM (
      SELECT DISTINCT p.order_id AS o, m.id AS m, m.date AS d, m.name AS n FROM purchase_order_line p
      JOIN account_move_line l ON l.purchase_line_id = p.id JOIN account_move m ON m.id = l.move_id
      WHERE p.order_id = ANY(${idList(orders.map(({ id }) => id))})) AS x GROUP BY o`,
    { reads: ['purchase.order.line', 'account.move.line', 'account.move'], row: ['int', 'ints'] },
  )
  const countById = new Map(rows.map((row) => [row[0], row[1]]))
  return new Map(orders.map(({ id }) => [id, countById.get(id) ?? []]))
}

export const orderBills = {
  invoice_ids: computedTogether(order, [], async (orders, env) => billsOf(env, orders), {
    search: (operator, value) => [['order_line.invoice_lines.move_id', operator, value]],
  }),
  invoice_count: computedTogether(
    order,
    [],
    async (orders, env) => new Map([...(await billsOf(env, orders))].map(([id, ids]) => [id, ids.length])),
  ),
}
