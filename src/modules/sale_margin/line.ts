// Lines of sales orders (sale.order.line): what the goods cost, and what is left of their price.

import { computedFields, extend, float, implement, monetary, type Of } from '#models'
import { present } from '../../kit/present.ts'
import { asDecimal, roundHalfUp } from '../../kit/rounding.ts'
import { byCompany } from '../base/index.ts'
import { costsOf } from '../product/index.ts'

const line = extend('sale.order.line', {
  fields: {
    purchase_price: float({
      label: 'Cost',
      precision: 'Product Price',
      computed: true,
      stored: true,
      precompute: true,
      copy: false,
      groups: 'base.group_user',
      help: "Cost of one of the line's unit, in the currency of the order.",
    }),
    margin: monetary({
      label: 'Margin',
      computed: true,
      stored: true,
      precompute: true,
      groups: 'base.group_user',
    }),
    margin_percent: float({
      label: 'Margin (%)',
      computed: true,
      stored: true,
      precompute: true,
      groups: 'base.group_user',
      help: 'The share of the price that is left; 1 is the whole.',
    }),
  },
})

declare module '#models' {
  interface SaleOrderLine extends Of<typeof line> {}
}

/** Costs follow product, unit and the terms of the order; what was typed stays until one of them changes. */
const costs = computedFields(
  line,
  ['purchase_price'],
  ['order_id', 'product_id', 'product_uom_id', 'company_id'],
  async (lines, env) => {
    const sold = lines.filter((line) => line.product_id)
    const orders = await env
      .sudo()
      .model('sale.order')
      .browse([...new Set(sold.map((line) => line.order_id.id))])
      .load(['company_id', 'currency_rate'])
    const terms = new Map(orders.map((order) => [order.id, order]))
    const asks = sold.flatMap((line) => {
      const order = terms.get(line.order_id.id)
      return order
        ? [
            {
              id: line.id,
              product: present(line.product_id).id,
              unit: line.product_uom_id?.id ?? null,
              ...pick(order),
            },
          ]
        : []
    })
    const values = new Map<number, { purchase_price: number }>(
      lines.map((line) => [line.id, { purchase_price: 0 }]),
    )
    for (const [companyEnv, group] of byCompany(asks, env)) {
      const costs = await costsOf(companyEnv, group)
      for (const [i, line] of group.entries())
        values.set(line.id, { purchase_price: asDecimal((costs[i] ?? 0) * line.rate) })
    }
    return values
  },
  { editable: true },
)

const pick = (order: { readonly company_id: { readonly id: number }; readonly currency_rate: number }) => ({
  company_id: order.company_id,
  rate: order.currency_rate || 1,
})

/** Price less cost; by the delivered quantity for a line without an ordered one. */
const margins = computedFields(
  line,
  ['margin', 'margin_percent'],
  [
    'price_subtotal',
    'price_unit',
    'product_uom_qty',
    'qty_delivered',
    'purchase_price',
    'currency_id.rounding',
  ],
  (lines) =>
    new Map(
      lines.map((line) => {
        const delivered = line.product_uom_qty === 0 && line.qty_delivered !== 0
        const [quantity, amount] = delivered
          ? [line.qty_delivered, asDecimal(line.price_unit * line.qty_delivered)]
          : [line.product_uom_qty, line.price_subtotal]
        const margin = roundHalfUp(
          asDecimal(amount - line.purchase_price * quantity),
          line.currency_id?.rounding ?? 0.01,
        )
        return [line.id, { margin, margin_percent: amount ? margin / amount : 0 }]
      }),
    ),
)

export default implement(line, {
  computed: { ...costs, ...margins },
  // The margin is that of the day of the sale: a cost typed afterwards would change it.
  writable: { later: { cancel: ['purchase_price'] } },
})
