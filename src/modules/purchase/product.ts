// Products (product.template): how their purchases are billed, and how often they were bought.
import {
  computedFields,
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
    purchase_method: selection(
      { purchase: 'On ordered quantities', receive: 'On received quantities' },
      {
        label: 'Control Policy',
        computed: true,
        stored: true,
        precompute: true,
        help: 'Bill the ordered quantity, or the quantity received so far.',
      },
    ),
    purchase_line_warn_msg: text({
      label: 'Message for Purchase Order Line',
      help: 'Shown to users who add the product to an order.',
    }),
    purchased_product_qty: float({
      label: 'Purchased',
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
export async function boughtOf(
  env: Environment,
  by: 'template' | 'variant',
  ids: readonly number[],
): Promise<Map<number, number>> {
  const none = new Map(ids.map((id) => [id, 0]))
  if (!env.su && !env.hasGroup('purchase.group_purchase_user')) return none
  const key = by === 'template' ? sql`p.product_tmpl_id` : sql`p.id`
  const rows = await env.rows(
    sql`SELECT ${key}, COALESCE(sum(l.product_uom_qty), 0)::float8 FROM purchase_order_line l JOIN purchase_order o ON o.id = l.order_id
    JOIN product_product p ON p.id = l.product_id
    WHERE ${key} = ANY(${idList(ids)}) AND o.state = 'purchase' AND o.company_id = ANY(${idList(env.companyIds)})
      AND o.date_approve >= now() AT TIME ZONE 'UTC' - interval '365 days' GROUP BY 1`,
    { reads: ['purchase.order.line', 'purchase.order', 'product.product'], row: ['int', 'float'] },
  )
  return new Map([...none, ...rows.map((row) => [row[0], Math.round(row[1] * 100) / 100] as const)])
}

/** Services are billed as ordered, goods as the default says: as they come in. */
const method = computedFields(
  template,
  ['purchase_method'],
  ['type'],
  async (templates, env) => {
    const { purchase_method: standard = 'receive' } = (await env
      .sudo()
      .model('product.template')
      .invoke('default_get', { fields: ['purchase_method'] })) as { purchase_method?: string }
    return new Map(
      templates.map((template) => [
        template.id,
        { purchase_method: template.type === 'service' ? 'purchase' : standard },
      ]),
    )
  },
  { editable: true },
)

export default implement(template, {
  wrapWrite: guardOrdered({
    lines: 'purchase.order.line',
    otherUnit: (product, unit) =>
      `${product} was also bought in ${unit}, so its unit cannot change. Archive it, and create another product.`,
    otherCompany: (product, company) =>
      `${product} is on purchase orders of ${company}: it cannot be another company's alone.`,
  }),
  computed: {
    ...method,
    purchased_product_qty: computedTogether(template, [], (templates, env) =>
      boughtOf(
        env,
        'template',
        templates.map(({ id }) => id),
      ),
    ),
  },
})
