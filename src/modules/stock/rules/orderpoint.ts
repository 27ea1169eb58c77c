// Reordering rules (stock.warehouse.orderpoint): where less is forecast than a minimum, goods are ordered up
// to a maximum. Run by scheduler.ts.
import {
  boolean,
  char,
  computed,
  computedFields,
  date,
  float,
  implement,
  many2one,
  model,
  type Of,
  returns,
  selection,
} from '#models'
import { addDays } from '../../../kit/dates.ts'
import { givenVals, nextNumbers } from '../../base/index.ts'
import { settled } from '../quants/ledger.ts'
import { forecastsOf, SIZES, toOrder } from './replenish.ts'
import { replenish } from './scheduler.ts'

const quantity = { precision: 'Product Unit' } as const

export const orderpoint = model('stock.warehouse.orderpoint', {
  label: 'Minimum Inventory Rule',
  formsBySaving: true,
  events: {
    below_minimum: {
      doc: 'The quantity on hand fell below the minimum.',
      fields: ['name', 'product_id', 'location_id', 'warehouse_id', 'product_min_qty'],
    },
  },
  order: 'location_id, company_id, id',
  rules: {
    product_location_check: {
      uniqueExpression: 'product_id, location_id, company_id',
      message: 'A replenishment rule already exists for this product on this location.',
    },
    multiple: {
      check: 'COALESCE(qty_multiple, 0) >= 0',
      message: 'The order multiple must be more than 0.',
    },
  },
  fields: {
    name: char({ label: 'Name', required: true, mustSend: false, copy: false, readonly: true }),
    trigger: selection(
      { auto: 'Auto', manual: 'Manual' },
      { label: 'Trigger', required: true, default: 'auto' },
    ),
    active: boolean({ label: 'Active', default: true }),
    snoozed_until: date({ label: 'Snoozed', help: 'Nothing is ordered before.' }),
    warehouse_id: many2one('stock.warehouse', {
      label: 'Warehouse',
      required: true,
      mustSend: false,
      checkCompany: true,
      ondelete: 'cascade',
    }),
    location_id: many2one('stock.location', {
      label: 'Location',
      required: true,
      mustSend: false,
      checkCompany: true,
      index: true,
      ondelete: 'cascade',
    }),
    product_id: many2one('product.product', {
      label: 'Product',
      required: true,
      checkCompany: true,
      ondelete: 'cascade',
    }),
    product_tmpl_id: many2one('product.template', {
      label: 'Product Template',
      related: 'product_id.product_tmpl_id',
    }),
    product_uom: many2one('uom.uom', { label: 'Unit', related: 'product_id.uom_id' }),
    product_min_qty: float({ label: 'Min Quantity', ...quantity, required: true, default: 0 }),
    product_max_qty: float({
      label: 'Max Quantity',
      ...quantity,
      required: true,
      default: 0,
      help: 'Goods are ordered up to it.',
    }),
    qty_multiple: float({
      label: 'Multiple',
      ...quantity,
      help: 'Goods are ordered in multiples of it; 0 for any quantity.',
    }),
    replenishment_uom_id: many2one('uom.uom', {
      label: 'Ordered in',
      ondelete: 'set null',
      help: 'Goods are ordered in whole ones of it.',
    }),
    company_id: many2one('res.company', {
      label: 'Company',
      required: true,
      index: true,
      ondelete: 'cascade',
    }),
    route_id: many2one('stock.route', {
      label: 'Route',
      checkCompany: true,
      help: 'Goods come by it, and not by those of the product.',
    }),
    qty_on_hand: float({ label: 'On Hand', ...quantity, computed: true }),
    qty_forecast: float({ label: 'Forecast', ...quantity, computed: true }),
    qty_to_order_manual: float({ label: 'To Order Manual', ...quantity, copy: false }),
    qty_to_order: float({
      ...quantity,
      label: 'To Order',
      computed: true,
      help: 'Quantity that is missing up to the maximum; users may enter another one.',
    }),
    lead_days_date: date({ label: 'Lead Days Date', computed: true }),
  },
  methods: {
    action_replenish: {
      doc: 'Orders what is missing now.',
      params: {},
      returns: returns<true>('boolean', 'bool'),
    },
    action_replenish_auto: {
      doc: 'Orders what is missing now and from now on.',
      params: {},
      returns: returns<true>('boolean', 'bool'),
    },
    quantity_in_progress: {
      doc: 'Quantities that are requested without a move yet, by id: modules that request goods wrap it.',
      private: true,
      params: {},
      returns: returns<Readonly<Record<string, number>>>('object', 'dict'),
    },
  },
})

declare module '#models' {
  interface Models {
    'stock.warehouse.orderpoint': Orderpoint
  }
  interface Orderpoint extends Of<typeof orderpoint> {}
}

export default implement(orderpoint, {
  defaults: { company_id: (env) => env.companyId },
  computed: {
    ...computedFields(
      orderpoint,
      ['qty_on_hand', 'qty_forecast', 'qty_to_order'],
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
        return new Map(
          points.map((point) => {
            const forecastOf = forecasts.get(`${point.product_id.id}/${point.location_id.id}`) ?? {
              onHand: 0,
              forecast: 0,
            }
            const forecast = settled(forecastOf.forecast + (inProgress[point.id] ?? 0))
            const wanted = toOrder(forecast, point)
            return [
              point.id,
              {
                qty_on_hand: settled(forecastOf.onHand),
                qty_forecast: forecast,
                qty_to_order: point.qty_to_order_manual || wanted,
              },
            ]
          }),
        )
      },
      {
        inverse: async (env, values) => {
          await env
            .model('stock.warehouse.orderpoint')
            .writeEach(
              new Map([...values].map(([id, value]) => [id, { qty_to_order_manual: Number(value) || 0 }])),
            )
        },
      },
    ),
    lead_days_date: computed(orderpoint, ['lead_days'], (point, env) =>
      addDays(env.now().toISOString().slice(0, 10), Math.ceil(point.lead_days)),
    ),
  },
  checks: {
    'The maximum of a reordering rule must not be below its minimum.': computed(
      orderpoint,
      ['product_min_qty', 'product_max_qty'],
      (orderpoint) => orderpoint.product_max_qty >= orderpoint.product_min_qty,
    ),
  },
  methods: {
    action_replenish: async (points) => {
      await replenish(points, { everything: true })
      return true as const
    },
    action_replenish_auto: async (points) => {
      await points.write({ trigger: 'auto' })
      await replenish(points, { everything: true })
      return true as const
    },
    quantity_in_progress: async () => ({}),
  },
  wrapCreate: (next) => async (points, list) => {
    const { env } = points
    const valsList = givenVals(list as readonly unknown[])
    const houses = await (
      await env
        .sudo()
        .model('stock.warehouse')
        .search([['company_id', 'in', [...env.companyIds]]])
    ).load(['company_id', 'lot_stock_id'])
    const names = (await nextNumbers(env.sudo(), 'stock.orderpoint', valsList.length)) ?? []
    return next(
      points,
      valsList.map((vals, i) => {
        const company = Number.isInteger(vals.company_id) ? vals.company_id : env.companyId
        const house = houses.find((warehouse) =>
          vals.warehouse_id ? warehouse.id === vals.warehouse_id : warehouse.company_id.id === company,
        )
        return {
          name: names[i] ?? 'OP',
          ...(house ? { warehouse_id: house.id, location_id: house.lot_stock_id?.id ?? null } : {}),
          ...vals,
        }
      }) as typeof list,
    )
  },
})
