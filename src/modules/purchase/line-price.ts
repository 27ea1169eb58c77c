// Unit price and discount of order lines: what the vendor offers for product, quantity and day, else the
// product's cost; a price that was typed stays.

import { computedFields, computedTogether, type Environment } from '#models'
import { addDays, nowUtc } from '../../kit/dates.ts'
import { present } from '../../kit/present.ts'
import { asDecimal, roundHalfUp } from '../../kit/rounding.ts'
import { idList, sql } from '../../sql/index.ts'
import { loadTaxes, mapTaxes, priceUnderTaxes, ratesFor, taxesOf } from '../account/index.ts'
import { digitsOf } from '../base/index.ts'
import { costsOf, offersFor } from '../product/index.ts'
import { convertPrice, factorsOf } from '../uom/index.ts'
import { line } from './line.contract.ts'

type Link = { readonly id: number }

interface Priceable {
  readonly id: number
  readonly order_id: Link
  readonly product_id: Link | null
  readonly product_uom_id: Link | null
  readonly product_qty: number
}

const paths = ['order_id.partner_id', 'product_id', 'product_uom_id', 'product_qty', 'company_id'] as const

/** An order as far as prices go. */
interface Terms {
  readonly company: number
  readonly companyCurrency: number
  readonly currency: number
  readonly currencyDigits: number
  readonly vendor: number
  readonly position: number | null
  /** The moment of the order, and its day. */
  readonly moment: string
  readonly day: string
}

async function termsOf(env: Environment, lines: readonly Priceable[]): Promise<Map<number, Terms>> {
  const orders = await env
    .sudo()
    .model('purchase.order')
    .browse([...new Set(lines.map((one) => one.order_id.id))])
    .load([
      'company_id.currency_id',
      'currency_id.decimal_places',
      'partner_id',
      'fiscal_position_id',
      'date_order',
    ])
  return new Map(
    orders.map((one) => {
      const moment = one.date_order ?? nowUtc(env.now())
      return [
        one.id,
        {
          company: one.company_id.id,
          companyCurrency: one.company_id.currency_id.id,
          currency: one.currency_id.id,
          currencyDigits: one.currency_id.decimal_places,
          vendor: one.partner_id.id,
          position: one.fiscal_position_id?.id ?? null,
          moment,
          day: moment.slice(0, 10),
        },
      ]
    }),
  )
}

interface Priced {
  /** For one of the line's unit, in the order's currency. */
  readonly price: number
  readonly discount: number
}

/** The offers of lines with a product and a unit, by line. */
async function offersOf(env: Environment, lines: readonly Priceable[]) {
  const terms = await termsOf(env, lines)
  const bought = lines.flatMap((one) => {
    const own = terms.get(one.order_id.id)
    return own && one.product_id && one.product_uom_id
      ? [
          {
            one,
            own,
            product: one.product_id.id,
            unit: one.product_uom_id.id,
            quantity: one.product_qty,
            ...own,
          },
        ]
      : []
  })
  const found = await offersFor(env, bought)
  return { terms, asked: bought.map((ask, i) => ({ ...ask, offer: found[i] ?? null })) }
}

type Asked = Awaited<ReturnType<typeof offersOf>>['asked'][number]

/** Prices by line: a fixed number of statements for each company and fiscal position. */
async function pricesOf(env: Environment, asked: readonly Asked[]): Promise<Map<number, Priced>> {
  if (asked.length === 0) return new Map()
  const digits = await digitsOf(env, 'Product Price')
  const into = await conversions(env, asked)
  const units = await factorsOf(env, [...new Set(asked.map((ask) => ask.unit))])
  const prices = new Map<number, Priced>()
  for (const group of Map.groupBy(asked, ({ own }) => `${own.company}/${own.position}`).values()) {
    const { own: terms } = present(group[0])
    const company = env.sudo().withCompany(terms.company)
    const costs = await costsOf(company, group)
    const underTaxes = await taxedPrices(company, terms.position, [
      ...new Set(group.map((ask) => ask.product)),
    ])
    for (const [i, { one, own, offer, product, unit }] of group.entries()) {
      const raw = offer ? offer.price : (costs[i] ?? 0)
      const converted = into(own, offer ? offer.currency : own.companyCurrency, underTaxes(product, raw))
      const step = 1 / 10 ** Math.max(own.currencyDigits, digits)
      const rounded = converted === raw ? raw : roundHalfUp(converted, step)
      const target = units.get(unit)
      const price = offer && target ? convertPrice(rounded, offer.unit, target) : rounded
      prices.set(one.id, { price, discount: offer?.discount ?? 0 })
    }
  }
  return prices
}

