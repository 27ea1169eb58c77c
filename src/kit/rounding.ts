// Rounding of decimal numbers as people write them: half away from zero, without the artefacts of binary
// fractions.

/**
 * Arithmetic leaves a product like 1.1 × 1.05 a few units of the last binary place away from its decimal
 * value. Four such units are tolerated, so that an intended half is rounded as a half.
 */
const NUDGE = 1 + 2 ** -50
/** From here on the nudge would reach into the digits that are kept. */
const NUDGE_LIMIT = 2 ** 43

/**
 * Rounds half away from zero to `scale` decimals: 1.005 with 2 is 1.01. NaN and infinities stay what
 * they are.
 */
export function roundToScale(value: number, scale: number): number {
  if (!Number.isFinite(value) || Number.isInteger(value)) return value + 0
  const exact = Math.abs(value) * 10 ** scale < NUDGE_LIMIT ? value * NUDGE : value
  // Adding zero makes a negative zero an ordinary one.
  return Number(exact.toFixed(Math.min(scale, 100))) + 0
}

/**
 * Rounds half away from zero by the decimals that a number is written with, as PostgreSQL does with what it
 * is sent; null for numbers that are written with an exponent.
 */
export function roundAsWritten(value: number, scale: number): number | null {
  const text = String(Math.abs(value))
  if (!Number.isFinite(value) || text.includes('e')) return null
  const [whole = '0', decimals = ''] = text.split('.')
  if (decimals.length <= scale) return value + 0
  const kept = BigInt(whole + decimals.slice(0, scale)) + (decimals.charAt(scale) >= '5' ? 1n : 0n)
  return Math.sign(value) * Number(`${kept}e-${scale}`) + 0
}

/**
 * Rounds half away from zero to a multiple of `rounding`, such as 0.01, 0.05 or 10 (spec/models-api.md
 * section 5, "Values": monetary).
 * Numbers may come as decimal text. Throws RangeError when `rounding` is not positive: that is a fault of the
 * caller, not of a client.
 */
export function roundHalfUp(value: number | string, rounding: number): number {
  if (!(rounding > 0 && rounding < Number.POSITIVE_INFINITY))
    throw new RangeError(`Cannot round to multiples of ${rounding}.`)
  const number = Number(value)
  if (!Number.isFinite(number)) return number
  const scale = decimalsOf(rounding)
  if (rounding === Number(`1e-${scale}`)) return roundToScale(number, scale)
  return roundToScale(roundToScale(number / rounding, 0) * rounding, scale)
}

/**
 * The decimal number that a result of arithmetic stands for: 0.35 × 24 is 8.4 and not 8.399999999999999. A
 * binary fraction holds 15 decimal digits for certain, and one product or quotient of such decimals errs by
 * less than half of the last of them. For sums see `addDecimals`.
 */
export function asDecimal(value: number): number {
  return Number.isInteger(value) || !Number.isFinite(value) ? value + 0 : Number(value.toPrecision(15)) + 0
}

/**
 * The sum of two decimals: digits below the 15th of the larger one are the error of its binary fraction.
 * 74.142 for -832.38 and 906.522.
 */
export function addDecimals(a: number, b: number): number {
  if (Number.isInteger(a) && Number.isInteger(b) && Number.isSafeInteger(a + b)) return a + b
  const largest = Math.max(Math.abs(a), Math.abs(b))
  const scale = 14 - Math.floor(Math.log10(largest))
  return largest > 0 && scale >= 0 && scale <= 100 ? Number((a + b).toFixed(scale)) + 0 : a + b
}

/**
 * Rounds away from zero to `scale` decimals; what misses the next step by no more than a binary fraction's
 * error stays: 3.0000000000000004 with 2 is 3.
 */
export function roundUpToScale(value: number, scale: number): number {
  const cut = asDecimal(asDecimal(Math.abs(value)) * 10 ** scale)
  return Math.sign(value) * asDecimal(Math.ceil(cut) / 10 ** scale) + 0
}

/** Number of decimals of a number: 2 for 0.05, 0 for 10. */
export function decimalsOf(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e')
  const fraction = digits.split('.')[1]?.length ?? 0
  return Math.max(0, fraction - Number(exponent))
}
