// Computed fields of orders: invoices, refunds, margins.
import { computed, computedFields, type Scope } from '#models'
import { addDecimals, roundToScale } from '../../../kit/rounding.ts'
import { idList, sql } from '../../../sql/index.ts'
import { readBySql } from '../read-by-sql.ts'
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
    const figures = new Map(
      rows.map((row) => [row[0], { refund_orders_count: row[1], has_refundable_lines: row[2] }]),
    )
    return new Map(
      orders.map(({ id }) => [
        id,
        figures.get(id) ?? { refund_orders_count: 0, has_refundable_lines: false },
      ]),
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
        const untaxed = lines.reduce((total, line) => addDecimals(total, line.price_subtotal), 0)
        const margin = lines.reduce((total, line) => addDecimals(total, -line.total_cost), untaxed)
        const is_total_cost_computed = lines.every((line) => line.is_total_cost_computed)
        const margin_percent = untaxed === 0 ? 0 : roundToScale(margin / untaxed, 4)
        return [id, { margin, margin_percent, is_total_cost_computed }]
      }),
    ),
)

/** Values that a till gets with every order: read in the statement that reads its row. */
const figuresSql = {
  refund_orders_count: (scope: Scope) => sql`(SELECT count(DISTINCT x.order_id)::int ${takingBack(scope)})`,
  has_refundable_lines: (
    scope: Scope,
  ) => sql`EXISTS (SELECT FROM pos_order_line l WHERE l.order_id = ${scope.id}
    AND l.qty > COALESCE((SELECT sum(-x.qty) ${takingBack(scope)} AND x.refunded_orderline_id = l.id), 0))`,
  margin: (scope: Scope) => sql`COALESCE((SELECT ${marginOf} ${linesOf(scope)}), 0)`,
  margin_percent: (scope: Scope) =>
    sql`COALESCE((SELECT round(${marginOf} / NULLIF(sum(l.price_subtotal), 0), 4) ${linesOf(scope)}), 0)`,
  is_total_cost_computed: (scope: Scope) =>
    sql`COALESCE((SELECT bool_and(COALESCE(l.is_total_cost_computed, FALSE)) ${linesOf(scope)}), TRUE)`,
}

const marginOf = sql`sum(l.price_subtotal - COALESCE(l.total_cost, 0)::numeric)`
const linesOf = (scope: Scope) => sql`FROM pos_order_line l WHERE l.order_id = ${scope.id}`
const takingBack = (
  scope: Scope,
) => sql`FROM pos_order_line b JOIN pos_order_line x ON x.refunded_orderline_id = b.id
  JOIN pos_order o ON o.id = x.order_id WHERE o.state <> 'cancel' AND b.order_id = ${scope.id}`

export const figures = {
  ...readBySql({ ...refunds, ...margins }, figuresSql),
  access_url: computed(order, [], () => '#', { sql: () => sql`'#'::text` }),
  is_invoiced: computed(order, ['account_move'], (order) => order.account_move !== null, {
    sql: (scope) => sql`(${scope.column('account_move')} IS NOT NULL)`,
  }),
  invoice_status: computed(
    order,
    ['account_move'],
    (order) => (order.account_move ? ('invoiced' as const) : ('to_invoice' as const)),
    {
      sql: (scope) =>
        sql`CASE WHEN ${scope.column('account_move')} IS NULL THEN 'to_invoice' ELSE 'invoiced' END`,
    },
  ),
}
