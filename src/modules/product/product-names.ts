// Names of variants, "[code] name (values)", in a vendor's words if the context names a vendor; and the
// search by name.
import { computedTogether, type Environment, type Records } from '#models'
import { sql } from '../../sql/index.ts'
import { product } from './product.contract.ts'
import { nameSql } from './product-sql.ts'

const named = [
  'default_code',
  'product_tmpl_id.name',
  'product_template_attribute_value_ids.name',
  'product_template_attribute_value_ids.attribute_line_id.value_count',
] as const

interface Named {
  readonly id: number
  readonly default_code: string | null
  readonly product_tmpl_id: { readonly id: number; readonly name: string }
  readonly product_template_attribute_value_ids: readonly {
    readonly name: string | null
    readonly attribute_line_id: { readonly value_count: number }
  }[]
}

/** A vendor's own words for a product. */
interface Words {
  readonly code: string | null
  readonly name: string | null
}

/** `Shirt (L, Blue)`: a line with one value only tells nothing apart. */
export function withValues(name: string, values: Named['product_template_attribute_value_ids']): string {
  const names = values.filter((value) => value.attribute_line_id.value_count > 1).map((value) => value.name)
  return names.length ? `${name} (${names.join(', ')})` : name
}

/** A product and who is to sell it. */
export interface VendorAsk {
  readonly product: number
  readonly template: number
  readonly vendor: number
}

const wordsKey = (ask: VendorAsk) => `${ask.product}/${ask.vendor}`

/**
 * Gives the words of vendors, or of their companies. Offers of the variant come before offers of all
 * variants.
 */
async function vendorWords(
  env: Environment,
  asks: readonly VendorAsk[],
): Promise<(ask: VendorAsk) => Words | undefined> {
  const su = env.sudo()
  const vendors = await su
    .model('res.partner')
    .browse([...new Set(asks.map((ask) => ask.vendor))])
    .load(['commercial_partner_id'])
  const companies = new Map(
    vendors.map((vendor) => [vendor.id, vendor.commercial_partner_id?.id ?? vendor.id]),
  )
  if (companies.size === 0) return () => undefined
  const offers = await su.model('product.supplierinfo').search([
    ['product_tmpl_id', 'in', [...new Set(asks.map((ask) => ask.template))]],
    ['partner_id', 'in', [...new Set([...companies].flat())]],
    ['company_id', 'in', [...env.companyIds, false]],
  ])
  const offerRows = await offers.load([
    'partner_id',
    'product_id',
    'product_tmpl_id',
    'product_code',
    'product_name',
  ])
  const byTemplate = Map.groupBy(offerRows, (offer) => offer.product_tmpl_id.id)
  const words = new Map<string, Words>()
  for (const ask of asks) {
    const sellers = [ask.vendor, companies.get(ask.vendor)]
    const fitting = (byTemplate.get(ask.template) ?? []).filter((offer) =>
      sellers.includes(offer.partner_id.id),
    )
    const best =
      fitting.find((offer) => offer.product_id?.id === ask.product) ??
      fitting.find((offer) => !offer.product_id)
    if (best) words.set(wordsKey(ask), { code: best.product_code, name: best.product_name })
  }
  return (ask) => words.get(wordsKey(ask))
}

/** The words of the context's partner, by product. */
async function wordsOf(env: Environment, products: readonly Named[]): Promise<Map<number, Words>> {
  const vendor = env.context.partner_id
  if (typeof vendor !== 'number' || products.length === 0) return new Map()
  const asks = products.map((product) => ({
    product: product.id,
    template: product.product_tmpl_id.id,
    vendor,
  }))
  const words = await vendorWords(env, asks)
  return new Map(
    asks.flatMap((ask) => {
      const offerWords = words(ask)
      return offerWords ? [[ask.product, offerWords]] : []
    }),
  )
}

/**
 * Names of products in offers, or of the company where `offer` is null, in the language of the
 * environment: `[code] name (values)`, in the order of `asks`.
 */
