// A price under other taxes: what a customer of another fiscal position is asked for (spec/business-models.md
// section 5).
import { toNumber, total } from './exact.ts'
import { computeLine } from './line.ts'
import type { Tax } from './tax.ts'

/**
 * The price of a unit when `before` are replaced by `after`. Only a price that holds all its taxes changes:
 * it is stripped of them, and those of the new ones that prices hold are put on. Not rounded.
 */
export function priceUnderTaxes(price: number, before: readonly Tax[], after: readonly Tax[]): number {
  const same =
    before.length === after.length && before.every((tax) => after.some((other) => other.id === tax.id))
  if (same || before.length === 0 || !before.every((tax) => tax.priceInclude)) return price
  const { untaxed } = computeLine({ priceUnit: price, quantity: 1, taxes: before })
  const { taxes } = computeLine({ priceUnit: untaxed, quantity: 1, taxes: after, priceMode: 'untaxed' })
  return toNumber(
    untaxed.plus(total(taxes.filter(({ tax }) => tax.priceInclude).map(({ amount }) => amount))),
  )
}
