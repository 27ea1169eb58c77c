// Spreading: a difference of a few cents is shared out over amounts, so that they add up to what was rounded
// as a whole.
import { present } from '../../../kit/present.ts'
import { type Decimal, exact, total, ZERO } from './exact.ts'

/**
 * Shares `difference` out in whole steps: each part gets its share by weight, the largest first, and
 * what is left goes round one step each. The sum of the result is exactly `difference`, which must be a
 * multiple of `step`. Without weights, the result is empty.
 */
export function spread(difference: Decimal, weights: readonly Decimal[], step: Decimal): Decimal[] {
  const shares = weights.map(() => ZERO)
  if (difference.isZero() || weights.length === 0) return shares
  const unit = difference.isNegative() ? step.negated() : step
  const order = weights
    .map((weight, at) => ({ at, weight: weight.abs() }))
    .sort((a, b) => b.weight.comparedTo(a.weight) || a.at - b.at)
  const all = total(order.map(({ weight }) => weight))
  const units = difference.div(unit).round().toNumber()
  let left = units
  const give = (at: number, count: number) => {
    shares[at] = present(shares[at]).plus(unit.times(count))
    left -= count
  }
  if (!all.isZero()) {
    const each = exact(units).div(all)
    for (const { at, weight } of order) give(at, Math.min(left, weight.times(each).round().toNumber()))
  }
  // Fewer steps are left than there are parts, unless all weights are zero.
  for (let turn = 0; left > 0; turn++) give(present(order[turn % order.length]?.at), 1)
  return shares
}
