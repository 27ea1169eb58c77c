// Facts about receipts that clients read on purchase orders (purchase.order and its lines), and what
// companies say of buying.
import {
  boolean,
  char,
  computed,
  computedTogether,
  datetime,
  extend,
  float,
  implement,
  many2many,
  many2one,
  type Of,
  selection,
  writable,
} from '#models'
import { idList, sql } from '../../sql/index.ts'
import { usages } from '../stock/index.ts'

const company = extend('res.company', {
  fields: {
    days_to_purchase: float({
      label: 'Days to Purchase',
      help: 'Days that it takes to confirm a purchase order.',
    }),
  },
})

const order = extend('purchase.order', {
  fields: {
    incoterm_location: char({ label: 'Incoterm Location' }),
    reference_ids: many2many('stock.reference', {
      label: 'References',
      copy: false,
      relation: { table: 'stock_reference_purchase_rel', column: 'purchase_id', other: 'reference_id' },
    }),
    on_time_rate: float({
      label: 'On-Time Delivery Rate',
      related: 'partner_id.on_time_rate',
      groups: 'base.group_user',
    }),
    default_location_dest_id_usage: selection(usages, {
      label: 'Destination Location Type',
      related: 'picking_type_id.default_location_dest_id.usage',
    }),
    is_shipped: boolean({ label: 'Is Shipped', computed: true, help: 'Every receipt is done or cancelled.' }),
  },
})

const line = extend('purchase.order.line', {
  fields: {
    is_storable: boolean({ label: 'Track Inventory', related: 'product_id.is_storable' }),
    forecasted_issue: boolean({
      label: 'Forecasted Issue',
      computed: true,
      help: 'When the goods come, less than nothing will be there.',
    }),
    product_description_variants: char({ label: 'Custom Description' }),
    location_final_id: many2one('stock.location', {
      label: 'Location from procurement',
      ondelete: 'set null',
      help: 'Location that needs the goods.',
    }),
  },
})

const report = extend('purchase.report', {
  fields: {
    picking_type_id: many2one('stock.warehouse', {
      label: 'Warehouse',
      related: 'order_id.picking_type_id.warehouse_id',
      asStored: true,
    }),
    effective_date: datetime({
      label: 'Effective Date',
      related: 'order_id.effective_date',
      asStored: true,
      readonly: false,
    }),
    days_to_arrival: float({
      label: 'Effective Days To Arrival',
      digits: [16, 2],
      aggregator: 'avg',
      computed: true,
      asStored: true,
      help: 'From the confirmation of the order to its first receipt.',
    }),
  },
})

declare module '#models' {
  interface Company extends Of<typeof company> {}
  interface PurchaseOrder extends Of<typeof order> {}
  interface PurchaseOrderLine extends Of<typeof line> {}
  interface PurchaseReport extends Of<typeof report> {}
}

export const receivedReport = implement(report, {
  computed: {
    days_to_arrival: computed(
      report,
      ['date_approve', 'effective_date'],
      ({ date_approve: from, effective_date: to }) =>
        from && to ? (Date.parse(`${to}Z`) - Date.parse(`${from}Z`)) / 86_400_000 : 0,
      {
        sql: (scope) =>
          sql`COALESCE(EXTRACT(epoch FROM ${scope.path('order_id.effective_date')} - ${scope.column('date_approve')}) / 86400, 0)::float8`,
      },
    ),
  },
})
export const buyingCompany = implement(company)
export const shippedOrder = implement(order, {
  writable: writable<'purchase.order'>({ later: { purchase: ['incoterm_location'] } }),
  computed: {
    is_shipped: computed(
      order,
      ['picking_ids.state'],
      ({ picking_ids: pickings }) =>
        pickings.length > 0 && pickings.every(({ state }) => state === 'done' || state === 'cancel'),
    ),
  },
})
const issues = computedTogether(
  line,
  [
    'state',
    'date_planned',
    'product_uom_qty',
    'is_storable',
    'product_id',
    'order_id.picking_type_id.warehouse_id',
  ],
  async (lines, env) => {
    // One statement for all lines, whatever their days: what is not confirmed yet is no part of the forecast.
    const rows = await env.rows(
      sql`SELECT l.id FROM purchase_order_line l JOIN purchase_order o ON o.id = l.order_id JOIN stock_picking_type k ON k.id = o.picking_type_id
      JOIN stock_warehouse w ON w.id = k.warehouse_id JOIN stock_location v ON v.id = w.view_location_id
      JOIN product_product p ON p.id = l.product_id JOIN product_template t ON t.id = p.product_tmpl_id AND t.is_storable
      WHERE l.id = ANY(${idList(lines.map(({ id }) => id))}) AND CASE WHEN o.state = 'purchase' THEN 0 ELSE l.product_uom_qty::numeric END
        + COALESCE((SELECT sum(q.quantity)::numeric FROM stock_quant q JOIN stock_location s ON s.id = q.location_id AND starts_with(s.parent_path, v.parent_path)
          WHERE q.product_id = l.product_id), 0)
        + COALESCE((SELECT sum(m.product_qty::numeric * (starts_with(d.parent_path, v.parent_path)::int - starts_with(s.parent_path, v.parent_path)::int))
          FROM stock_move m JOIN stock_location s ON s.id = m.location_id JOIN stock_location d ON d.id = m.location_dest_id
          WHERE m.product_id = l.product_id AND m.date <= l.date_planned AND m.state IN ('waiting', 'confirmed', 'assigned', 'partially_available')), 0) < 0`,
      {
        reads: [
          'purchase.order.line',
          'purchase.order',
          'stock.quant',
          'stock.move',
          'stock.location',
          'stock.warehouse',
          'stock.picking.type',
          'product.product',
          'product.template',
        ],
        row: ['int'],
      },
    )
    const short = new Set(rows.map(([id]) => id))
    return new Map(lines.map(({ id }) => [id, short.has(id)]))
  },
)

export const storedLine = implement(line, { computed: { forecasted_issue: issues } })
