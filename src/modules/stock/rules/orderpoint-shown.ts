// Reordering rules as the list of replenishments shows them (stock.warehouse.orderpoint): the route that
// goods come by, how long that takes, what is typed and what is computed.
import {
  boolean,
  char,
  computed,
  computedFields,
  date,
  type Environment,
  extend,
  float,
  implement,
  many2many,
  many2one,
  type Of,
  returns,
} from '#models'
import { addDays } from '../../../kit/dates.ts'
import { assertAllowed, readonlyActionMethod } from '../../base/index.ts'
import { settled } from '../quants/ledger.ts'
import { loadChains, loadRoutes, loadRules, ruleFor } from './procurement.ts'
import { forecastsOf, SIZES, toOrder } from './replenish.ts'

const live = { computed: true } as const
const quantity = { precision: 'Product Unit', computed: true } as const

const orderpoint = extend('stock.warehouse.orderpoint', {
  fields: {
    product_category_id: many2one('product.category', {
      label: 'Product Category',
      related: 'product_id.categ_id',
    }),
    product_uom_name: char({ label: 'Name of the Unit', related: 'product_uom.name' }),
    rule_ids: many2many('stock.rule', { label: 'Rules', ...live, help: 'Rules that bring the goods.' }),
    effective_route_id: many2one('stock.route', { label: 'Route in Use', ...live }),
    show_supply_warning: boolean({ label: 'No Rule Brings It', ...live }),
    lead_days: float({ label: 'Days Until They Come', ...live }),
    days_to_order: float({ label: 'Days to Order', ...live, help: 'Days that it takes to order them.' }),
    lead_horizon_date: date({ label: 'Planned Until', ...live }),
    deadline_date: date({
      label: 'Order by',
      ...live,
      asStored: true,
      help: 'The last day to order so that promised deliveries can leave in time; today if stock is short.',
    }),
    qty_to_order_computed: float({ label: 'To Order as Computed', ...quantity, asStored: true }),
    unwanted_replenish: boolean({
      label: 'More Than Wanted',
      ...live,
      help: 'The quantity to order brings more than the maximum.',
    }),
    allowed_location_ids: many2many('stock.location', {
      label: 'Places It May Be for',
      ...live,
      asLines: true,
    }),
  },
  methods: {
    action_remove_manual_qty_to_order: { doc: 'Clears the entered quantity.', params: {} },
    get_horizon_days: {
      doc: 'Returns the planning horizon in days.',
      readonly: true,
      params: {},
      returns: returns<number>('number', 'float'),
    },
    action_product_forecast_report: readonlyActionMethod(
      'Shows what is expected of the product to come and to leave.',
    ),
  },
})

declare module '#models' {
  interface Orderpoint extends Of<typeof orderpoint> {}
}

interface Point {
  readonly id: number
  readonly product_id: { readonly id: number }
  readonly location_id: { readonly id: number }
  readonly warehouse_id: { readonly id: number }
  readonly company_id: { readonly id: number }
  readonly route_id: { readonly id: number } | null
}

/** The rule that would bring goods, by point. */
async function rulesFor(env: Environment, points: readonly Point[]) {
  const su = env.sudo()
  const [rules, chains, routes] = await Promise.all([
    loadRules(su, 'pull'),
    loadChains(
      su,
      points.map((point) => point.location_id.id),
    ),
    loadRoutes(
      su,
      points.map((point) => point.product_id.id),
    ),
  ])
  return new Map(
    points.map((point) => {
      const need = {
        product: point.product_id.id,
        location: point.location_id.id,
        company: point.company_id.id,
        warehouse: point.warehouse_id.id,
        routes: point.route_id ? [point.route_id.id] : [],
      }
      return [point.id, ruleFor(need, rules, routes, chains.get(need.location) ?? [], (rule) => rule.dest)]
    }),
  )
}

const supply = computedFields(
  orderpoint,
  ['rule_ids', 'effective_route_id', 'show_supply_warning', 'lead_days'],
  ['product_id', 'location_id', 'warehouse_id', 'company_id', 'route_id'],
  async (points, env) => {
    const rules = await rulesFor(env, points)
    return new Map(
      points.map((point) => {
        const rule = rules.get(point.id) ?? null
        return [
          point.id,
          {
            rule_ids: rule ? [rule.id] : [],
            effective_route_id: rule?.route ?? point.route_id?.id ?? null,
            show_supply_warning: rule === null,
            lead_days: rule?.delay ?? 0,
          },
        ]
      }),
    )
  },
)

const wanted = computedFields(
  orderpoint,
  ['qty_to_order_computed', 'unwanted_replenish', 'deadline_date'],
  ['product_id', 'location_id', 'qty_to_order_manual', ...SIZES],
  async (points, env) => {
    const forecasts = await forecastsOf(
      env,
      points.map((point) => ({ product: point.product_id.id, location: point.location_id.id })),
    )
    const inProgress = (await env
      .model('stock.warehouse.orderpoint')
      .browse(points.map(({ id }) => id))
      .invoke('quantity_in_progress', {})) as Readonly<Record<string, number>>
    const today = env.now().toISOString().slice(0, 10)
    return new Map(
      points.map((point) => {
        const forecastStock = forecasts.get(`${point.product_id.id}/${point.location_id.id}`)?.forecast ?? 0
        const forecast = settled(forecastStock + (inProgress[point.id] ?? 0))
        const missing = toOrder(forecast, point)
        const ordered = point.qty_to_order_manual || missing
        return [
          point.id,
          {
            qty_to_order_computed: missing,
            unwanted_replenish: ordered > 0 && settled(forecast + ordered) > point.product_max_qty,
            deadline_date: missing > 0 ? today : null,
          },
        ]
      }),
    )
  },
)

export default implement(orderpoint, {
  computed: {
    ...supply,
    ...wanted,
    days_to_order: computed(orderpoint, [], () => 0),
    lead_horizon_date: computed(orderpoint, ['lead_days', 'company_id.horizon_days'], (point, env) =>
      addDays(
        env.now().toISOString().slice(0, 10),
        Math.ceil(point.lead_days + point.company_id.horizon_days),
      ),
    ),
    allowed_location_ids: computed(
      orderpoint,
      ['warehouse_id.lot_stock_id.child_ids', 'location_id'],
      ({ warehouse_id: { lot_stock_id: stock }, location_id: place }) => [
        ...new Set([place.id, ...(stock ? [stock.id, ...stock.child_ids.map(({ id }) => id)] : [])]),
      ],
    ),
  },
  methods: {
    action_remove_manual_qty_to_order: async (points) => {
      await points.write({ qty_to_order_manual: 0 })
      return null
    },
    get_horizon_days: async (points) => {
      await assertAllowed(points, 'read')
      const [point] = await points.load(['company_id'])
      const { env } = points
      const company = env.model('res.company').browse([point?.company_id.id ?? env.companyId])
      return (await company.one(['horizon_days'])).horizon_days
    },
    action_product_forecast_report: async (points) => {
      const { product_id: product } = await points.one(['product_id'])
      return points.env.model('product.product').browse([product.id]).action_product_forecast_report()
    },
  },
})
