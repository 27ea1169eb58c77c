// Proposals of quantities (purchase.order): what the vendor offers and will be short, by the demand of the
// time that the vendor's proposals look at.
import { type Environment, extend, implement, type Of, type Records } from '#models'
import { UserError } from '../../errors.ts'
import { assertWithin } from '../../limits.ts'
import { idList, sql } from '../../sql/index.ts'
import { assertAllowedAndExisting, readonlyActionMethod } from '../base/index.ts'
import { BY_QUANTITY } from '../purchase/index.ts'
import { quantitiesOf } from '../stock/index.ts'
import { convertQuantity, type UnitFactor } from '../uom/index.ts'
import { demandOf } from './demand.ts'

const order = extend('purchase.order', {
  fields: {},
  methods: {
    action_purchase_order_suggest: {
      doc: "Orders what the vendor offers and will be short: the demand of a time (suggest_based_on, such as 30_days) for so many days (suggest_days), a percentage of it (suggest_percent), less what will be there. The context comes before what the vendor's contact says.",
      params: {},
    },
  },
})

const line = extend('purchase.order.line', {
  fields: {},
  methods: {
    action_product_forecast_report: readonlyActionMethod(
      "Shows what is expected of the line's product to come and to leave.",
    ),
  },
})

declare module '#models' {
  interface PurchaseOrder extends Of<typeof order> {}
  interface PurchaseOrderLine extends Of<typeof line> {}
}

interface Plan {
  /** Days before today whose demand counts. */
  readonly past: number
  /** Days that the goods should last. */
  readonly days: number
  readonly percent: number
}

/** Times that proposals may look at, besides `N_days`. */
const times: Readonly<Record<string, number>> = {
  one_week: 7,
  one_month: 30,
  three_months: 90,
  one_year: 365,
}
/** Days of the longest time. */
const LONGEST = 3650

/** Throws UserError for times and percentages that mean nothing. */
function planOf(
  env: Environment,
  vendor: { suggest_based_on: string | null; suggest_days: number; suggest_percent: number },
): Plan {
  const based = String(env.context.suggest_based_on ?? vendor.suggest_based_on ?? '')
  const past = times[based] ?? Number(/^(\d{1,4})_days$/.exec(based)?.[1])
  const days = Number(env.context.suggest_days ?? vendor.suggest_days)
  const percent = Number(env.context.suggest_percent ?? vendor.suggest_percent)
  if (!(past > 0 && past <= LONGEST))
    throw new UserError('suggest_based_on must be a period such as 30_days, one_month or one_year.')
  if (!(days >= 0 && days <= LONGEST && percent >= 0 && percent <= 1000))
    throw new UserError(
      'The proposed days must be between 0 and 3650, and the percentage between 0 and 1000.',
    )
  return { past, days, percent }
}

/** Products that a vendor, or its company, offers to a company today. */
async function offered(env: Environment, vendors: readonly number[], company: number): Promise<number[]> {
  const rows = await env.rows(
    sql`SELECT DISTINCT p.id FROM product_supplierinfo i JOIN product_product p ON p.product_tmpl_id = i.product_tmpl_id
      AND (i.product_id IS NULL OR i.product_id = p.id) JOIN product_template t ON t.id = p.product_tmpl_id
    WHERE i.partner_id = ANY(${idList([...vendors])}) AND (i.company_id IS NULL OR i.company_id = ${company}::int)
      AND (i.date_end IS NULL OR i.date_end >= (now() AT TIME ZONE 'UTC')::date) AND p.active AND t.purchase_ok AND t.is_storable ORDER BY 1`,
    { reads: ['product.supplierinfo', 'product.product', 'product.template'], row: ['int'] },
  )
  return rows.map(([id]) => id)
}

type Lines = readonly {
  readonly id: number
  readonly product_uom_id: UnitFactor | null
  readonly product_id: {
    readonly id: number
    readonly product_tmpl_id: { readonly uom_id: UnitFactor }
  } | null
}[]

/** Puts quantities on the lines of a request, in their units, and on new ones for other products. */
async function takeOver(
  { env, ids: [order_id = 0] }: Records<'purchase.order'>,
  lines: Lines,
  wanted: ReadonlyMap<number, number>,
): Promise<void> {
  const existing = new Map<number, { product_qty: number }>()
  const products = new Set<number>()
  for (const { id, product_id: product, product_uom_id: unit } of lines) {
    const quantity = wanted.get(product?.id ?? 0)
    if (!product || !unit || quantity === undefined || products.has(product.id)) continue
    products.add(product.id)
    existing.set(id, { product_qty: convertQuantity(quantity, product.product_tmpl_id.uom_id, unit, 'up') })
  }
  const orderLines = env.model('purchase.order.line')
  if (existing.size) await orderLines.browse([...existing.keys()]).writeEach(existing)
  const others = [...wanted].filter(([product]) => !products.has(product))
  assertWithin('records', others.length)
  const goods = env.model('product.product').browse(others.map(([product]) => product))
  const units = new Map(
    (await goods.load(['product_tmpl_id.uom_id'])).map((row) => [row.id, row.product_tmpl_id.uom_id.id]),
  )
  if (others.length)
    await env
      .withContext({ [BY_QUANTITY]: true })
      .model('purchase.order.line')
      .create(
        others.map(([product_id, product_qty]) => ({
          order_id,
          product_id,
          product_qty,
          product_uom_id: units.get(product_id) ?? false,
        })),
      )
}

async function suggest(orders: Records<'purchase.order'>): Promise<null> {
  await assertAllowedAndExisting(orders, 'write')
  const row = await orders.one([
    'state',
    'company_id',
    'partner_id.commercial_partner_id',
    'partner_id.suggest_based_on',
    'partner_id.suggest_days',
    'partner_id.suggest_percent',
    'picking_type_id.warehouse_id',
    'order_line.product_uom_id.factor',
    'order_line.product_id.product_tmpl_id.uom_id.factor',
  ])
  if (row.state !== 'draft' && row.state !== 'sent')
    throw new UserError(
      'Quantities can only be proposed for requests for quotation: this order is confirmed or cancelled.',
    )
  const { env } = orders
  const plan = planOf(env, row.partner_id)
  const vendors = [row.partner_id.id, (row.partner_id.commercial_partner_id ?? row.partner_id).id]
  const company = row.company_id.id
  const offers = new Set(await offered(env, vendors, company))
  const readable = await env.model('product.product').search([['id', 'in', [...offers]]])
  const house = row.picking_type_id?.warehouse_id
  const home = env.withCompany(company)
  const demand = await demandOf(env, readable.ids, [company], plan.past)
  const inStock = await quantitiesOf(
    house ? home.withContext({ warehouse_id: house.id }) : home,
    readable.ids,
  )
  const wanted = readable.ids.flatMap((product) => {
    const needed = ((demand.get(product) ?? 0) / plan.past) * plan.days * (plan.percent / 100)
    const missing = Math.ceil(Number((needed - (inStock.get(product)?.forecast ?? 0)).toFixed(6)))
    return missing > 0 ? [[product, missing] as const] : []
  })
  await takeOver(orders, row.order_line, new Map(wanted))
  return null
}

export const suggestions = [
  implement(order, { methods: { action_purchase_order_suggest: suggest } }),
  implement(line, {
    methods: {
      action_product_forecast_report: async (lines) => {
        const { product_id: product } = await lines.one(['product_id'])
        if (!product) throw new UserError('The line has no product.')
        return lines.env.model('product.product').browse([product.id]).action_product_forecast_report()
      },
    },
  }),
]
