// Prices that clients ask for: under the pricelist, quantity, unit and moment that the context names.

import type { Environment, Records } from '#models'
import { InvalidValue, MissingError } from '../../../errors.ts'
import { isDate, isMoment, nowUtc } from '../../../kit/dates.ts'
import { only } from '../../../kit/present.ts'
import { sql } from '../../../sql/index.ts'
import { factorsOf } from '../../uom/index.ts'
import { companyCurrency } from '../currencies.ts'
import { loadBook, loadProducts } from './load.ts'
import { type Price, priceOf } from './price.ts'

/** One thing to be priced. */
export interface PriceAsk {
  readonly product: number
  readonly quantity: number
  /** The product's own unit when absent. */
  readonly unit?: number | null
  /** More extras, of values that make no variants. */
  readonly extra?: number
}

/** Pricelist, day and currency that prices are asked for. */
export interface PriceOptions {
  readonly pricelist: number | null
  /** `YYYY-MM-DD HH:MM:SS`, UTC; now when absent. */
  readonly date?: string
  /** The list's, else the company's, when absent. */
  readonly currency?: number
}

/**
 * Prices of variants, in the order of `asks`, in a few statements whatever their number. Rights are not asked
 * for: the caller has judged.
 * Throws MissingError for a product or unit that is gone.
 */
export function pricesOf(
  env: Environment,
  asks: readonly PriceAsk[],
  options: PriceOptions,
): Promise<Price[]> {
  return price(env, 'variants', asks, options)
}

async function price(
  env: Environment,
  of: 'variants' | 'templates',
  asks: readonly PriceAsk[],
  options: PriceOptions,
): Promise<Price[]> {
  const ids = [...new Set(asks.map((ask) => ask.product))]
  const products = (await loadProducts(env, { [of]: ids }))[of]
  const units = await unitsOf(env, asks)
  const ownCurrency = options.currency ?? (options.pricelist === null ? await currencyOf(env) : undefined)
  const book = await loadBook(
    env,
    options.pricelist,
    [...products.values()],
    options.date ?? nowUtc(env.now()),
    ownCurrency === undefined ? [] : [ownCurrency],
  )
  const listed = options.pricelist === null ? undefined : book.lists.get(options.pricelist)?.currency
  const currency = ownCurrency ?? listed ?? (await currencyOf(env))
  return asks.map(({ product: id, quantity, unit, extra = 0 }) => {
    const product = products.get(id)
    const unitFactor = unit ? units.get(unit) : product?.unit
    if (!product || !unitFactor) throw new MissingError('A product or unit to price does not exist.')
    return priceOf(book, options.pricelist, { product, quantity, unit: unitFactor, extra }, currency)
  })
}

async function unitsOf(env: Environment, asks: readonly PriceAsk[]) {
  const wanted = [...new Set(asks.flatMap((ask) => ask.unit || []))]
  return wanted.length ? factorsOf(env, wanted) : new Map()
}

async function currencyOf(env: Environment): Promise<number> {
  const row = only(
    await env.rows(sql`SELECT ${companyCurrency(env)}`, { reads: ['res.company'], row: ['int'] }),
  )
  return row[0]
}

/**
 * The price of the one record that the context asks for. `product`: a variant of a product that has
 * several. Throws InvalidValue for it and for context values of the wrong kind, MissingError for a list,
 * unit or product that is gone, AccessError for one that is hidden.
 */
export async function contextualPrice(
  records: Records<'product.product'> | Records<'product.template'>,
  product: unknown = null,
): Promise<number> {
  const { env } = records
  const id = records.ensureOne()
  await assertPricelistsExist(env, records.name, id)
  const variant = idOf('The product', product)
  if (variant !== null) await assertPricelistsExist(env, 'product.product', variant)
  const { pricelist, quantity, uom, date } = env.context
  const list = idOf("The context's pricelist", pricelist)
  if (list !== null) await assertPricelistsExist(env, 'product.pricelist', list)
  const ask = { product: variant ?? id, quantity: numberOf(quantity), unit: idOf("The context's uom", uom) }
  const moment = momentOf(date)
  const of = records.name === 'product.product' || variant !== null ? 'variants' : 'templates'
  const [priceRow] = await price(env, of, [ask], { pricelist: list, ...(moment ? { date: moment } : {}) })
  return priceRow?.price ?? 0
}

async function assertPricelistsExist(
  env: Environment,
  model: 'product.product' | 'product.template' | 'product.pricelist',
  id: number,
): Promise<void> {
  const records = await env.model(model).browse([id]).load(['display_name'])
  if (records.length === 0) throw new MissingError(`Record ${id} of ${model} does not exist.`)
}

function idOf(what: string, value: unknown): number | null {
  if (value === undefined || value === null || value === false) return null
  if (typeof value === 'number' && Number.isInteger(value)) return value
  throw new InvalidValue(`${what} must be an id.`)
}

function numberOf(value: unknown): number {
  if (value === undefined || value === null || value === false) return 1
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new InvalidValue("The context's quantity must be a number.")
}

/** A day stands for its first moment. */
function momentOf(value: unknown): string | null {
  if (value === undefined || value === null || value === false) return null
  if (typeof value === 'string' && isDate(value)) return `${value} 00:00:00`
  if (typeof value === 'string' && isMoment(value.replace('T', ' '))) return value.replace('T', ' ')
  throw new InvalidValue("The context's date must be a day or a moment, YYYY-MM-DD HH:MM:SS.")
}
