// Prices of order lines under the pricelists, dates, currencies and fiscal positions of their orders;
// the parts of combos share its price.

import type { Environment } from '#models'
import { present } from '../../kit/present.ts'
import { addDecimals, asDecimal } from '../../kit/rounding.ts'
import { loadTaxes, mapTaxes, priceUnderTaxes } from '../account/index.ts'
import { pricedPaths, priceEpochs, pricesOf } from '../product/index.ts'
import { comboShares } from './line-combo.ts'
import { productTaxes } from './product-taxes.ts'

/** The feature: percentages of pricelists show as discounts on lines. */
export const DISCOUNTS = 'sale.group_discount_per_so_line'

type Link = { readonly id: number }

/** A line as far as its price goes. */
export interface Priceable {
  readonly id: number
  readonly order_id: Link
  readonly product_id: Link | null
  readonly product_uom_id: Link | null
  readonly product_uom_qty: number
  readonly combo_item_id: Link | null
  readonly linked_line_id: Link | null
  readonly product_no_variant_attribute_value_ids: readonly Link[]
}

/** Fields of a line that its price reads and depends on. */
export const priceablePaths = [
  'order_id',
  'product_id',
  'product_uom_id',
  'product_uom_qty',
  'combo_item_id',
  'linked_line_id',
  'product_no_variant_attribute_value_ids',
] as const

/** Fields that `priceLines` reads itself (`asks`). */
export const pricingAsks: readonly string[] = [
  ...['pricelist_id', 'currency_id', 'company_id', 'fiscal_position_id', 'date_order', 'currency_rate'].map(
    (term) => `order_id.${term}`,
  ),
  'product_id.product_tmpl_id.type',
  'product_id.product_tmpl_id.uom_id',
  ...pricedPaths.map((path) => `product_id.${path}`),
]

export interface LinePrice {
  /** Per unit of the line, in the currency of the order, not rounded. */
  readonly unit: number
  /** The same before the percentage that the pricelist takes off. */
  readonly before: number
  /** That percentage; 0 for surcharges and other kinds of rules. */
  readonly discount: number
  readonly rule: number | null
  /** The order has a pricelist. */
  readonly listed: boolean
}

type ListPrice = Awaited<ReturnType<typeof pricesOf>>[number]

interface Terms {
  readonly id: number
  readonly pricelist_id: Link | null
  readonly currency_id: Link | null
  readonly company_id: Link
  readonly fiscal_position_id: Link | null
  readonly date_order: string | null
  readonly currency_rate: number
}

/** Prices by line, of those that have a product. */
export async function priceLines(
  env: Environment,
  lines: readonly Priceable[],
): Promise<Map<number, LinePrice>> {
  const sold = lines.filter((line) => line.product_id)
  const su = env.sudo()
  const terms = await su
    .model('sale.order')
    .browse([...new Set(sold.map((line) => line.order_id.id))])
    .load(['pricelist_id', 'currency_id', 'company_id', 'fiscal_position_id', 'date_order', 'currency_rate'])
  const byOrder = new Map<number, Terms>(terms.map((term) => [term.id, term]))
  const extras = await extrasOf(su, sold)
  const prices = new Map<number, LinePrice>()
  // Orders that buy under the same terms are priced together.
  const epochOf = await priceEpochs(
    su,
    terms.flatMap((term) => term.date_order ?? []),
  )
  const groups = Map.groupBy(sold, (line) => termsKey(byOrder.get(line.order_id.id), epochOf))
  for (const group of groups.values()) {
    const orderTerms = byOrder.get(present(group[0]).order_id.id)
    if (orderTerms)
      for (const [id, price] of await priceGroup(su, orderTerms, group, extras)) prices.set(id, price)
  }
  return prices
}

/** Moments between which no price changes are one. */
const termsKey = (terms: Terms | undefined, epochOf: (moment: string | null) => string) =>
  terms &&
  [
    terms.pricelist_id?.id,
    terms.currency_id?.id,
    terms.company_id.id,
    terms.fiscal_position_id?.id,
    terms.currency_rate,
    epochOf(terms.date_order),
  ].join()

