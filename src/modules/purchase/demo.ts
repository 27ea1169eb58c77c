// Purchases of the shop to look at: vendors, what they offer for the products that are there, and orders of
// the last two months in all states.
import { type DataSet, type Environment, ref } from '#models'
import { addDays, nowUtc } from '../../kit/dates.ts'

const names = [
  'Old Harbour Imports',
  'Meadow Mills',
  'Stone & Clay',
  'Bright Paper',
  'Three Rivers Trading',
  'Linen House',
] as const
const PRODUCTS = 60
const ORDERS = 18

const vendors: DataSet = {
  model: 'res.partner',
  noupdate: true,
  records: Object.fromEntries(
    names.map((name, n) => [
      `demo_vendor_${n + 1}`,
      {
        name,
        is_company: true,
        supplier_rank: 1,
        email: `sales@${name.toLowerCase().replaceAll(/[^a-z]+/g, '')}.example`,
        property_supplier_payment_term_id: ref('account.account_payment_term_30days'),
      },
    ]),
  ),
}

/** Products of the shop that come from vendors: the first ones, in the order in which they were made. */
async function bought(env: Environment) {
  const templates = await env
    .model('product.template')
    .search([['type', '=', 'consu']], { order: 'id', limit: PRODUCTS })
  return templates.load(['product_variant_ids', 'standard_price'])
}

/** Each product has one or two vendors; the second is cheaper from a dozen on. */
async function offers(env: Environment): Promise<DataSet> {
  const records = (await bought(env)).flatMap(({ id, standard_price: cost }, n) => {
    const offer = (vendor: number, vals: object) => ({
      partner_id: ref(`demo_vendor_${(vendor % names.length) + 1}`),
      product_tmpl_id: id,
      ...vals,
    })
    const price = cost || 5
    const second = { price: Math.round(price * 92) / 100, min_qty: 12, delay: 10 }
    return [
      [`demo_offer_${n + 1}_1`, offer(n, { price, delay: 3 })] as const,
      ...(n % 2 ? [[`demo_offer_${n + 1}_2`, offer(n + 1, second)] as const] : []),
    ]
  })
  return { model: 'product.supplierinfo', noupdate: true, records: Object.fromEntries(records) }
}

/** Requests for quotation, three products each, the vendor's own. */
async function requests(env: Environment): Promise<DataSet> {
  const products = await bought(env)
  const now = nowUtc(env.now())
  const records = Array.from(
    { length: products.length ? ORDERS : 0 },
    (_, n): [string, Record<string, unknown>] => {
      const vendor = n % names.length
      const vendorProducts = products.filter((_, at) => at % names.length === vendor)
      const lines = [0, 1, 2].flatMap((at) => {
        const variant = vendorProducts[(n + at) % vendorProducts.length]?.product_variant_ids[0]
        return variant ? [[0, 0, { product_id: variant.id, product_qty: 6 * (1 + ((n + at) % 4)) }]] : []
      })
      return [
        `demo_purchase_${n + 1}`,
        {
          partner_id: ref(`demo_vendor_${vendor + 1}`),
          date_order: addDays(now, -Math.floor(((ORDERS - 1 - n) * 60) / ORDERS)),
          ...(n % 3 === 0 ? { partner_ref: `V-${1000 + 7 * n}` } : {}),
          order_line: lines,
        },
      ]
    },
  )
  return { model: 'purchase.order', noupdate: true, records: Object.fromEntries(records) }
}

/** Brings the demo orders into their states: sent, confirmed, cancelled. */
async function fates(env: Environment): Promise<null> {
  const refs = Array.from({ length: ORDERS }, (_, n) => n)
  const externalIds = await env.model('ir.model.data').search([
    ['module', '=', 'purchase'],
    ['model', '=', 'purchase.order'],
  ])
  const ids = new Map(
    (await externalIds.load(['name', 'res_id'])).map((externalId) => [externalId.name, externalId.res_id]),
  )
  const orders = (wanted: (n: number) => boolean) =>
    env
      .model('purchase.order')
      .browse(refs.filter(wanted).flatMap((n) => ids.get(`demo_purchase_${n + 1}`) ?? []))
  await orders((n) => n % 6 === 4).print_quotation()
  await orders((n) => n % 6 < 4).button_confirm()
  await orders((n) => n === 11).button_cancel()
  return null
}

export const demo: readonly (DataSet | ((env: Environment) => DataSet | null | Promise<DataSet | null>))[] = [
  vendors,
  offers,
  requests,
  fates,
]
