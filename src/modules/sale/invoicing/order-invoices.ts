// Invoices of orders: all that have a line for one of theirs.
import { computedTogether, type Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { order } from '../order.contract.ts'

async function invoicesOf(
  env: Environment,
  orders: readonly { readonly id: number }[],
): Promise<Map<number, number[]>> {
  const rows = await env.rows(
    sql`SELECT o, array_agg(m ORDER BY d DESC, n DESC NULLS FIRST, m DESC) FROM (
      SELECT DISTINCT s.order_id AS o, m.id AS m, m.date AS d, m.name AS n FROM sale_order_line s
      JOIN sale_order_line_invoice_rel r ON r.order_line_id = s.id JOIN account_move_line l ON l.id = r.invoice_line_id
      JOIN account_move m ON m.id = l.move_id AND m.move_type IN ('out_invoice', 'out_refund')
      WHERE s.order_id = ANY(${idList(orders.map(({ id }) => id))})) AS x GROUP BY o`,
    { reads: ['sale.order.line', 'account.move.line', 'account.move'], row: ['int', 'ints'] },
  )
  const countById = new Map(rows.map((row) => [row[0], row[1]]))
  return new Map(orders.map(({ id }) => [id, countById.get(id) ?? []]))
}

export const orderInvoices = {
  invoice_ids: computedTogether(order, [], async (orders, env) => invoicesOf(env, orders), {
    search: (operator, value) => [['order_line.invoice_lines.move_id', operator, value]],
  }),
  invoice_count: computedTogether(
    order,
    [],
    async (orders, env) => new Map([...(await invoicesOf(env, orders))].map(([id, ids]) => [id, ids.length])),
  ),
}
