// What points of sale and their orders add for quotations: which order a line settles, and the product that
// stands for deposits.
import { extend, implement, many2one, type Of } from '#models'
import { settle } from './settle.ts'

const config = extend('pos.config', {
  fields: {
    crm_team_id: many2one('crm.team', { label: 'Sales Team', ondelete: 'set null' }),
    down_payment_product_id: many2one('product.product', {
      label: 'Down Payment Product',
      ondelete: 'restrict',
      help: 'Sold at the till, it is a deposit on a sales order.',
    }),
  },
})
const line = extend('pos.order.line', {
  fields: {
    sale_order_origin_id: many2one('sale.order', {
      label: 'Linked Sale Order',
      index: true,
      ondelete: 'set null',
    }),
    sale_order_line_id: many2one('sale.order.line', {
      label: 'Source Sale Order Line',
      index: true,
      ondelete: 'set null',
    }),
  },
})
const order = extend('pos.order', { fields: {} })

declare module '#models' {
  interface PosConfig extends Of<typeof config> {}
  interface PosOrderLine extends Of<typeof line> {}
}

export const tills = [
  implement(config),
  implement(line),
  implement(order, {
    wrap: {
      after_payment: (next) => async (orders, params) => {
        await settle(orders.env, orders.ids)
        return next(orders, params)
      },
    },
  }),
] as const
