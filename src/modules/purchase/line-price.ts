// Unit price and discount of order lines: what the vendor offers for product, quantity and day, else the
// product's cost; a price that was typed stays.

import { computedFields, computedTogether, type Environment } from '#models'
import { addDays, nowUtc } from '../../kit/dates.ts'
import { present } from '../../kit/present.ts'
import { asDecimal, roundHalfUp } from '../../kit/rounding.ts'
import { idList, sql } from '../../sql/index.ts'
import { loadTaxes, mapTaxes, priceUnderTaxes, ratesFor, taxesOf } from '../account/index.ts'
import { digitsOf } from '../base/index.ts'
import { costsOf } from '../product/index.ts'
import { convertPrice, factorsOf } from '../uom/index.ts'
import { line } from './line.contract.ts'
import { type LineOffer, offersOf, type Terms, termsOf } from './line-offers.ts'

const paths = ['order_id.partner_id', 'product_id', 'product_uom_id', 'product_qty', 'company_id'] as const

/** Key of contexts in which new lines are priced for the quantity that they are given, as rules that buy do. */
export const BY_QUANTITY = 'server:purchase_by_quantity'

interface Priced {
  /** For one of the unit that was asked for, in the order's currency. */
  readonly price: number
  readonly discount: number
}

/** The taxes of lines, by line; those of lines that are not there follow from their products. */
type LineTaxes = ReadonlyMap<number, { readonly taxes: readonly number[] }>

/** Prices by line: a fixed number of statements for each company and fiscal position. */
async function pricesOf(
  env: Environment,
  requests: readonly LineOffer[],
  taxes: LineTaxes,
): Promise<Map<number, Priced>> {
  if (requests.length === 0) return new Map()
  const digits = await digitsOf(env, 'Product Price')
  const into = await conversions(env, requests)
  const units = await factorsOf(env, [...new Set(requests.map((ask) => ask.unit))])
  const prices = new Map<number, Priced>()
  for (const group of Map.groupBy(requests, (ask) => `${ask.company}/${ask.position}`).values()) {
    const terms = present(group[0])
    const company = env.sudo().withCompany(terms.company)
    const costs = await costsOf(company, group)
    const stripped = await strippedPrices(company, terms.position, group, taxes)
    for (const [i, ask] of group.entries()) {
      const raw = ask.offer ? ask.offer.price : (costs[i] ?? 0)
      const converted = into(ask, ask.offer ? ask.offer.currency : ask.companyCurrency, stripped(ask, raw))
      const rounded = roundHalfUp(converted, 1 / 10 ** Math.max(ask.currencyDigits, digits))
      const target = units.get(ask.unit)
      const price = ask.offer && target ? convertPrice(rounded, ask.offer.unit, target) : rounded
      prices.set(ask.line.id, { price, discount: ask.offer?.discount ?? 0 })
    }
  }
  return prices
}

/** Gives amounts in the currencies of orders, on their days. */
async function conversions(
  env: Environment,
  requests: readonly LineOffer[],
): Promise<(terms: Terms, from: number, amount: number) => number> {
  const dated = ({ company, companyCurrency, day }: Terms, currency: number) => ({
    company,
    companyCurrency,
    day,
    currency,
  })
  const rateOf = await ratesFor(
    env,
    requests.flatMap((ask) => [
      dated(ask, ask.currency),
      dated(ask, ask.offer?.currency ?? ask.companyCurrency),
    ]),
  )
  return (terms, from, amount) =>
    from === terms.currency
      ? amount
      : asDecimal((amount * rateOf(dated(terms, terms.currency))) / rateOf(dated(terms, from)))
}

/** Takes out of prices the taxes that they hold and that the line does not have. */
async function strippedPrices(
  company: Environment,
  position: number | null,
  requests: readonly LineOffer[],
  lineTaxes: LineTaxes,
): Promise<(ask: LineOffer, price: number) => number> {
  const kept = (_: LineOffer, price: number) => price
  if (position === null && lineTaxes.size === 0) return kept
  const taxes = await taxesOf(company, [...new Set(requests.map((ask) => ask.product))], true)
  const mapped = await mapTaxes(company, position)
  const missing = (ask: LineOffer) => {
    const productTaxes = taxes.get(ask.product) ?? []
    const appliedTaxes = lineTaxes.get(ask.line.id)?.taxes ?? mapped(productTaxes)
    return productTaxes.filter((id) => !appliedTaxes.includes(id))
  }
  const wanted = [...new Set(requests.flatMap(missing))]
  if (wanted.length === 0) return kept
  const taxesFrom = await loadTaxes(company, wanted)
  return (ask, price) =>
    priceUnderTaxes(
      price,
      taxesFrom(missing(ask)).filter((tax) => tax.priceInclude),
      [],
    )
}

