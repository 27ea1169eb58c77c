// Contacts (res.partner): whether vendors deliver on time, and how orders to them are put together and
// proposed.
import { char, computedTogether, extend, float, implement, integer, type Of, selection } from '#models'
import { idList, sql } from '../../sql/index.ts'

const partner = extend('res.partner', {
  fields: {
    on_time_rate: float({
      label: 'Delivered on Time (%)',
      computed: true,
      groups: 'base.group_user',
      help: 'Of goods that came in for orders of the last year; -1 where none did.',
    }),
    group_rfq: selection(
      { default: 'As they are needed', day: 'By day', week: 'By week', all: 'All together' },
      {
        label: 'Put Requests Together',
        required: true,
        default: 'default',
        help: 'Which needs go into one request for quotation.',
      },
    ),
    group_on: selection(
      {
        default: 'The day of the need',
        '1': 'Monday',
        '2': 'Tuesday',
        '3': 'Wednesday',
        '4': 'Thursday',
        '5': 'Friday',
        '6': 'Saturday',
        '7': 'Sunday',
      },
      { label: 'Day of the Week', required: true, default: 'default' },
    ),
    suggest_based_on: char({
      label: 'Proposed by Sales of',
      default: '30_days',
      help: 'The period whose demand is the basis of proposed quantities.',
    }),
    suggest_days: integer({ label: 'Days That Proposals Last For', default: 7 }),
    suggest_percent: integer({ label: 'Percent of the Demand', default: 100 }),
  },
})

declare module '#models' {
  interface Partner extends Of<typeof partner> {}
}

export default implement(partner, {
  computed: {
    on_time_rate: computedTogether(partner, [], async (partners, env) => {
      const rows = await env.rows(
        sql`SELECT o.partner_id, (100 * sum(LEAST(l.product_uom_qty, COALESCE(d.quantity, 0))) / NULLIF(sum(l.product_uom_qty), 0))::float8
        FROM purchase_order_line l JOIN purchase_order o ON o.id = l.order_id AND o.state = 'purchase'
        JOIN product_product p ON p.id = l.product_id JOIN product_template t ON t.id = p.product_tmpl_id AND t.type <> 'service'
        LEFT JOIN LATERAL (SELECT sum(m.quantity) AS quantity FROM stock_move m
          WHERE m.purchase_line_id = l.id AND m.state = 'done' AND m.date::date <= l.date_planned::date) d ON true
        WHERE o.partner_id = ANY(${idList(partners.map(({ id }) => id))}) AND o.company_id = ANY(${idList([...env.companyIds])})
          AND l.qty_received <> 0 AND o.date_order >= now() AT TIME ZONE 'UTC' - interval '365 days' GROUP BY 1`,
        {
          reads: [
            'purchase.order.line',
            'purchase.order',
            'stock.move',
            'product.product',
            'product.template',
          ],
          row: ['int', 'float?'],
        },
      )
      const rates = new Map(rows.map((row) => [row[0], row[1] ?? -1]))
      return new Map(partners.map(({ id }) => [id, rates.get(id) ?? -1]))
    }),
  },
})
