// Terms that reduce the tax upon the invoice, as if everybody paid early: pairs of items that lower the base
// of taxes and leave the untaxed amount.
import { present } from '../../../kit/present.ts'
import { exact, roundTo, toNumber } from '../tax-engine/index.ts'
import type { DocumentLine, LineAmountsOut } from './document.ts'

/**
 * Lines that lower the base of the taxes of others, one for each account and set of taxes; their ids are
 * negative.
 */
export function loweredBases(
  lines: readonly DocumentLine[],
  shown: readonly LineAmountsOut[],
  percentage: number,
  rounding: number,
): DocumentLine[] {
  const amounts = new Map(shown.map((one) => [one.id, one.price_subtotal]))
  const taxed = lines.filter((line) => line.taxes.length > 0)
  const groups = Map.groupBy(taxed, (line) => `${line.account}/${line.taxes.map(({ id }) => id).join()}`)
  return [...groups.values()].map((group, i) => {
    const off = group.reduce(
      (sum, line) =>
        sum.plus(
          roundTo(
            exact(amounts.get(line.id) ?? 0)
              .times(exact(percentage))
              .div(100),
            exact(rounding),
          ),
        ),
      exact(0),
    )
    const first = present(group[0])
    return {
      id: -i - 1,
      account: first.account,
      priceUnit: toNumber(off.negated()),
      quantity: 1,
      taxes: first.taxes,
      groupOf: (tax) => first.groupOf?.(tax) ?? null,
      priceMode: 'untaxed',
    }
  })
}
