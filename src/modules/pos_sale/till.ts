// What points of sale and their orders add for quotations: which order a line settles, and the product that
// stands for deposits.
import { extend, implement, many2one, type Of } from '#models'
import { agreedPrices } from './agreed.ts'
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
const session = extend('pos.session', { fields: {} })

/** Sales orders that drafts of tills settle. */
const held = () => [['pos_order_line_ids.order_id.state', '=', 'draft']]

const loaded = {
  'sale.order': {
    fields: [
      'name',
      'state',
      'user_id',
      'order_line',
      'partner_id',
      'pricelist_id',
      'fiscal_position_id',
      'amount_total',
      'amount_untaxed',
      'amount_unpaid',
      'date_order',
    ],
    domain: held,
  },
  'sale.order.line': {
    fields: [
      'order_id',
      'name',
      'display_type',
      'product_id',
      'product_uom_qty',
      'price_unit',
      'price_total',
      'discount',
      'tax_ids',
      'qty_delivered',
      'qty_invoiced',
      'qty_to_invoice',
      'is_downpayment',
    ],
    domain: held,
  },
}

declare module '#models' {
  interface PosConfig extends Of<typeof config> {}
  interface PosOrderLine extends Of<typeof line> {}
}

export const tills = [
  implement(config),
  implement(line, {
    writable: { server: ['sale_order_origin_id', 'sale_order_line_id'] },
    wrap: {
      agreed_prices: (next) => async (lines, params) =>
        new Map([...(await next(lines, params)), ...(await agreedPrices(lines))]),
    },
  }),
  implement(session, {
    wrap: {
      till_models: (next) => async (sessions, params) => ({ ...(await next(sessions, params)), ...loaded }),
    },
  }),
  implement(order, {
    wrap: {
      after_payment: (next) => async (orders, params) => {
        await settle(orders.env, orders.ids)
        return next(orders, params)
      },
    },
  }),
] as const