/** Values of lines before they are recomputed. */
interface Current {
  readonly typed: boolean
  /** Some price is there. */
  readonly priced: boolean
  readonly billed: boolean
  readonly planned: boolean
  /** The vendor offers the product, whatever the quantity and the day. */
  readonly isOffered: boolean
  readonly taxes: readonly number[]
}

async function currentOf(env: Environment, ids: readonly number[]): Promise<Map<number, Current>> {
  const rows = await env.rows(
    sql`SELECT l.id, COALESCE(l.price_unit, 0), COALESCE(l.technical_price_unit, 0), COALESCE(m.rounding, 0.01)::float8,
      EXISTS (SELECT FROM account_move_line i WHERE i.purchase_line_id = l.id), l.date_planned IS NOT NULL,
      EXISTS (SELECT FROM product_supplierinfo s JOIN product_product p ON p.product_tmpl_id = s.product_tmpl_id
        WHERE p.id = l.product_id AND s.partner_id = o.partner_id),
      ARRAY(SELECT r.account_tax_id FROM account_tax_purchase_order_line_rel r WHERE r.purchase_order_line_id = l.id)
    FROM purchase_order_line l JOIN purchase_order o ON o.id = l.order_id LEFT JOIN res_currency m ON m.id = o.currency_id
    WHERE l.id = ANY(${idList(ids)})`,
    {
      reads: [
        'account.move.line',
        'purchase.order.line',
        'purchase.order',
        'res.currency',
        'product.product',
        'product.supplierinfo',
      ],
      row: ['int', 'float', 'float', 'float', 'bool', 'bool', 'bool', 'ints'],
    },
  )
  return new Map(
    rows.map((row) => {
      const [id, price, computed, rounding, billed, planned, isOffered, taxes] = row
      // Offers have finer prices than amounts: a tenth of the smallest coin still counts as another price.
      const step = rounding / 100
      const typed = roundHalfUp(price, step) !== roundHalfUp(computed, step)
      return [id, { typed, priced: price !== 0, billed, planned, isOffered, taxes }]
    }),
  )
}

interface Values {
  readonly price_unit?: number
  readonly technical_price_unit?: number
  readonly discount?: number
  readonly date_planned?: string | null
}

const unpriced: Values = { price_unit: 0, technical_price_unit: 0, discount: 0 }

/**
 * Price and discount that a line takes, if any. New lines take the price alone: the discount of the offer
 * comes with the first change of the quantity (recorded). A price that is there stays where the vendor offers
 * the product at no terms.
 */
function takenPrice(
  now: Current | undefined,
  price: Priced | undefined,
  { hasOffer, byQuantity }: { readonly hasOffer: boolean; readonly byQuantity: boolean },
): Values {
  if (!price) return now ? {} : unpriced
  const taken = { price_unit: price.price, technical_price_unit: price.price }
  if (!now) return { ...taken, discount: byQuantity ? price.discount : 0 }
  if (!hasOffer && !now.isOffered && now.priced) return { discount: 0 }
  return { ...taken, discount: price.discount }
}

/**
 * Unit price and discount of lines that were neither typed nor billed; the day when goods are expected, until
 * the order is confirmed.
 */
export const linePrices = computedFields(
  line,
  ['price_unit', 'technical_price_unit', 'discount', 'date_planned'],
  [...paths, 'display_type'],
  async (lines, env, fresh) => {
    const ids = lines.map(({ id }) => id)
    const current = fresh ? new Map<number, Current>() : await currentOf(env, ids)
    const terms = await termsOf(env, lines)
    const byQuantity = env.context[BY_QUANTITY] === true
    const requests = await offersOf(env, lines, terms, fresh && !byQuantity)
    const open = requests.filter(({ line }) => !current.get(line.id)?.typed && !current.get(line.id)?.billed)
    const prices = await pricesOf(env, open, current)
    const offers = new Map(requests.map((ask) => [ask.line.id, ask.offer]))
    const values = new Map<number, Values>()
    for (const row of lines) {
      const now = current.get(row.id)
      const offer = offers.get(row.id)
      const order = terms.get(row.order_id.id)
      // An agreed day stays, and so does a day without another offer.
      const isOpen = order?.state === 'draft' || order?.state === 'sent'
      const planned = !now?.planned || (offer && isOpen)
      const moment = order?.moment ?? nowUtc(env.now())
      values.set(row.id, {
        ...takenPrice(now, prices.get(row.id), { hasOffer: Boolean(offer), byQuantity }),
        ...(planned ? { date_planned: row.display_type ? null : addDays(moment, offer?.delay ?? 0) } : {}),
      })
    }
    return values
  },
  { editable: true },
)

/** The offer that applies to the line as it stands. */
export const selectedSeller = computedTogether(line, paths, async (lines, env) => {
  const requests = await offersOf(env, lines, await termsOf(env, lines))
  const offers = new Map(requests.map((ask) => [ask.line.id, ask.offer]))
  return new Map(
    lines.map(({ id }) => {
      const offer = offers.get(id)
      return [id, offer ? { id: offer.id } : null]
    }),
  )
})
