// Sales orders (sale.order): their deliveries, from which warehouse, and how far they got.

import {
  atOnce,
  computed,
  computedTogether,
  datetime,
  extend,
  implement,
  integer,
  many2one,
  type Of,
  one2many,
  type Records,
  selection,
} from '#models'
import { present } from '../../kit/present.ts'
import { actionMethod, givenVals, shownWindow } from '../base/index.ts'
import { cancelMoves } from '../stock/index.ts'
import { deliver, deliveryPaths } from './deliver.ts'
import { firstWarehouses, prefetchWarehouses } from './warehouses.ts'

const order = extend('sale.order', {
  fields: {
    warehouse_id: many2one('stock.warehouse', {
      label: 'Warehouse',
      computed: true,
      stored: true,
      precompute: true,
      checkCompany: true,
      help: 'Warehouse that delivers the goods.',
    }),
    picking_policy: selection(
      { direct: 'As soon as possible', one: 'When all products are ready' },
      { label: 'Shipping Policy', required: true, default: 'direct' },
    ),
    picking_ids: one2many('stock.picking', 'sale_id', { label: 'Transfers' }),
    delivery_count: integer({ label: 'Delivery Orders', computed: true }),
    delivery_status: selection(
      {
        pending: 'Not Delivered',
        started: 'Started',
        partial: 'Partially Delivered',
        full: 'Fully Delivered',
      },
      { label: 'Delivery Status', computed: true, stored: true },
    ),
    effective_date: datetime({
      label: 'Effective Date',
      computed: true,
      stored: true,
      help: 'When the first goods reached the customer.',
    }),
  },
  methods: {
    action_view_delivery: actionMethod('The action that opens the transfers of the order.'),
  },
})

declare module '#models' {
  interface SaleOrder extends Of<typeof order> {}
}

type Orders = Records<'sale.order'>

/** All lines of orders, read as superuser: a user who confirms an order has all of it delivered. */
async function linesOf(orders: Orders) {
  const rows = await orders.sudo().load(['order_line'])
  return orders
    .sudo()
    .env.model('sale.order.line')
    .browse(rows.flatMap((row) => row.order_line.map(({ id }) => id)))
}

/** Fields that confirming reads and changes: they are read at once. */
const confirmPaths = [
  'locked',
  'order_line.display_type',
  'order_line.is_downpayment',
  ...deliveryPaths.map((path) => `order_line.${path}`),
]
const confirmChanges = ['state', 'date_order', 'order_line.move_ids', 'picking_ids']

export default implement(order, {
  writable: { later: { sale: ['picking_policy', 'warehouse_id'] } },
  computed: {
    warehouse_id: computedTogether(
      order,
      ['company_id'],
      async (orders, env) => {
        const houses = await firstWarehouses(
          env,
          orders.map((order) => order.company_id.id),
        )
        return new Map(orders.map((order) => [order.id, houses.get(order.company_id.id) ?? null]))
      },
      { editable: true },
    ),
    delivery_count: computed(order, ['picking_ids'], (order) => order.picking_ids.length),
    delivery_status: computed(order, ['picking_ids.state', 'order_line.qty_delivered'], (order) => {
      const states = order.picking_ids.map(({ state }) => state)
      if (states.every((state) => state === 'cancel')) return null
      if (states.every((state) => state === 'done' || state === 'cancel')) return 'full'
      if (!states.includes('done')) return 'pending'
      return order.order_line.some((line) => line.qty_delivered > 0) ? 'partial' : 'started'
    }),
    effective_date: computed(
      order,
      ['picking_ids.state', 'picking_ids.date_done', 'picking_ids.location_dest_id.usage'],
      (order) =>
        order.picking_ids
          .filter(
            (picking) =>
              picking.state === 'done' && picking.location_dest_id.usage === 'customer' && picking.date_done,
          )
          .map((picking) => present(picking.date_done))
          .toSorted()[0] ?? null,
    ),
  },
  methods: {
    action_view_delivery: async (orders) => {
      const order = await orders.one(['picking_ids'])
      const ids = order.picking_ids.map(({ id }) => id)
      return shownWindow({
        name: 'Transfers',
        res_model: 'stock.picking',
        view_mode: ids.length === 1 ? 'form' : 'list,form',
        domain: [['id', 'in', ids]],
        ...(ids.length === 1 ? { res_id: ids[0] } : {}),
      })
    },
  },
  wrap: {
    action_confirm: (next) => async (orders, params) => {
      await orders.prefetch(confirmPaths, confirmChanges)
      const answer = await next(orders, params)
      await deliver(await linesOf(orders))
      return answer
    },
    action_cancel: (next) => async (orders, params) => {
      const answer = await next(orders, params)
      const moves = await orders
        .sudo()
        .env.model('stock.move')
        .search([
          '|',
          ['sale_line_id.order_id', 'in', orders.ids],
          ['picking_id.sale_id', 'in', orders.ids],
          ['state', 'not in', ['done', 'cancel']],
        ])
      if (moves.length) await cancelMoves(orders.env, moves.ids)
      return answer
    },
  },
  wrapWrite: (next) => async (orders, changes) => {
    await next(orders, changes)
    // Goods that were not sent yet go where the order says now.
    for (const { ids, vals } of changes) {
      if (!Number.isInteger(vals.partner_shipping_id)) continue
      const pickings = await orders
        .sudo()
        .env.model('stock.picking')
        .search([
          ['sale_id', 'in', ids],
          ['state', 'not in', ['done', 'cancel']],
        ])
      if (pickings.length) await pickings.write({ partner_id: vals.partner_shipping_id as number })
    }
  },
  wrapGeneric: {
    create: (next) => async (orders, params) => {
      const [answer] = await atOnce(
        orders.env,
        () => next(orders, params),
        () => prefetchWarehouses(orders.env, givenVals(params.vals_list)),
      )
      return answer
    },
  },
})
