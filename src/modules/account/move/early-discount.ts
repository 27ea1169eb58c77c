// Terms that reduce the tax upon the invoice, as if everybody paid early: items that lower the base of taxes
// (one for each account and set of taxes), and one for each account that leaves the untaxed amount as it is.
// A tax for each piece is owed whatever is paid: it stays out (as in `tax-engine/helper-lines.ts`).
import { present } from '../../../kit/present.ts'
import { exact, isPerPiece, roundTo, toNumber, total } from '../tax-engine/index.ts'
import type { DocumentLine, LineAmountsOut } from './document.ts'

/**
 * Lines that lower the base of the taxes of others, one for each account and set of taxes; their ids are
 * negative. The discount is that of each line as it is shown, rounded.
 */
export function loweredBases(
  lines: readonly DocumentLine[],
  shown: readonly LineAmountsOut[],
  percentage: number,
  rounding: number,
): DocumentLine[] {
  const amounts = new Map(shown.map((row) => [row.id, row.price_subtotal]))
  const step = exact(rounding)
  const discountOf = ({ id }: DocumentLine) =>
    roundTo(
      exact(amounts.get(id) ?? 0)
        .times(exact(percentage))
        .div(100),
      step,
    )
  const lowered = lines
    .filter((line) => line.taxes.length > 0)
    .map((line) => ({ ...line, taxes: line.taxes.filter((tax) => !isPerPiece(tax)) }))
  const groups = Map.groupBy(lowered, (line) => `${line.account}/${line.taxes.map(({ id }) => id).join()}`)
  return [...groups.values()].map((group, i) => {
    const first = present(group[0])
    const { account, taxes } = first
    return {
      id: -i - 1,
      account,
      priceUnit: toNumber(total(group.map(discountOf)).negated()),
      quantity: 1,
      taxes,
      groupOf: (tax) => first.groupOf?.(tax) ?? null,
      priceMode: 'untaxed',
    }
  })
}

/** The line that leaves the untaxed amount of a document as it is without a lowered base. */
export const offsettingLine = (lowered: DocumentLine): DocumentLine => ({
  ...lowered,
  priceUnit: -lowered.priceUnit,
  taxes: [],
})
