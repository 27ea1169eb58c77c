// From one unit to another: quantities and prices as pure functions of factors (spec/business-models.md
// section 1).
import { asDecimal, roundToScale, roundUpToScale } from '../../kit/rounding.ts'

/** A unit as conversions see it: how many of its root unit one of it holds. */
export interface UnitFactor {
  readonly id: number
  readonly factor: number
}

/** Decimals of quantities unless the precision "Product Unit" says otherwise. */
const DIGITS = 2

/** Rounding of converted quantities to the precision of the target unit. */
export type Rounding = 'up' | 'half-up' | 'none'

/**
 * `quantity` of `from` as a quantity of `to`. Units without a common root are divided too, without a
 * check.
 */
export function convertQuantity(
  quantity: number,
  from: UnitFactor,
  to: UnitFactor,
  rounding: Rounding = 'up',
  digits = DIGITS,
): number {
  const exact = from.id === to.id ? quantity : asDecimal(asDecimal(quantity * from.factor) / to.factor)
  if (rounding === 'none') return exact
  return rounding === 'up' ? roundUpToScale(exact, digits) : roundToScale(exact, digits)
}

/** The price of one `from` as the price of one `to`; not rounded. */
export function convertPrice(price: number, from: UnitFactor, to: UnitFactor): number {
  return from.id === to.id ? price : asDecimal(asDecimal(price * to.factor) / from.factor)
}