/** Gives amounts in the currencies of orders, on their days. */
async function conversions(
  env: Environment,
  asked: readonly Asked[],
): Promise<(terms: Terms, from: number, amount: number) => number> {
  const dated = ({ company, companyCurrency, day }: Terms, currency: number) => ({
    company,
    companyCurrency,
    day,
    currency,
  })
  const rateOf = await ratesFor(
    env,
    asked.flatMap(({ own, offer }) => [
      dated(own, own.currency),
      dated(own, offer?.currency ?? own.companyCurrency),
    ]),
  )
  return (terms, from, amount) =>
    from === terms.currency
      ? amount
      : asDecimal((amount * rateOf(dated(terms, terms.currency))) / rateOf(dated(terms, from)))
}

/**
 * Prices that hold taxes are stripped of those that the fiscal position replaces, and the new ones put on.
 */
async function taxedPrices(company: Environment, position: number | null, products: readonly number[]) {
  if (position === null) return (_: number, price: number) => price
  const taxes = await taxesOf(company, products, true)
  const mapped = await mapTaxes(company, position)
  const known = await loadTaxes(
    company,
    [...taxes.values()].flatMap((ids) => [...ids, ...mapped(ids)]),
  )
  return (product: number, price: number) => {
    const before = taxes.get(product) ?? []
    return priceUnderTaxes(price, known(before), known(mapped(before)))
  }
}

/** What lines hold before they are computed anew. */
interface Current {
  readonly typed: boolean
  readonly billed: boolean
  readonly planned: boolean
}

async function currentOf(env: Environment, ids: readonly number[]): Promise<Map<number, Current>> {
  const rows = await env.rows(
    sql`SELECT l.id, COALESCE(l.price_unit, 0), COALESCE(l.technical_price_unit, 0), COALESCE(m.rounding, 0.01)::float8,
      EXISTS (SELECT FROM account_move_line i WHERE i.purchase_line_id = l.id AND i.parent_state IS DISTINCT FROM 'cancel'),
      l.date_planned IS NOT NULL
    FROM purchase_order_line l JOIN purchase_order o ON o.id = l.order_id LEFT JOIN res_currency m ON m.id = o.currency_id
    WHERE l.id = ANY(${idList(ids)})`,
    {
      reads: ['account.move.line', 'purchase.order.line', 'purchase.order', 'res.currency'],
      row: ['int', 'float', 'float', 'float', 'bool', 'bool'],
    },
  )
  return new Map(
    rows.map((row) => {
      const [id, price, computed, rounding, billed, planned] = row
      // Offers have finer prices than amounts: a tenth of the smallest coin still counts as another price.
      const step = rounding / 100
      return [id, { typed: roundHalfUp(price, step) !== roundHalfUp(computed, step), billed, planned }]
    }),
  )
}

interface Values {
  readonly price_unit?: number
  readonly technical_price_unit?: number
  readonly discount?: number
  readonly date_planned?: string | null
}

/**
 * Unit price and discount of lines that were neither typed nor billed; the day when goods are expected, until
 * the order is confirmed.
 */
export const linePrices = computedFields(
  line,
  ['price_unit', 'technical_price_unit', 'discount', 'date_planned'],
  [...paths, 'display_type', 'state'],
  async (lines, env, fresh) => {
    const ids = lines.map(({ id }) => id)
    const current = fresh ? new Map<number, Current>() : await currentOf(env, ids)
    const { terms, asked } = await offersOf(env, lines)
    const prices = await pricesOf(
      env,
      asked.filter(({ one }) => !current.get(one.id)?.typed && !current.get(one.id)?.billed),
    )
    const offers = new Map(asked.map((ask) => [ask.one.id, ask.offer]))
    const values = new Map<number, Values>()
    for (const one of lines) {
      const now = current.get(one.id)
      const price = prices.get(one.id)
      const offer = offers.get(one.id)
      const moment = terms.get(one.order_id.id)?.moment ?? nowUtc(env.now())
      // A day that was agreed on stays, and one that nobody offers another for.
      const planned = !now?.planned || (offer && (one.state === 'draft' || one.state === 'sent'))
      values.set(one.id, {
        ...(price === undefined
          ? {}
          : { price_unit: price.price, technical_price_unit: price.price, discount: price.discount }),
        ...(now || price ? {} : { price_unit: 0, technical_price_unit: 0, discount: 0 }),
        ...(planned ? { date_planned: one.display_type ? null : addDays(moment, offer?.delay ?? 0) } : {}),
      })
    }
    return values
  },
  { editable: true },
)

/** The offer that applies to the line as it stands. */
export const selectedSeller = computedTogether(line, paths, async (lines, env) => {
  const { asked } = await offersOf(env, lines)
  const offers = new Map(asked.map((ask) => [ask.one.id, ask.offer]))
  return new Map(
    lines.map(({ id }) => {
      const offer = offers.get(id)
      return [id, offer ? { id: offer.id } : null]
    }),
  )
})
