// Orders of tills as the back office and other tills ask for them (pos.order): what their point of sale says,
// and views of what follows from them.
import {
  boolean,
  char,
  datetime,
  extend,
  implement,
  json,
  many2many,
  many2one,
  type Of,
  type Records,
  required,
  returns,
} from '#models'
import { sql } from '../../../sql/index.ts'
import { assertAllowed, shownRecords, shownWindow } from '../../base/index.ts'
import { answerOf } from '../sync/answer.ts'
import { lastPart } from '../sync/values.ts'

type Orders = Records<'pos.order'>

const object = returns<object>('object', 'dict')
const shows = (doc: string) => ({ doc, readonly: true, params: {}, returns: object }) as const

/** References of orders, seen from both sides. */
const ordersOf = {
  table: 'pos_order_stock_reference_rel',
  column: 'pos_order_id',
  other: 'stock_reference_id',
} as const

const reference = extend('stock.reference', {
  fields: {
    pos_order_ids: many2many('pos.order', {
      label: 'Till Orders',
      relation: { table: ordersOf.table, column: ordersOf.other, other: ordersOf.column },
    }),
  },
})

const order = extend('pos.order', {
  fields: {
    available_payment_method_ids: many2many('pos.payment.method', {
      label: 'Available Payment Methods',
      related: 'config_id.payment_method_ids',
    }),
    country_code: char({
      label: 'Country Code',
      related: 'company_id.account_fiscal_country_id.code',
    }),
    order_edit_tracking: boolean({
      label: 'Track Changes of Orders',
      related: 'config_id.order_edit_tracking',
    }),
    picking_type_id: many2one('stock.picking.type', {
      label: 'Operation Type',
      related: 'config_id.picking_type_id',
      readonly: false,
    }),
    sale_journal: many2one('account.journal', {
      label: 'Sales Journal',
      related: 'config_id.journal_id',
      asStored: true,
    }),
    stock_reference_ids: many2many('stock.reference', {
      label: 'References',
      relation: ordersOf,
      copy: false,
    }),
    preset_time: datetime({ label: 'Hour', help: 'When the goods should be ready.' }),
  },
  methods: {
    action_create_invoices: shows('Opens the form that invoices several orders.'),
    action_stock_picking: shows('Shows the transfers of orders.'),
    action_view_invoice: shows('Shows the invoices of orders.'),
    action_view_refund_orders: shows('Shows the orders that took goods of these back.'),
    action_view_refunded_order: shows('Shows the order whose goods an order took back.'),
    get_preparation_change: shows('The last changes of an order that were sent to the kitchen.'),
    get_reference_last_part: {
      doc: 'Returns the last part of the next receipt number.',
      readonly: true,
      params: {},
      returns: returns<string>('string', 'str'),
    },
    read_pos_data: {
      doc: 'Returns orders with all the data that tills need.',
      readonly: true,
      params: {
        data: required<unknown>('any', { doc: 'Data of the till; not needed', annotation: 'list' }),
        config: required<unknown>('any', { doc: 'The point of sale; not needed', annotation: 'int' }),
      },
      returns: object,
    },
    read_pos_data_uuid: {
      doc: 'Returns the order with a uuid with all the data that tills need.',
      level: 'model',
      readonly: true,
      params: { uuid: required<string>('string') },
      returns: object,
    },
  },
})

const line = extend('pos.order.line', {
  fields: {
    extra_tax_data: json({ label: 'Facts of Taxes', help: 'Tax details from the till.' }),
  },
  methods: {
    get_existing_lots: {
      doc: 'Returns the lots of a product in the location of a point of sale, with their quantities.',
      level: 'model',
      readonly: true,
      params: {
        company_id: required<number>('integer'),
        config_id: required<number>('integer'),
        product_id: required<number>('integer'),
      },
      returns: returns<object[]>('array', 'list[dict]'),
    },
  },
})

declare module '#models' {
  interface StockReference extends Of<typeof reference> {}
  interface PosOrder extends Of<typeof order> {}
  interface PosOrderLine extends Of<typeof line> {}
}

async function refundsOf(orders: Orders): Promise<object> {
  const refunds = await orders.search([
    ['refunded_order_id', 'in', orders.ids],
    ['state', '!=', 'cancel'],
  ])
  return shownRecords('Refund Orders', 'pos.order', refunds.ids)
}

/** Lots with what is left of them, below the place that operations of a point of sale take from. */
async function lotsAt(
  { env }: Records<'pos.order.line'>,
  params: { company_id: number; config_id: number; product_id: number },
): Promise<object[]> {
  const configs = env.model('pos.config').browse([params.config_id])
  await assertAllowed(configs, 'read')
  const { picking_type_id: kind, company_id: company } = await configs
    .sudo()
    .one(['company_id', 'picking_type_id.default_location_src_id'])
  const place = kind?.default_location_src_id
  if (!place || company.id !== params.company_id) return []
  const rows = await env.rows(
    sql`SELECT l.id, l.name, sum(q.quantity - COALESCE(q.reserved_quantity, 0))::float8 FROM stock_quant q
    JOIN stock_lot l ON l.id = q.lot_id JOIN stock_location p ON p.id = q.location_id
    JOIN stock_location top ON top.id = ${place.id}::int AND starts_with(p.parent_path, top.parent_path)
    WHERE q.product_id = ${params.product_id}::int GROUP BY l.id HAVING sum(q.quantity) > 0 ORDER BY l.name, l.id`,
    { reads: ['stock.quant', 'stock.lot', 'stock.location'], row: ['int', 'text', 'float'] },
  )
  return rows.map(([id, name, product_qty]) => ({ id, name, product_qty }))
}

export const backOffice = [
  implement(reference),
  implement(order, {
    methods: {
      action_create_invoices: async (orders) => {
        await assertAllowed(orders, 'read')
        return shownWindow({
          name: 'Create Invoices',
          res_model: 'pos.make.invoice',
          view_mode: 'form',
          target: 'new',
          context: { active_model: 'pos.order', active_ids: orders.ids },
        })
      },
      action_stock_picking: async (orders) => {
        await assertAllowed(orders, 'read')
        const pickings = await orders.env.model('stock.picking').search([['pos_order_id', 'in', orders.ids]])
        return shownRecords('Transfers', 'stock.picking', pickings.ids)
      },
      action_view_invoice: async (orders) => {
        const rows = await orders.load(['account_move'])
        const ids = [...new Set(rows.flatMap((row) => row.account_move?.id ?? []))]
        return shownRecords('Customer Invoice', 'account.move', ids)
      },
      action_view_refund_orders: refundsOf,
      action_view_refunded_order: async (orders) => {
        const rows = await orders.load(['refunded_order_id'])
        const ids = [...new Set(rows.flatMap((row) => row.refunded_order_id?.id ?? []))]
        return shownRecords('Refunded Order', 'pos.order', ids)
      },
      get_preparation_change: async (orders) => {
        const { last_order_preparation_change: sent } = await orders.one(['last_order_preparation_change'])
        return { last_order_preparation_change: sent ?? false }
      },
      get_reference_last_part: async (orders) =>
        lastPart((await orders.one(['pos_reference'])).pos_reference),
      read_pos_data: async (orders) => {
        await assertAllowed(orders, 'read')
        return answerOf(orders.env, orders.ids)
      },
      read_pos_data_uuid: async (orders, { uuid }) =>
        answerOf(orders.env, (await orders.search([['uuid', '=', uuid]])).ids),
    },
  }),
  implement(line, { methods: { get_existing_lots: lotsAt } }),
] as const