async function priceGroup(
  env: Environment,
  terms: Terms,
  lines: readonly Priceable[],
  extras: ReadonlyMap<number, number>,
) {
  const company = env.withCompany(terms.company_id.id)
  const options = {
    pricelist: terms.pricelist_id?.id ?? null,
    ...(terms.date_order ? { date: terms.date_order } : {}),
    ...(terms.currency_id ? { currency: terms.currency_id.id } : {}),
  }
  const products = [...new Set(lines.map((line) => present(line.product_id).id))]
  const loaded = await company
    .model('product.product')
    .browse(products)
    .load(['product_tmpl_id.type', 'product_tmpl_id.uom_id'])
  const templates = new Map(loaded.map((product) => [product.id, product.product_tmpl_id]))
  const asks = lines.map((line) => {
    const product = present(line.product_id).id
    const unit = line.product_uom_id?.id ?? null
    return {
      product,
      quantity: line.product_uom_qty,
      unit: unit === templates.get(product)?.uom_id.id ? null : unit,
      extra: extraOf(line, extras),
    }
  })
  const prices = await pricesOf(company, asks, options)
  const shares = await comboShares(company, lines, terms.currency_rate, options)
  const underTaxes = await taxedPrices(company, terms, products)
  const listed = options.pricelist !== null
  return lines.map((line, i): [number, LinePrice] => {
    const product = present(line.product_id).id
    const price = present(prices[i])
    const share = shares.get(line.id)
    if (share !== undefined) {
      const unit = underTaxes(product, addDecimals(share, extraOf(line, extras)))
      return [line.id, { unit, before: unit, discount: 0, rule: null, listed }]
    }
    // A combo is paid through its parts.
    if (templates.get(product)?.type === 'combo')
      return [line.id, { unit: 0, before: 0, discount: 0, rule: price.rule, listed }]
    return [line.id, { ...taxedPrice(product, price, underTaxes), listed }]
  })
}

/** The price that a pricelist has for a product, with the percentage that it takes off, under the taxes. */
function taxedPrice(
  product: number,
  { price, before, rule }: ListPrice,
  underTaxes: (product: number, price: number) => number,
): Omit<LinePrice, 'listed'> {
  const percent = before > 0 && price < before ? asDecimal((addDecimals(before, -price) / before) * 100) : 0
  return {
    unit: underTaxes(product, price),
    before: underTaxes(product, before),
    discount: percent,
    rule,
  }
}

/** Extra price of attribute values of a line that create no variants. */
const extraOf = (line: Priceable, extras: ReadonlyMap<number, number>): number =>
  line.product_no_variant_attribute_value_ids.reduce(
    (sum, { id }) => addDecimals(sum, extras.get(id) ?? 0),
    0,
  )

/** Extra prices of values that make no variants, by value. */
async function extrasOf(env: Environment, lines: readonly Priceable[]): Promise<Map<number, number>> {
  const ids = [
    ...new Set(lines.flatMap((line) => line.product_no_variant_attribute_value_ids.map(({ id }) => id))),
  ]
  if (ids.length === 0) return new Map()
  return new Map(
    (await env.model('product.template.attribute.value').browse(ids).load(['price_extra'])).map((value) => [
      value.id,
      value.price_extra,
    ]),
  )
}

/**
 * Prices that hold taxes are stripped of those that the fiscal position replaces, and the new ones put on
 * (spec/business-models.md section 5).
 */
async function taxedPrices(
  env: Environment,
  terms: Terms,
  products: readonly number[],
): Promise<(product: number, price: number) => number> {
  const position = terms.fiscal_position_id?.id ?? null
  if (position === null) return (_, price) => price
  const productTaxIds = await productTaxes(env, products, terms.company_id.id)
  const held = new Map(
    [...productTaxIds].filter(([, taxes]) => taxes.held).map(([product, { ids }]) => [product, ids]),
  )
  if (held.size === 0) return (_, price) => price
  const mapped = await mapTaxes(env, position)
  const taxes = await loadTaxes(
    env,
    [...held.values()].flatMap((ids) => [...ids, ...mapped(ids)]),
  )
  return (product, price) => {
    const before = held.get(product)
    return before ? priceUnderTaxes(price, taxes(before), taxes(mapped(before))) : price
  }
}
