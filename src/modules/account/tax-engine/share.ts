// The parts of a tax: an amount shared out over repartition lines, each rounded, the rest given so that they
// add up to the amount.
import { present } from '../../../kit/present.ts'
import { type Decimal, exact, roundTo, total } from './exact.ts'
import { spread } from './spread.ts'

/** One repartition line: a share in percent, negative for what is taken back. */
export interface Share {
  readonly factor_percent: number
}

/**
 * Shares `amount` out over the parts whose sign it has: `reverseCharge` for what is taken back, which has its
 * own sign already. The amounts are multiples of `step` and add up to `amount` rounded to it.
 */
export function shareOut<P extends Share>(
  amount: Decimal,
  parts: readonly P[],
  reverseCharge: boolean,
  step: Decimal,
): { readonly part: P; readonly amount: Decimal }[] {
  const concerned = parts.filter((part) => part.factor_percent < 0 === reverseCharge)
  const raw = concerned.map((part) => amount.times(exact(Math.abs(part.factor_percent))).div(100))
  const rounded = raw.map((item) => roundTo(item, step))
  const extra = spread(roundTo(amount, step).minus(total(rounded)), rounded, step)
  return concerned.map((part, i) => ({ part, amount: present(rounded[i]).plus(present(extra[i])) }))
}
