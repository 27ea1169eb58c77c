// Offers of vendors (product.supplierinfo): their code, name and price of a product, from which
// quantity, and for how long.
import {
  char,
  computed,
  computedTogether,
  date,
  float,
  implement,
  integer,
  many2one,
  model,
  type Of,
  type WriteChange,
} from '#models'
import { ValidationError } from '../../errors.ts'
import { addDecimals, asDecimal } from '../../kit/rounding.ts'
import { givenVals, languagesFor } from '../base/index.ts'
import { convertPrice } from '../uom/index.ts'
import { offered, singleVariants } from './supplierinfo-products.ts'

const supplierinfo = model('product.supplierinfo', {
  label: 'Supplier Pricelist',
  formsBySaving: true,
  order: 'sequence, min_qty desc, price, id',
  recName: 'partner_id',
  fields: {
    partner_id: many2one('res.partner', {
      label: 'Vendor',
      required: true,
      ondelete: 'cascade',
      index: true,
    }),
    product_name: char({ label: 'Vendor Product Name' }),
    product_code: char({ label: 'Vendor Product Code' }),
    sequence: integer({ label: 'Sequence', default: 1 }),
    product_uom_id: many2one('uom.uom', {
      label: 'Unit',
      required: true,
      mustSend: false,
      ondelete: 'restrict',
    }),
    min_qty: float({
      label: 'Quantity',
      precision: 'Product Unit',
      default: 0,
      help: 'The offer holds from this quantity on, in its own unit.',
    }),
    price: float({
      label: 'Unit Price',
      digits: false,
      default: 0,
      help: 'For one of the unit of the offer.',
    }),
    price_discounted: float({
      label: 'Discounted Price',
      digits: false,
      computed: true,
      help: "For one of the product's own unit.",
    }),
    discount: float({ label: 'Discount (%)', precision: 'Discount' }),
    company_id: many2one('res.company', { label: 'Company', index: true }),
    currency_id: many2one('res.currency', { label: 'Currency', required: true, ondelete: 'restrict' }),
    date_start: date({ label: 'Start Date' }),
    date_end: date({ label: 'End Date' }),
    product_id: many2one('product.product', { label: 'Product Variant', ondelete: 'cascade', index: true }),
    product_tmpl_id: many2one('product.template', {
      label: 'Product Template',
      required: true,
      mustSend: false,
      ondelete: 'cascade',
      index: true,
    }),
    product_variant_count: integer({
      label: 'Variant Count',
      related: 'product_tmpl_id.product_variant_count',
    }),
    delay: integer({ label: 'Lead Time', default: 1, help: 'Days between order and receipt.' }),
  },
})

declare module '#models' {
  interface Models {
    'product.supplierinfo': SupplierInfo
  }
  interface SupplierInfo extends Of<typeof supplierinfo> {}
}

export default implement(supplierinfo, {
  defaults: {
    company_id: (env) => env.companyId,
    currency_id: async (env) => {
      const [company] = await env.sudo().model('res.company').browse([env.companyId]).load(['currency_id'])
      return company?.currency_id.id
    },
  },
  // The vendor, from which quantity on, and the price: `Lumber Inc (1.0 Units - $ 4.00)`.
  displayName: computedTogether(
    supplierinfo,
    [
      'partner_id.display_name',
      'min_qty',
      'price',
      'product_uom_id.name',
      'currency_id.symbol',
      'currency_id.position',
      'currency_id.decimal_places',
    ],
    async (offers, env) => {
      const write = (await languagesFor(env, [env.lang]))(env.lang)
      return new Map(
        offers.map((offer) => {
          const quantity = Number.isInteger(offer.min_qty) ? `${offer.min_qty}.0` : String(offer.min_qty)
          const from = `${quantity} ${offer.product_uom_id.name}`
          const price = write.money(offer.price, offer.currency_id)
          return [offer.id, `${offer.partner_id.display_name} (${from} - ${price})`]
        }),
      )
    },
  ),
  computed: {
    price_discounted: computed(
      supplierinfo,
      ['price', 'discount', 'product_uom_id.factor', 'product_tmpl_id.uom_id.factor'],
      (offer) => {
        const price = convertPrice(offer.price, offer.product_uom_id, offer.product_tmpl_id.uom_id)
        return asDecimal(asDecimal(price * addDecimals(100, -offer.discount)) / 100)
      },
    ),
  },
  checks: {
    'An offer cannot end before it begins.': computed(
      supplierinfo,
      ['date_start', 'date_end'],
      (offer) => !offer.date_start || !offer.date_end || offer.date_start <= offer.date_end,
    ),
    'The variant of an offer must be one of its product.': computed(
      supplierinfo,
      ['product_id.product_tmpl_id', 'product_tmpl_id'],
      (offer) => !offer.product_id || offer.product_id.product_tmpl_id.id === offer.product_tmpl_id.id,
    ),
  },
  wrapWrite: (next) => async (offers, changes) => {
    const alone = ({ vals }: WriteChange) => vals.product_id && !vals.product_tmpl_id
    const variants = await offered(
      offers.env,
      changes.filter(alone).map(({ vals }) => vals.product_id),
    )
    const templates = new Map<unknown, number>(variants.map(({ id, template }) => [id, template]))
    return next(
      offers,
      changes.map((change) => {
        const product_tmpl_id = alone(change) ? templates.get(change.vals.product_id) : undefined
        return product_tmpl_id ? { ...change, vals: { ...change.vals, product_tmpl_id } } : change
      }),
    )
  },
  wrapGeneric: {
    create: (next) => async (offers, params) =>
      next(offers, { ...params, vals_list: await completed(offers.env, givenVals(params.vals_list)) }),
  },
})

/**
 * Product from variant, the only variant from product, the unit from the product. Throws ValidationError for
 * an offer of nothing.
 */
async function completed(
  env: Parameters<typeof offered>[0],
  list: readonly Record<string, unknown>[],
): Promise<Record<string, unknown>[]> {
  const valsList = list.map((vals) => ({
    ...vals,
    product_id: vals.product_id ?? env.context.default_product_id,
    product_tmpl_id: vals.product_tmpl_id ?? env.context.default_product_tmpl_id,
  })) as (Record<string, unknown> & { product_id: unknown; product_tmpl_id: unknown })[]
  const variants = new Map(
    (
      await offered(
        env,
        valsList.map((vals) => vals.product_id),
      )
    ).map((variant) => [variant.id, variant.template]),
  )
  const wanted = valsList.map(
    (vals) => vals.product_tmpl_id || variants.get(vals.product_id as number) || null,
  )
  const products = await singleVariants(
    env,
    wanted.flatMap((id) => (typeof id === 'number' ? id : [])),
  )
  return valsList.map(({ product_id, product_tmpl_id, ...vals }, i) => {
    const template = wanted[i]
    if (!template) throw new ValidationError('An offer of a vendor needs a product.')
    const product = products.get(template as number)
    return {
      ...vals,
      product_tmpl_id: template,
      product_id: product_id === undefined ? (product?.variant ?? false) : product_id,
      product_uom_id: vals.product_uom_id ?? product?.unit,
    }
  })
}
