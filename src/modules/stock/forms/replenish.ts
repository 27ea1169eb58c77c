// The form that orders so much of a product now (product.replenish), by the routes of its warehouse or the
// one that is chosen.
import {
  boolean,
  computed,
  computedTogether,
  datetime,
  type Environment,
  float,
  implement,
  many2many,
  many2one,
  type Of,
  type Records,
  returns,
  transient,
} from '#models'
import { UserError } from '../../../errors.ts'
import { nowUtc } from '../../../kit/dates.ts'
import { isInteger, present } from '../../../kit/present.ts'
import { actionMethod, assertAllowed } from '../../base/index.ts'
import { assertSeen } from '../rules/asked-needs.ts'
import { meetNeeds, type Need } from '../rules/procurement.ts'
import { forecastsOf } from '../rules/replenish.ts'

const form = transient('product.replenish', {
  label: 'Product Replenish',
  recName: 'product_id',
  fields: {
    product_id: many2one('product.product', { label: 'Product', required: true, ondelete: 'cascade' }),
    product_tmpl_id: many2one('product.template', {
      label: 'Product Template',
      related: 'product_id.product_tmpl_id',
    }),
    product_has_variants: boolean({ label: 'Has Variants', computed: true }),
    product_uom_id: many2one('uom.uom', {
      label: 'Unit',
      required: true,
      mustSend: false,
      computed: true,
      stored: true,
      precompute: true,
    }),
    allowed_uom_ids: many2many('uom.uom', { label: 'Allowed Units', computed: true }),
    forecast_uom_id: many2one('uom.uom', { label: 'Unit of the Forecast', related: 'product_id.uom_id' }),
    forecasted_quantity: float({
      label: 'Forecasted Quantity',
      precision: 'Product Unit',
      computed: true,
      help: 'In the warehouse, with all that is expected to come and to leave.',
    }),
    quantity: float({ label: 'Quantity', precision: 'Product Unit', required: true, default: 1 }),
    date_planned: datetime({ label: 'Scheduled Date', required: true, mustSend: false }),
    warehouse_id: many2one('stock.warehouse', {
      label: 'Warehouse',
      required: true,
      mustSend: false,
      ondelete: 'cascade',
    }),
    company_id: many2one('res.company', { label: 'Company', related: 'warehouse_id.company_id' }),
    route_id: many2one('stock.route', {
      label: 'Preferred Route',
      help: 'Goods come by it; empty: by the routes of the product and the warehouse.',
    }),
    allowed_route_ids: many2many('stock.route', { label: 'Allowed Routes', computed: true }),
  },
  methods: {
    launch_replenishment: actionMethod('Orders the quantity.'),
    replenished_need: {
      doc: 'Returns the need of a form. Modules that order goods add to it.',
      private: true,
      params: {},
      returns: returns<Need>('any', 'object'),
    },
  },
})

declare module '#models' {
  interface Models {
    'product.replenish': ProductReplenish
  }
  interface ProductReplenish extends Of<typeof form> {}
}

/** The variant that the context names, or the first one of the product that it names. */
async function productOf(env: Environment): Promise<number | null> {
  const { default_product_tmpl_id: template } = env.context
  if (!isInteger(template)) return null
  const variants = await env
    .model('product.product')
    .search([['product_tmpl_id', '=', template]], { limit: 1 })
  return variants.ids[0] ?? null
}

const allowedRoutes = computedTogether(form, ['warehouse_id.company_id'], async (forms, env) => {
  const routes = await env.model('stock.route').search([['rule_ids', '!=', false]])
  const rows = await routes.load(['company_id'])
  return new Map(
    forms.map(({ id, warehouse_id: { company_id: company } }) => [
      id,
      rows.filter((route) => !route.company_id || route.company_id.id === company.id),
    ]),
  )
})

const forecasts = computedTogether(form, ['product_id', 'warehouse_id.lot_stock_id'], async (forms, env) => {
  const points = forms.flatMap(({ product_id, warehouse_id: { lot_stock_id: place } }) =>
    place ? [{ product: product_id.id, location: place.id }] : [],
  )
  const quantities = await forecastsOf(env, points)
  return new Map(
    forms.map(({ id, product_id, warehouse_id: { lot_stock_id: place } }) => [
      id,
      quantities.get(`${product_id.id}/${place?.id}`)?.forecast ?? 0,
    ]),
  )
})

async function needOf(forms: Records<'product.replenish'>): Promise<Need> {
  const row = await forms.one([
    'product_id.product_tmpl_id.type',
    'product_uom_id',
    'allowed_uom_ids',
    'quantity',
    'date_planned',
    'warehouse_id.lot_stock_id',
    'company_id',
    'route_id',
  ])
  if (row.product_id.product_tmpl_id.type !== 'consu')
    throw new UserError('Only goods can be replenished: choose another product.')
  if (!(row.quantity > 0)) throw new UserError('The quantity to replenish must be more than 0.')
  if (!row.allowed_uom_ids.some(({ id }) => id === row.product_uom_id.id))
    throw new UserError('Invalid unit for this product: choose its own unit, or one of its packagings.')
  const place = row.warehouse_id.lot_stock_id
  if (!place) throw new UserError('The warehouse has no stock location.')
  return {
    product: row.product_id.id,
    quantity: row.quantity,
    unit: row.product_uom_id.id,
    location: place.id,
    company: present(row.company_id).id,
    warehouse: row.warehouse_id.id,
    origin: 'Manual Replenishment',
    date: row.date_planned,
    routes: row.route_id ? [row.route_id.id] : [],
  }
}

export default implement(form, {
  defaults: {
    product_id: productOf,
    date_planned: (env) => nowUtc(env.now()),
    warehouse_id: async (env) =>
      (await env.model('stock.warehouse').search([['company_id', '=', env.companyId]], { limit: 1 }))
        .ids[0] ?? null,
  },
  computed: {
    product_has_variants: computed(
      form,
      ['product_id.product_tmpl_id.product_variant_ids'],
      ({ product_id: { product_tmpl_id: template } }) => template.product_variant_ids.length > 1,
    ),
    product_uom_id: computed(
      form,
      ['product_id.product_tmpl_id.uom_id'],
      ({ product_id: { product_tmpl_id: template } }) => template.uom_id,
      { editable: true },
    ),
    allowed_uom_ids: computed(
      form,
      ['product_id.product_tmpl_id.uom_id', 'product_id.product_tmpl_id.uom_ids'],
      ({ product_id: { product_tmpl_id: template } }) => [
        ...new Set([template.uom_id.id, ...template.uom_ids.map(({ id }) => id)]),
      ],
    ),
    forecasted_quantity: forecasts,
    allowed_route_ids: allowedRoutes,
  },
  methods: {
    replenished_need: needOf,
    launch_replenishment: async (forms) => {
      const { env } = forms
      await assertAllowed(env.model('stock.move').browse([]), 'create')
      const need = (await forms.replenished_need()) as Need
      await assertSeen(env, [need])
      await meetNeeds(env, [need])
      return {
        type: 'ir.actions.client',
        tag: 'display_notification',
        params: {
          type: 'success',
          message: 'The goods were ordered.',
          next: { type: 'ir.actions.act_window_close' },
        },
      }
    },
  },
})
