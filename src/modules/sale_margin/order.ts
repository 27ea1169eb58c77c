// Sales orders (sale.order): what is left of them when the goods are paid for.
import { computedFields, extend, float, implement, monetary, type Of } from '#models'
import { addDecimals } from '../../kit/rounding.ts'

const order = extend('sale.order', {
  fields: {
    margin: monetary({ label: 'Margin', computed: true, stored: true, groups: 'base.group_user' }),
    margin_percent: float({
      label: 'Margin (%)',
      computed: true,
      stored: true,
      groups: 'base.group_user',
      help: 'The share of the untaxed amount that is left; 1 is the whole.',
    }),
  },
})

declare module '#models' {
  interface SaleOrder extends Of<typeof order> {}
}

const margins = computedFields(
  order,
  ['margin', 'margin_percent'],
  ['amount_untaxed', 'order_line.margin'],
  (orders) =>
    new Map(
      orders.map((order) => {
        const margin = order.order_line.reduce((sum, line) => addDecimals(sum, line.margin), 0)
        return [
          order.id,
          { margin, margin_percent: order.amount_untaxed ? margin / order.amount_untaxed : 0 },
        ]
      }),
    ),
)

export default implement(order, { computed: { ...margins } })
