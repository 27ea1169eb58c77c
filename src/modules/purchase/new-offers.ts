// Adds the vendors of confirmed orders to the vendors of their products, with the price of the order.
import type { Records } from '#models'
import { convertPrice, type UnitFactor } from '../uom/index.ts'

type Orders = Records<'purchase.order'>

/** Vendors of a product beyond this number are not added. */
const MOST = 10

interface Bought {
  readonly price_unit: number
  readonly product_uom_id: UnitFactor | null
  readonly product_id: { readonly product_tmpl_id: { readonly uom_id: UnitFactor } } | null
}

/** The price per unit of the product, which vendor prices are stored in (recorded). */
const priceForOne = ({ price_unit, product_uom_id, product_id }: Bought): number =>
  product_uom_id && product_id
    ? convertPrice(price_unit, product_uom_id, product_id.product_tmpl_id.uom_id)
    : price_unit

/** Adds the vendors of orders to the products that do not have them yet: a fixed number of statements. */
export async function rememberVendors(orders: Orders): Promise<void> {
  const su = orders.sudo()
  const lines = await su.env.model('purchase.order.line').search([
    ['order_id', 'in', orders.ids],
    ['display_type', '=', false],
    ['product_id', '!=', false],
  ])
  const rows = await lines.load([
    'product_id.product_tmpl_id.uom_id.factor',
    'product_uom_id.factor',
    'price_unit',
    'discount',
    'order_id.currency_id',
    'order_id.company_id',
    'order_id.partner_id.parent_id',
  ])
  const templates = [...new Set(rows.flatMap((row) => row.product_id?.product_tmpl_id.id ?? []))]
  const offers = await su.env.model('product.supplierinfo').search([['product_tmpl_id', 'in', templates]])
  const offersByTemplate = Map.groupBy(
    await offers.load(['product_tmpl_id', 'partner_id', 'sequence']),
    (offer) => offer.product_tmpl_id.id,
  )
  const sellers = new Map(
    templates.map((id) => [id, new Set(offersByTemplate.get(id)?.map((one) => one.partner_id.id))]),
  )
  const counts = new Map(templates.map((id) => [id, offersByTemplate.get(id)?.length ?? 0]))
  const last = new Map(
    templates.map((id) => [id, Math.max(0, ...(offersByTemplate.get(id) ?? []).map((one) => one.sequence))]),
  )
  const vals: Parameters<typeof offers.create>[0][number][] = []
  for (const row of rows) {
    const template = row.product_id?.product_tmpl_id.id ?? 0
    const { partner_id: vendor, currency_id, company_id } = row.order_id
    const ids = sellers.get(template)
    const count = counts.get(template) ?? 0
    if (!ids || ids.has(vendor.id) || (vendor.parent_id && ids.has(vendor.parent_id.id)) || count >= MOST)
      continue
    const partner_id = vendor.parent_id?.id ?? vendor.id
    ids.add(partner_id)
    counts.set(template, count + 1)
    const sequence = (last.get(template) ?? 0) + 1
    last.set(template, sequence)
    vals.push({
      partner_id,
      product_tmpl_id: template,
      sequence,
      min_qty: 1,
      price: priceForOne(row),
      discount: row.discount,
      currency_id: currency_id.id,
      company_id: company_id.id,
      delay: 0,
    })
  }
  if (vals.length) await offers.create(vals)
}