export async function namesInOffers(
  env: Environment,
  asks: readonly { readonly product: number; readonly offer: Words | null }[],
): Promise<string[]> {
  const products = await env
    .sudo()
    .model('product.product')
    .browse([...new Set(asks.map((ask) => ask.product))])
    .load([...named])
  const productById = new Map<number, Named>(products.map((product) => [product.id, product]))
  return asks.map((ask) => {
    const product = productById.get(ask.product)
    return product ? nameOf(product, ask.offer ?? undefined, true) : ''
  })
}

function nameOf(product: Named, words: Words | undefined, coded: boolean): string {
  const name = withValues(
    words?.name || product.product_tmpl_id.name,
    product.product_template_attribute_value_ids,
  )
  const code = words?.code || product.default_code
  return code && coded ? `[${code}] ${name}` : name
}

async function namesOf(products: readonly Named[], env: Environment): Promise<Map<number, string>> {
  const words = await wordsOf(env, products)
  const coded = !('display_default_code' in env.context) || Boolean(env.context.display_default_code)
  return new Map(products.map((product) => [product.id, nameOf(product, words.get(product.id), coded)]))
}

const context = ['partner_id', 'display_default_code'] as const

/** Fields of vendors, and of the context's partner, that `wordsOf` reads. */
const asks = [
  'product_id',
  'company_id',
  'product_code',
  'product_name',
  'partner_id.commercial_partner_id',
].map((path) => `product_tmpl_id.seller_ids.${path}`)

const options = { context, sql: nameSql, asks }
export const displayName = computedTogether(product, named, namesOf, options)
export const partnerRef = computedTogether(product, named, namesOf, options)
export const code = computedTogether(
  product,
  named,
  async (products, env) => {
    const words = await wordsOf(env, products)
    return new Map(
      products.map((product) => [product.id, words.get(product.id)?.code || product.default_code || null]),
    )
  },
  {
    context,
    sql: (scope) =>
      typeof scope.env.context.partner_id === 'number'
        ? null
        : sql`NULLIF(${scope.column('default_code')}, '')`,
  },
)

type Products = Records<'product.product'>
type Condition = readonly [string, string, unknown]

/** The reference in `[B7-101] Shade`. */
const bracketed = (text: string): string | undefined => /\[(.*?)\]/.exec(text)?.[1]

/**
 * Ids of products for a text, by the first that finds something: the exact reference, the exact barcode,
 * references then names that contain it, a reference in brackets, the code or name of the context's vendor
 * (spec/business-models.md section 2). Null: the operator asks for something else.
 */
export async function findByName(
  products: Products,
  name: unknown,
  operator: unknown,
  domain: readonly unknown[],
  limit: number | null,
): Promise<readonly number[] | null> {
  if (
    typeof name !== 'string' ||
    name === '' ||
    !['ilike', 'like', '=', '=ilike', '=like'].includes(String(operator))
  )
    return null
  const find = async (conditions: readonly (Condition | '|')[], most = limit) =>
    (await products.search([...conditions, ...domain] as never, { limit: most })).ids
  for (const field of ['default_code', 'barcode']) {
    const byField = await find([[field, '=', name]])
    if (byField.length) return byField
  }
  const word = String(operator)
  const byCode = await find([['default_code', word, name]])
  const left = limit === null ? null : limit - byCode.length
  const byName =
    left === null || left > 0
      ? await find(
          [
            ['name', word, name],
            ['id', 'not in', byCode],
          ],
          left,
        )
      : []
  if (byCode.length || byName.length) return [...byCode, ...byName]
  const reference = bracketed(name)
  if (reference) {
    const byReference = await find([['default_code', '=', reference]])
    if (byReference.length) return byReference
  }
  const partner = products.env.context.partner_id
  if (typeof partner !== 'number') return []
  const offers = await products.env
    .model('product.supplierinfo')
    .search([
      ['partner_id', '=', partner],
      '|',
      ['product_code', word as never, name],
      ['product_name', word as never, name],
    ])
  const templates = await offers.load(['product_tmpl_id'])
  return find([['product_tmpl_id', 'in', templates.map((offer) => offer.product_tmpl_id.id)]])
}
