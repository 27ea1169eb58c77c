// Sales orders (sale.order): what tills brought of them, and what is still to be paid.
import { computed, computedTogether, extend, implement, integer, monetary, type Of, one2many } from '#models'
import { addDecimals } from '../../kit/rounding.ts'
import { idList, sql } from '../../sql/index.ts'

const order = extend('sale.order', {
  fields: {
    pos_order_line_ids: one2many('pos.order.line', 'sale_order_origin_id', {
      label: 'Order lines Transfered to Point of Sale',
    }),
    pos_order_count: integer({ label: 'Pos Order Count', computed: true }),
    amount_to_invoice: monetary(),
    amount_unpaid: monetary({
      label: 'Amount To Pay In POS',
      computed: true,
      stored: true,
      help: 'Neither invoiced nor paid at a till yet.',
    }),
  },
})

declare module '#models' {
  interface SaleOrder extends Of<typeof order> {}
}

interface TillLine {
  readonly price_subtotal_incl: number
  readonly order_id: { readonly id: number; readonly amount_total: number; readonly state: string }
}

/**
 * The unpaid part of lines that tills sold: cash rounding made the totals of their orders less than the sum
 * of the lines (recorded). A total that was rounded up pays nothing else.
 */
function cutOff(lines: readonly TillLine[]): number {
  const paid = lines.filter(({ order_id: { state } }) => state === 'paid' || state === 'done')
  return [...Map.groupBy(paid, (line) => line.order_id.id).values()].reduce((cut, group) => {
    const total = group[0]?.order_id.amount_total ?? 0
    const sum = group.reduce((all, line) => addDecimals(all, line.price_subtotal_incl), 0)
    return total < 0 ? cut : addDecimals(cut, Math.max(0, addDecimals(sum, -total)))
  }, 0)
}

export default implement(order, {
  computed: {
    pos_order_count: computedTogether(order, ['pos_order_line_ids'], async (orders, env) => {
      const rows = await env.rows(
        sql`SELECT x.sale, count(DISTINCT x.pos)::int FROM (
          SELECT l.sale_order_origin_id AS sale, l.order_id AS pos FROM pos_order_line l
          UNION SELECT s.order_id, l.order_id FROM pos_order_line l JOIN sale_order_line s ON s.id = l.sale_order_line_id) AS x
        WHERE x.sale = ANY(${idList(orders.map(({ id }) => id))}) GROUP BY 1`,
        { reads: ['pos.order.line', 'sale.order.line'], row: ['int', 'int'] },
      )
      const countById = new Map(rows.map((row) => [row[0], row[1]]))
      return new Map(orders.map(({ id }) => [id, countById.get(id) ?? 0]))
    }),
    // A deposit that a till took is invoiced until a document deducts it: only the rest is still to be
    // invoiced.
    amount_to_invoice: computed(
      order,
      [
        'order_line.amount_to_invoice',
        'order_line.amount_invoiced',
        'order_line.is_downpayment',
        'order_line.pos_order_line_ids',
      ],
      (order) =>
        order.order_line.reduce((left, line) => {
          const deposit = line.is_downpayment && line.pos_order_line_ids.length > 0 ? line.amount_invoiced : 0
          return addDecimals(addDecimals(left, line.amount_to_invoice), -deposit)
        }, 0),
    ),
    amount_unpaid: computed(
      order,
      [
        'amount_total',
        'order_line.amount_invoiced',
        'order_line.pos_order_line_ids.price_subtotal_incl',
        'order_line.pos_order_line_ids.order_id.amount_total',
        'order_line.pos_order_line_ids.order_id.state',
      ],
      (order) =>
        order.order_line.reduce(
          (left, line) => addDecimals(left, -line.amount_invoiced),
          addDecimals(
            order.amount_total,
            cutOff(order.order_line.flatMap((line) => line.pos_order_line_ids)),
          ),
        ),
    ),
  },
})
