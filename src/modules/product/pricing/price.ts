// The price of a product under a pricelist, as a pure function over loaded rules (spec/business-models.md
// section 3, "Price").
import { addDecimals, asDecimal, roundHalfUp } from '../../../kit/rounding.ts'
import { convertPrice, convertQuantity, type UnitFactor } from '../../uom/index.ts'
import type { Rule, RuleIndex, Target } from './rules.ts'

/** A product as prices see it; prices are for one of its own unit. */
export interface PricedProduct extends Target {
  readonly unit: UnitFactor
  /** Sales price with the extras of its values. */
  readonly listPrice: number
  readonly listCurrency: number
  readonly cost: number
  readonly costCurrency: number
}

export interface PriceList {
  readonly currency: number
  readonly rules: RuleIndex
}

/** Everything that prices on one date are made from. */
export interface PriceBook {
  readonly lists: ReadonlyMap<number, PriceList>
  /** Value of one unit of `from` in `to`. */
  readonly rate: (from: number, to: number) => number
  /** Decimals that quantities have when they are converted; 2 when nothing is said. */
  readonly digits?: number
}

export interface Price {
  /** For one of the unit asked for, in the currency asked for; not rounded. */
  readonly price: number
  /** The rule that applied, or null. */
  readonly rule: number | null
  /** The price that a percentage was taken off; the price itself under other rules. */
  readonly before: number
}

export interface Ask {
  readonly product: PricedProduct
  readonly quantity: number
  readonly unit: UnitFactor
  /** More extras for one of the product's unit, of values that make no variants. */
  readonly extra?: number
}

/**
 * The price under a list, or without one, in `currency`. Lists that build on each other in a circle end at
 * the sales price.
 */
export function priceOf(
  book: PriceBook,
  list: number | null,
  ask: Ask,
  currency: number,
  trail: readonly number[] = [],
): Price {
  const rule = list === null || trail.includes(list) ? null : ruleFor(book, list, ask)
  const base = () => baseOf(book, rule, ask, currency, list === null ? trail : [...trail, list])
  if (!rule) {
    const price = base().price
    return { price, rule: null, before: price }
  }
  const scaled = (price: number) => convertPrice(price, ask.product.unit, ask.unit)
  if (rule.kind === 'fixed') {
    const price = scaled(rule.fixed)
    return { price, rule: rule.id, before: price }
  }
  const { price: from, before } = base()
  if (rule.kind === 'percentage') return { price: off(from, rule.percent), rule: rule.id, before }
  const price = formula(rule, from, scaled)
  return { price, rule: rule.id, before: price }
}

function ruleFor(book: PriceBook, list: number, { product, quantity, unit }: Ask): Rule | null {
  return (
    book.lists
      .get(list)
      ?.rules.find(
        product,
        unit.id === product.unit.id
          ? quantity
          : convertQuantity(quantity, unit, product.unit, 'up', book.digits),
      ) ?? null
  )
}

const off = (price: number, percent: number) => asDecimal(asDecimal(price * addDecimals(100, -percent)) / 100)

/**
 * Discount, rounding, surcharge, least and most: in this order. Surcharge and margins are for one of the
 * product's unit.
 */
function formula(rule: Rule, base: number, scaled: (price: number) => number): number {
  let price = off(base, rule.discount)
  if (rule.round) price = roundHalfUp(price, Math.abs(rule.round))
  if (rule.surcharge) price = addDecimals(price, scaled(rule.surcharge))
  if (rule.minMargin) price = Math.max(price, addDecimals(base, scaled(rule.minMargin)))
  if (rule.maxMargin) price = Math.min(price, addDecimals(base, scaled(rule.maxMargin)))
  return price
}

/**
 * The base price of a rule, for one of the requested unit. `before` is the price without percentage
 * discounts of the lists below.
 */
function baseOf(
  book: PriceBook,
  rule: Rule | null,
  ask: Ask,
  currency: number,
  trail: readonly number[],
): { price: number; before: number } {
  const { product, unit, extra = 0 } = ask
  const into = (price: number, from: number) =>
    from === currency ? price : asDecimal(price * book.rate(from, currency))
  if (rule?.base === 'pricelist' && rule.baseList !== null) {
    const baseCurrency = book.lists.get(rule.baseList)?.currency ?? currency
    const { price, before } = priceOf(book, rule.baseList, ask, baseCurrency, trail)
    return { price: into(price, baseCurrency), before: into(before, baseCurrency) }
  }
  const [amount, from] =
    rule?.base === 'standard_price'
      ? [product.cost, product.costCurrency]
      : [addDecimals(product.listPrice, extra), product.listCurrency]
  const price = into(convertPrice(amount, product.unit, unit), from)
  return { price, before: price }
}
