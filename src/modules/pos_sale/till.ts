// Additions to points of sale and their orders for quotations: the order that a line settles, and the
// deposit product.
import {
  computedTogether,
  extend,
  float,
  implement,
  integer,
  many2one,
  type Of,
  one2many,
  required,
  text,
} from '#models'
import { idList, sql } from '../../sql/index.ts'
import { assertAllowedAndExisting } from '../base/index.ts'
import { agreedPrices } from './order-prices.ts'
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
const team = extend('crm.team', {
  fields: {
    pos_config_ids: one2many('pos.config', 'crm_team_id', {
      label: 'Point of Sales',
      copy: false,
      groups: 'point_of_sale.group_pos_user',
    }),
  },
})
const line = extend('pos.order.line', {
  fields: {
    sale_order_origin_id: many2one('sale.order', {
      label: 'Linked Sale Order',
      index: 'set',
      ondelete: 'set null',
    }),
    sale_order_line_id: many2one('sale.order.line', {
      label: 'Source Sale Order Line',
      index: 'set',
      ondelete: 'set null',
    }),
    down_payment_details: text({
      label: 'Details of the Deposit',
      help: 'Lines of the sales order, as the till shows them.',
    }),
    qty_delivered: float({
      label: 'Delivered Quantity',
      computed: true,
      asStored: true,
      readonly: false,
      help: 'Goods that were handed over, or left later.',
    }),
    custom_attribute_value_ids: one2many('product.attribute.custom.value', 'pos_order_line_id', {
      label: 'Custom Values',
      copy: true,
    }),
  },
})
const customValue = extend('product.attribute.custom.value', {
  fields: {
    pos_order_line_id: many2one('pos.order.line', {
      label: 'Line of a Till Order',
      ondelete: 'cascade',
      index: true,
    }),
  },
})
const order = extend('pos.order', {
  fields: {
    crm_team_id: many2one('crm.team', {
      label: 'Sales Team',
      related: 'config_id.crm_team_id',
      readonly: false,
      asStored: true,
    }),
    sale_order_count: integer({ label: 'Number of Sales Orders', computed: true }),
  },
})
const session = extend('pos.session', {
  fields: { crm_team_id: many2one('crm.team', { label: 'Sales Team', related: 'config_id.crm_team_id' }) },
})

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
  interface CrmTeam extends Of<typeof team> {}
  interface PosConfig extends Of<typeof config> {}
  interface PosOrderLine extends Of<typeof line> {}
  interface PosOrder extends Of<typeof order> {}
  interface PosSession extends Of<typeof session> {}
  interface ProductAttributeCustomValue extends Of<typeof customValue> {}
}

/**
 * Goods of paid orders: those that are shipped later, as far as they left, for the first lines of a product
 * first; all others at once.
 */
const delivered = computedTogether(
  line,
  ['qty', 'product_id', 'order_id.state', 'order_id.shipping_date', 'order_id.picking_ids.state'],
  async (lines, env) => {
    const rows = await env.rows(
      sql`SELECT l.id, CASE WHEN o.state NOT IN ('paid', 'done') THEN 0 WHEN o.shipping_date IS NULL THEN l.qty
        ELSE LEAST(l.qty, GREATEST(0, COALESCE((SELECT sum(m.quantity) FROM stock_move m JOIN stock_picking p ON p.id = m.picking_id
            WHERE p.pos_order_id = o.id AND m.product_id = l.product_id AND m.state = 'done'), 0)
          - COALESCE((SELECT sum(x.qty) FROM pos_order_line x
            WHERE x.order_id = o.id AND x.product_id = l.product_id AND x.id < l.id AND x.qty > 0), 0))) END::float8
      FROM pos_order_line l JOIN pos_order o ON o.id = l.order_id WHERE l.id = ANY(${idList(lines.map(({ id }) => id))})`,
      {
        reads: ['pos.order.line', 'pos.order', 'stock.move', 'stock.picking'],
        row: ['int', 'float'],
      },
    )
    return new Map(rows.map((row) => [row[0], row[1]]))
  },
)

/** Sales orders that lines of an order settle or take deposits on. */
const settledOrders = computedTogether(order, ['lines.sale_order_origin_id'], async (orders, env) => {
  const rows = await env.rows(
    sql`SELECT order_id, count(DISTINCT sale_order_origin_id)::int FROM pos_order_line
    WHERE order_id = ANY(${idList(orders.map(({ id }) => id))}) GROUP BY 1`,
    { reads: ['pos.order.line'], row: ['int', 'int'] },
  )
  const counts = new Map(rows.map((row) => [row[0], row[1]]))
  return new Map(orders.map(({ id }) => [id, counts.get(id) ?? 0]))
})

const move = extend('account.move', {
  fields: {},
  methods: {
    reflect_cancelled_sol: {
      doc: 'Has no effect: invoiced quantities of order lines follow the state of documents.',
      params: { isCancelled: required<boolean>('boolean', { annotation: 'bool' }) },
    },
  },
})

declare module '#models' {
  interface AccountMove extends Of<typeof move> {}
}

export const tills = [
  implement(move, {
    methods: {
      reflect_cancelled_sol: async (moves) => {
        await assertAllowedAndExisting(moves, 'write')
        return null
      },
    },
  }),
  implement(config),
  implement(team),
  implement(line, {
    writable: { server: ['sale_order_origin_id', 'sale_order_line_id'] },
    computed: { qty_delivered: delivered },
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
  implement(customValue),
  implement(order, {
    computed: { sale_order_count: settledOrders },
    wrap: {
      after_payment: (next) => async (orders, params) => {
        await settle(orders.env, orders.ids)
        return next(orders, params)
      },
    },
  }),
] as const
