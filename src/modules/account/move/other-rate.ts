// A draft whose rate alone changes, by another date or a rate that was written: its amounts stay what they
// are in its currency, and each is converted (recorded, money 25). Taxes in the company's currency are
// reckoned anew when an amount changes.
import { exact, roundTo, toNumber } from '../tax-engine/index.ts'
import type { Draft } from './drafts.ts'

interface Amounts {
  readonly amount_currency: number
  readonly balance: number
}

/** The items of lines and taxes, as they are at the rate of the header. */
interface Items<L extends Amounts, T extends Amounts> {
  readonly lines: readonly (L & { readonly id: number })[]
  readonly taxes: readonly (T & { readonly key: string })[]
}

/** As given, but converted one by one where nothing but the rate differs from what is stored. */
export function atOtherRate<L extends Amounts, T extends Amounts>(
  draft: Draft,
  items: Items<L, T>,
): Items<L, T> {
  const { currency, companyCurrency, rate, companyRounding } = draft.header
  if (currency === companyCurrency || !draft.currencyRate || rate === draft.currencyRate) return items
  const lines = new Map(draft.lines.map((line) => [line.id, line.stored.amount_currency]))
  const taxes = new Map(
    draft.generated
      .filter(({ display_type }) => display_type === 'tax')
      .map(({ key, stored }) => [key, stored.amount_currency]),
  )
  const stays =
    items.taxes.length === taxes.size &&
    items.lines.every(({ id, amount_currency }) => lines.get(id) === amount_currency) &&
    items.taxes.every(({ key, amount_currency }) => taxes.get(key) === amount_currency)
  if (!stays) return items
  const converted = <A extends Amounts>(item: A): A => ({
    ...item,
    balance: toNumber(roundTo(exact(item.amount_currency).div(exact(rate)), exact(companyRounding))),
  })
  return { lines: items.lines.map(converted), taxes: items.taxes.map(converted) }
}
