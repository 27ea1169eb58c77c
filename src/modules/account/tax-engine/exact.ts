// Exact decimals for money: no binary fractions, thirty-two digits where a division does not end, rounding
// half away from zero.
import { Decimal, exactly } from './decimal.ts'

export type { Decimal } from './decimal.ts'

export const ZERO: Decimal = Decimal.of(0)
export const ONE: Decimal = Decimal.of(1)
export const ONE_HUNDRED: Decimal = Decimal.of(100)
export const HUNDREDTH: Decimal = Decimal.of(0.01)

/** Decimal place after which a division that does not end has errors; they must not tip a half. */
const NOISE = 16

/**
 * The decimal that a number shows when printed: 0.1 is one tenth. Throws RangeError for what is not a number.
 */
export const exact: (value: number | Decimal) => Decimal = exactly

/**
 * Rounds to a multiple of `step` (0.01, 0.05, 10), halves away from zero. Throws RangeError unless the step
 * is positive.
 */
export function roundTo(value: Decimal, step: Decimal): Decimal {
  const places = placesOf(step)
  const clean = value.hasMoreThan(NOISE) ? value.toDecimalPlaces(NOISE) : value
  return places === null ? clean.div(step).toDecimalPlaces(0).times(step) : clean.toDecimalPlaces(places)
}

const scales = new WeakMap<Decimal, number | null>()

/** Two for 0.01, null for steps that are not such a power of ten (0.05, 10). */
function placesOf(step: Decimal): number | null {
  const scale = scales.get(step)
  if (scale !== undefined) return scale
  if (!step.greaterThan(0)) throw new RangeError(`Cannot round to multiples of ${step}.`)
  const places = step.decimalPlaces()
  const answer = step.times(10 ** places).equals(1) ? places : null
  scales.set(step, answer)
  return answer
}

export function total(values: Iterable<Decimal>): Decimal {
  let sum: Decimal | null = null
  for (const value of values) sum = sum === null ? value : sum.plus(value)
  return sum ?? ZERO
}

/** The nearest number; a negative zero becomes an ordinary one. */
export const toNumber = (value: Decimal): number => value.toNumber() + 0
