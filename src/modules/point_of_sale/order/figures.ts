// What orders show that follows from others: invoices, refunds, margins.
import { computed, computedFields } from '#models'
import { addDecimals } from '../../../kit/rounding.ts'
import { idList, sql } from '../../../sql/index.ts'
import { order } from './contract.ts'

const refunds = computedFields(
  order,
  ['refund_orders_count', 'has_refundable_lines'],
  ['lines.qty'],
  async (orders, env) => {
    const rows = await env.rows(
      sql`SELECT l.order_id, count(DISTINCT r.order_id)::int, bool_or(l.qty > COALESCE(r.back, 0))
      FROM pos_order_line l LEFT JOIN LATERAL (
        SELECT x.order_id, sum(-x.qty) OVER () AS back FROM pos_order_line x JOIN pos_order o ON o.id = x.order_id
        WHERE x.refunded_orderline_id = l.id AND o.state <> 'cancel') r ON TRUE
      WHERE l.order_id = ANY(${idList(orders.map(({ id }) => id))}) GROUP BY 1`,
      { reads: ['pos.order.line', 'pos.order'], row: ['int', 'int?', 'bool?'] },
    )
    const found = new Map(
      rows.map((row) => [row[0], { refund_orders_count: row[1], has_refundable_lines: row[2] }]),
    )
    return new Map(
      orders.map(({ id }) => [id, found.get(id) ?? { refund_orders_count: 0, has_refundable_lines: false }]),
    )
  },
)

const margins = computedFields(
  order,
  ['margin', 'margin_percent', 'is_total_cost_computed'],
  ['lines.price_subtotal', 'lines.total_cost', 'lines.is_total_cost_computed'],
  (orders) =>
    new Map(
      orders.map(({ id, lines }) => {
        const untaxed = lines.reduce((total, one) => addDecimals(total, one.price_subtotal), 0)
        const margin = lines.reduce((total, one) => addDecimals(total, -one.total_cost), untaxed)
        const is_total_cost_computed = lines.every((one) => one.is_total_cost_computed)
        return [id, { margin, margin_percent: untaxed === 0 ? 0 : margin / untaxed, is_total_cost_computed }]
      }),
    ),
)

export const figures = {
  ...refunds,
  ...margins,
  is_invoiced: computed(order, ['account_move'], (one) => one.account_move !== null, {
    sql: (scope) => sql`(${scope.column('account_move')} IS NOT NULL)`,
  }),
  invoice_status: computed(
    order,
    ['account_move'],
    (one) => (one.account_move ? ('invoiced' as const) : ('to_invoice' as const)),
    {
      sql: (scope) =>
        sql`CASE WHEN ${scope.column('account_move')} IS NULL THEN 'to_invoice' ELSE 'invoiced' END`,
    },
  ),
}
