// Discounts as lines of an order: one for each set of taxes, as the helper lines of the tax engine say.
import type { Records, Vals } from '#models'
import { present } from '../../kit/present.ts'
import { helperLinesOf, trusted } from '../account/index.ts'
import { pricedPaths, quantityOf } from './amounts.ts'

type Order = Records<'sale.order'>

/** A discount: a share of the order's current amount, or a sum with taxes, in the order's currency. */
export type Off = { readonly share: number } | { readonly sum: number }

/** The product of discount lines; the company gets one when it has none. */
async function discountProduct(order: Order, company: number): Promise<number> {
  const su = order.env.sudo().withCompany(company)
  const companies = su.model('res.company').browse([company])
  const { sale_discount_product_id: companyProduct } = await companies.one(['sale_discount_product_id'])
  if (companyProduct) return companyProduct.id
  const template = await su.model('product.template').create([
    {
      name: 'Discount',
      type: 'service',
      invoice_policy: 'order',
      list_price: 0,
      company_id: company,
      taxes_id: [[5]],
      purchase_ok: false,
    },
  ])
  const { product_variant_ids: variants } = await template.one(['product_variant_ids'])
  const product = present(variants[0]).id
  await companies.write({ sale_discount_product_id: product })
  return product
}

/** Adds the lines, under the caller's rights. Nothing is added where there is nothing to take off from. */
export async function addDiscountLines(order: Order, off: Off): Promise<void> {
  const { env } = order
  const { company_id: company, currency_id: currency } = await order.one(['company_id', 'currency_id'])
  const lines = await env
    .sudo()
    .model('sale.order.line')
    .search([
      ['order_id', '=', order.ensureOne()],
      ['display_type', '=', false],
      ['is_downpayment', '=', false],
    ])
  const helpers = await helperLinesOf(
    env,
    await lines.load(pricedPaths),
    { company: company.id, currency: currency?.id ?? null },
    quantityOf,
    'share' in off ? { share: -off.share } : { sum: -off.sum },
  )
  if (helpers.length === 0) return
  const names = await taxNames(
    env,
    helpers.flatMap(({ taxIds }) => taxIds),
  )
  const product_id = await discountProduct(order, company.id)
  const title = 'share' in off ? `Discount ${Number((off.share * 100).toFixed(2))}%` : 'Discount'
  await env.model('sale.order.line').create(
    helpers.map(({ taxIds, priceUnit, fixed }): Vals<'sale.order.line'> => {
      const taxNames = taxIds.map((id) => names.get(id) ?? '')
      return {
        order_id: order.ensureOne(),
        product_id,
        name:
          helpers.length > 1 && taxNames.length ? `${title}, on products with ${taxNames.join(', ')}` : title,
        sequence: 999,
        product_uom_qty: 1,
        price_unit: priceUnit,
        discount: 0,
        tax_ids: [[6, 0, taxIds]],
        extra_tax_data: trusted(fixed),
      }
    }),
  )
}

/** Names of taxes by id. */
async function taxNames(env: Order['env'], ids: readonly number[]): Promise<Map<number, string>> {
  const taxes = env.sudo().model('account.tax').withContext({ active_test: false })
  const rows = await taxes.browse([...new Set(ids)]).load(['name'])
  return new Map(rows.map((row) => [row.id, row.name]))
}
