// Warehouses that could supply what a reordering rule lacks (stock.replenishment.option), as the details of
// its proposal list them.
import {
  char,
  computed,
  computedTogether,
  extend,
  float,
  implement,
  many2one,
  type Of,
  one2many,
  type Records,
  transient,
} from '#models'
import { actionMethod, assertNoneMissing, shownForm } from '../../base/index.ts'
import { quantitiesOf } from '../products/quantities.ts'

const option = transient('stock.replenishment.option', {
  label: 'Stock warehouse replenishment option',
  recName: 'route_id',
  fields: {
    replenishment_info_id: many2one('stock.replenishment.info', {
      label: 'Details of the Proposal',
      ondelete: 'cascade',
      index: true,
    }),
    route_id: many2one('stock.route', { label: 'Route', ondelete: 'cascade' }),
    product_id: many2one('product.product', {
      label: 'Product',
      related: 'replenishment_info_id.orderpoint_id.product_id',
    }),
    warehouse_id: many2one('stock.warehouse', { label: 'Warehouse', related: 'route_id.supplier_wh_id' }),
    location_id: many2one('stock.location', {
      label: 'Location',
      related: 'route_id.supplier_wh_id.lot_stock_id',
    }),
    uom: char({ label: 'Unit', related: 'replenishment_info_id.product_uom_name' }),
    qty_to_order: float({ label: 'To Order', related: 'replenishment_info_id.qty_to_order' }),
    free_qty: float({ label: 'Free Quantity', computed: true, help: 'Of the supplying warehouse.' }),
    lead_time: char({ label: 'Lead Time', computed: true, help: 'Days that the goods are on their way.' }),
    warning_message: char({ label: 'Warning', computed: true }),
  },
  methods: {
    select_route: actionMethod(
      'Orders by the route for the reordering rule. If less is available, opens a form that asks for the quantity.',
    ),
    order_avbl: actionMethod('Orders the available quantity by the route for the reordering rule.'),
    order_all: actionMethod('Orders the whole missing quantity by the route for the reordering rule.'),
  },
})

const info = extend('stock.replenishment.info', {
  fields: {
    wh_replenishment_option_ids: one2many('stock.replenishment.option', 'replenishment_info_id', {
      label: 'Warehouses That Could Supply',
    }),
  },
})

declare module '#models' {
  interface Models {
    'stock.replenishment.option': ReplenishmentOption
  }
  interface ReplenishmentOption extends Of<typeof option> {}
  interface ReplenishmentInfo extends Of<typeof info> {}
}

type Options = Records<'stock.replenishment.option'>

const CLOSE = { type: 'ir.actions.act_window_close' } as const

/** Writes the choices to their reordering rules; goods are ordered when those are carried out. */
async function choose(options: Options, onlyFree: boolean): Promise<object> {
  const rows = await options.load([
    'route_id',
    'free_qty',
    'qty_to_order',
    'replenishment_info_id.orderpoint_id',
  ])
  assertNoneMissing(options, rows)
  const choices = rows.flatMap(({ route_id: route, replenishment_info_id: details, ...row }) => {
    const point = details?.orderpoint_id
    if (!point || !route) return []
    const quantity = onlyFree ? { qty_to_order: Math.max(0, Math.min(row.free_qty, row.qty_to_order)) } : {}
    return [[point.id, { route_id: route.id, ...quantity }] as const]
  })
  await options.env.model('stock.warehouse.orderpoint').writeEach(new Map(choices))
  return CLOSE
}

/** Quantities that nothing is reserved for, of each product in the warehouse of each option. */
const freeQuantities = computedTogether(option, ['product_id', 'warehouse_id'], async (options, env) => {
  const quantities = new Map<number, number>()
  for (const [warehouse, group] of Map.groupBy(options, (row) => row.warehouse_id?.id ?? 0)) {
    const products = [...new Set(group.flatMap((row) => row.product_id?.id ?? []))]
    const inStock = warehouse
      ? await quantitiesOf(env.withContext({ warehouse_id: warehouse }), products)
      : new Map<number, never>()
    for (const { id, product_id: product } of group)
      quantities.set(id, inStock.get(product?.id ?? 0)?.free ?? 0)
  }
  return quantities
})

export const replenishmentOptions = [
  implement(option, {
    computed: {
      free_qty: freeQuantities,
      lead_time: computed(
        option,
        ['route_id.rule_ids.delay'],
        ({ route_id: route }) => `${route?.rule_ids.reduce((days, rule) => days + rule.delay, 0) ?? 0} days`,
      ),
      warning_message: computed(
        option,
        ['free_qty', 'qty_to_order', 'uom', 'warehouse_id.name'],
        ({ free_qty: free, qty_to_order: wanted, uom, warehouse_id: warehouse }) =>
          free < wanted
            ? `${warehouse?.name ?? ''} has ${free} ${uom ?? ''} free, and ${wanted} ${uom ?? ''} are to be ordered.`
            : '',
      ),
    },
    methods: {
      select_route: async (options) => {
        const { free_qty, qty_to_order, warning_message } = await options.one([
          'free_qty',
          'qty_to_order',
          'warning_message',
        ])
        if (free_qty >= qty_to_order) return choose(options, false)
        return {
          ...shownForm(warning_message ?? '', 'stock.replenishment.option'),
          res_id: options.ensureOne(),
        }
      },
      order_avbl: (options) => choose(options, true),
      order_all: (options) => choose(options, false),
    },
  }),
  implement(info, {
    // Its options are the routes from warehouses that supply the one of the reordering rule.
    wrapCreate: (next) => async (records, list) => {
      const details = await next(records, list)
      const rows = await details.load(['orderpoint_id.warehouse_id'])
      const supplied = rows.flatMap((row) => (row.orderpoint_id ? [row.orderpoint_id.warehouse_id.id] : []))
      const routes = await (
        await records.env.model('stock.route').search([['supplied_wh_id', 'in', [...new Set(supplied)]]])
      ).load(['supplied_wh_id'])
      const options = rows.flatMap(({ id, orderpoint_id: point }) =>
        routes
          .filter((route) => point && route.supplied_wh_id?.id === point.warehouse_id.id)
          .map((route) => ({ replenishment_info_id: id, route_id: route.id })),
      )
      if (options.length) await records.env.model('stock.replenishment.option').create(options)
      return details
    },
  }),
]
