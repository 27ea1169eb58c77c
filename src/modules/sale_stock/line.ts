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
import { quantitiesOf } from '../stock/index.ts'
import { assertLineChanges, deliver } from './deliver.ts'
import { deliveredBy, deliveredPaths } from './delivered.ts'
import { isMoved } from './delivery-method.ts'

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
    is_mto: boolean({ label: 'Is Mto', computed: true }),
    qty_to_deliver: float({ label: 'Qty To Deliver', ...quantity, computed: true }),
    scheduled_date: datetime({ label: 'Scheduled Date', computed: true }),
    qty_available_today: float({ label: 'Qty Available Today', computed: true }),
    free_qty_today: float({ label: 'Free Qty Today', ...quantity, computed: true }),
    virtual_available_at_date: float({ label: 'Virtual Available At Date', ...quantity, computed: true }),
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
      lines.map((one) => [
        one.id,
        // What is typed stands.
        isMoved(one) && one.product_uom_id
          ? { qty_delivered: deliveredBy(one.move_ids, one.product_uom_id) }
          : {},
      ]),
    ),
  { editable: true },
)

const availability = computedFields(
  line,
  ['qty_available_today', 'free_qty_today', 'virtual_available_at_date'],
  ['product_id', 'warehouse_id', 'scheduled_date'],
  async (lines, env) => {
    const values = new Map<
      number,
      { qty_available_today: number; free_qty_today: number; virtual_available_at_date: number }
    >()
    // One question a warehouse: orders are delivered from few.
    for (const [warehouse, group] of Map.groupBy(lines, (one) => one.warehouse_id?.id)) {
      const own = env.sudo().withContext({ warehouse_id: warehouse ?? false })
      const found = await quantitiesOf(own, [...new Set(group.flatMap((one) => one.product_id?.id ?? []))])
      for (const one of group) {
        const there = found.get(one.product_id?.id ?? 0)
        values.set(one.id, {
          qty_available_today: there?.onHand ?? 0,
          free_qty_today: there?.free ?? 0,
          virtual_available_at_date: there?.forecast ?? 0,
        })
      }
    }
    return values
  },
)

type Lines = Records<'sale.order.line'>

export default implement(line, {
  computed: {
    ...delivered,
    ...availability,
    customer_lead: computed(
      line,
      ['product_id.product_tmpl_id.sale_delay'],
      (one) => one.product_id?.product_tmpl_id.sale_delay ?? 0,
      {
        editable: true,
      },
    ),
    is_mto: computedTogether(
      line,
      ['route_ids', 'product_id.product_tmpl_id.route_ids', 'warehouse_id.mto_pull_id.route_id'],
      (lines) =>
        new Map(
          lines.map((one) => {
            const routes = [...one.route_ids, ...(one.product_id?.product_tmpl_id.route_ids ?? [])].map(
              ({ id }) => id,
            )
            return [one.id, routes.includes(one.warehouse_id?.mto_pull_id?.route_id.id ?? 0)]
          }),
        ),
    ),
    qty_to_deliver: computed(line, ['product_uom_qty', 'qty_delivered'], (one) =>
      Number((one.product_uom_qty - one.qty_delivered).toFixed(6)),
    ),
    scheduled_date: computed(
      line,
      ['order_id.commitment_date', 'order_id.date_order', 'order_id.state', 'customer_lead'],
      (one, env) => {
        const { commitment_date: promised, date_order: ordered, state } = one.order_id
        return (
          promised ??
          addDays(state === 'sale' && ordered ? ordered : nowUtc(env.now()), Math.ceil(one.customer_lead))
        )
      },
    ),
  },
  wrapCreate: (next) => async (lines, list) => {
    const made = await next(lines, list)
    await deliver(made)
    return made
  },
  wrapWrite: (next) => async (lines: Lines, changes) => {
    const told = changes.filter(
      ({ vals }) =>
        'product_uom_qty' in vals || 'product_uom_id' in vals || 'product_id' in vals || 'route_ids' in vals,
    )
    await assertLineChanges(lines, told)
    await next(lines, changes)
    const moved = told
      .filter(({ vals }) => 'product_uom_qty' in vals || 'product_uom_id' in vals)
      .flatMap(({ ids }) => ids)
    if (moved.length) await deliver(lines.browse(moved))
  },
})
