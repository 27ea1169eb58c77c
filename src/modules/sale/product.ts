// Products (product.template): how they are invoiced, and how often they were sold.
import {
  computedTogether,
  type Environment,
  extend,
  float,
  implement,
  type Of,
  selection,
  text,
} from '#models'
import { idList, sql } from '../../sql/index.ts'
import { guardOrdered } from '../account/index.ts'

const template = extend('product.template', {
  fields: {
    invoice_policy: selection(
      { order: 'Ordered quantities', delivery: 'Delivered quantities' },
      {
        label: 'Invoicing Policy',
        default: 'order',
        help: 'Invoice the ordered quantity, or the quantity delivered so far.',
      },
    ),
    expense_policy: selection(
      { no: 'No', cost: 'At cost', sales_price: 'Sales price' },
      {
        label: 'Re-Invoice Costs',
        default: 'no',
        help: 'Price at which expenses are charged on to a customer.',
      },
    ),
    service_type: selection(
      { manual: 'Manually set quantities on order' },
      { label: 'Track Service', default: 'manual' },
    ),
    sale_line_warn_msg: text({
      label: 'Sales Order Line Warning',
      help: 'Shown to users who add the product to an order.',
    }),
    sales_count: float({
      label: 'Sold',
      precision: 'Product Unit',
      computed: true,
      help: 'Quantity on confirmed orders of the last year, in the unit of the product.',
    }),
  },
})

declare module '#models' {
  interface ProductTemplate extends Of<typeof template> {}
}

/** Quantities on confirmed orders of the last 365 days, by template or by variant. */
export async function soldOf(
  env: Environment,
  by: 'template' | 'variant',
  ids: readonly number[],
): Promise<Map<number, number>> {
  if (!env.su && !env.hasGroup('sales_team.group_sale_salesman')) return new Map(ids.map((id) => [id, 0]))
  const key = by === 'template' ? sql`p.product_tmpl_id` : sql`p.id`
  const rows = await env.rows(
    sql`SELECT ${key}, COALESCE(sum(l.product_uom_qty * u.factor / own.factor), 0)::float8 FROM sale_order_line l JOIN sale_order o ON o.id = l.order_id
    JOIN product_product p ON p.id = l.product_id JOIN product_template t ON t.id = p.product_tmpl_id JOIN uom_uom own ON own.id = t.uom_id
    JOIN uom_uom u ON u.id = COALESCE(l.product_uom_id, t.uom_id)
    WHERE ${key} = ANY(${idList(ids)}) AND o.state = 'sale' AND o.company_id = ANY(${idList(env.companyIds)}) AND o.date_order >= now() AT TIME ZONE 'UTC' - interval '365 days'
    GROUP BY 1`,
    {
      reads: ['sale.order.line', 'sale.order', 'product.product', 'product.template', 'uom.uom'],
      row: ['int', 'float'],
    },
  )
  const sold = new Map(rows.map((row) => [row[0], Math.round(row[1] * 100) / 100]))
  return new Map(ids.map((id) => [id, sold.get(id) ?? 0]))
}

export default implement(template, {
  wrapWrite: guardOrdered({
    lines: 'sale.order.line',
    otherUnit: (product, unit) =>
      `${product} was also sold in ${unit}, so its unit cannot change. Archive it, and create another product.`,
    otherCompany: (product, company) =>
      `${product} is on orders of ${company}: it cannot be another company's alone.`,
  }),
  computed: {
    sales_count: computedTogether(template, [], (templates, env) =>
      soldOf(
        env,
        'template',
        templates.map(({ id }) => id),
      ),
    ),
  },
})
