// Lines of sales orders (sale.order.line): what of their goods was delivered, by which routes they go, and
// what is there for them.
import {
  boolean,
  computed,
  computedFields,
  computedTogether,
  datetime,
  extend,
  float,
  implement,
  many2many,
  many2one,
  type Of,
  one2many,
  type Records,
} from '#models'
import { addDays, nowUtc } from '../../kit/dates.ts'
import { sql } from '../../sql/index.ts'
import { updatable, updatablePaths, updatableSql } from '../sale/index.ts'
import { assertLineChanges, assertNoneTyped, checkedPaths, deliver, keepsProduct } from './deliver.ts'
import { deliveredBy, deliveredPaths } from './delivered.ts'
import { isDeliveredByMoves } from './delivery-method.ts'

const quantity = { precision: 'Product Unit' } as const

const line = extend('sale.order.line', {
  fields: {
    qty_delivered: float({
      label: 'Delivery Quantity',
      ...quantity,
      computed: true,
      stored: true,
      precompute: true,
      copy: false,
    }),
    customer_lead: float({ label: 'Lead Time', computed: true, stored: true, precompute: true }),
    route_ids: many2many('stock.route', {
      label: 'Routes',
      relation: {
        table: 'sale_order_line_stock_route_rel',
        column: 'sale_order_line_id',
        other: 'stock_route_id',
      },
      domain: [['sale_selectable', '=', true]],
      help: 'The goods of the line come by them, and not by those of the product or the warehouse.',
    }),
    move_ids: one2many('stock.move', 'sale_line_id', { label: 'Stock Moves' }),
    warehouse_id: many2one('stock.warehouse', {
      label: 'Warehouse',
      related: 'order_id.warehouse_id',
      stored: true,
    }),
    is_storable: boolean({ label: 'Track Inventory', related: 'product_id.is_storable' }),
    product_updatable: boolean({ label: 'Can Edit Product', computed: true }),
    is_mto: boolean({ label: 'Is Mto', computed: true }),
    qty_to_deliver: float({ label: 'Qty To Deliver', ...quantity, computed: true }),
    scheduled_date: datetime({ label: 'Scheduled Date', computed: true }),
  },
})

declare module '#models' {
  interface SaleOrderLine extends Of<typeof line> {}
}

const delivered = computedFields(
  line,
  ['qty_delivered'],
  [...deliveredPaths],
  (lines) =>
    new Map(
      lines.map((line) => [
        line.id,
        // A quantity that a user entered stays.
        isDeliveredByMoves(line) && line.product_uom_id
          ? { qty_delivered: deliveredBy(line.move_ids, line.product_uom_id) }
          : {},
      ]),
    ),
  { editable: true },
)

type Lines = Records<'sale.order.line'>

export default implement(line, {
  writable: { later: { sale: ['route_ids'], cancel: ['route_ids'] }, along: checkedPaths },
  computed: {
    ...delivered,
    customer_lead: computed(
      line,
      ['product_id.product_tmpl_id.sale_delay'],
      (line) => line.product_id?.product_tmpl_id.sale_delay ?? 0,
      {
        editable: true,
      },
    ),
    // Goods that are being delivered stay what they are.
    product_updatable: computed(
      line,
      [...updatablePaths, 'move_ids.state'],
      (line) => updatable(line) && !line.move_ids.some(keepsProduct),
      {
        sql: (scope) =>
          sql`(${updatableSql(scope)} AND NOT EXISTS (SELECT FROM stock_move m WHERE m.sale_line_id = ${scope.column('id')} AND m.state NOT IN ('draft', 'cancel')))`,
      },
    ),
    is_mto: computedTogether(
      line,
      ['route_ids', 'product_id.product_tmpl_id.route_ids', 'warehouse_id.mto_pull_id.route_id'],
      (lines) =>
        new Map(
          lines.map((line) => {
            const routes = [...line.route_ids, ...(line.product_id?.product_tmpl_id.route_ids ?? [])].map(
              ({ id }) => id,
            )
            return [line.id, routes.includes(line.warehouse_id?.mto_pull_id?.route_id.id ?? 0)]
          }),
        ),
    ),
    qty_to_deliver: computed(line, ['product_uom_qty', 'qty_delivered'], (line) =>
      Number((line.product_uom_qty - line.qty_delivered).toFixed(6)),
    ),
    scheduled_date: computed(
      line,
      ['order_id.commitment_date', 'order_id.date_order', 'order_id.state', 'customer_lead'],
      (line, env) => {
        const { commitment_date: promised, date_order: ordered, state } = line.order_id
        return (
          promised ??
          addDays(state === 'sale' && ordered ? ordered : nowUtc(env.now()), Math.ceil(line.customer_lead))
        )
      },
    ),
  },
  wrapCreate: (next) => async (lines, list) => {
    const createdLines = await next(lines, list)
    if (list.some((vals) => vals.qty_delivered)) await assertNoneTyped(createdLines)
    await deliver(createdLines)
    return createdLines
  },
  wrapWrite: (next) => async (lines: Lines, changes) => {
    const changed = changes.filter(
      ({ vals }) =>
        'product_uom_qty' in vals ||
        'product_uom_id' in vals ||
        'product_id' in vals ||
        'route_ids' in vals ||
        'qty_delivered' in vals ||
        'is_expense' in vals,
    )
    await assertLineChanges(lines, changed)
    await next(lines, changes)
    const moved = changed
      .filter(({ vals }) => 'product_uom_qty' in vals || 'product_uom_id' in vals)
      .flatMap(({ ids }) => ids)
    if (moved.length) await deliver(lines.browse(moved))
  },
})
