// The rate of an invoice: that of its day when it is made, dated or given a currency; then it stays until
// somebody writes another. Where the rate of a draft alone changes, its amounts stay what they are in its
// currency, and each is converted (recorded, money 25). Taxes in the company's currency are reckoned anew
// when an amount changes.
import { exact, roundTo, toNumber } from '../tax-engine/index.ts'
import type { Draft } from './drafts.ts'
import type { RateChange } from './pending-changes.ts'

/** The draft at the rate that applies to it: its own, unless its day or its currency changed. */
export function withRate(draft: Draft, change: RateChange | undefined): Draft {
  const { header, currencyRate: current } = draft
  const stays = header.currency !== header.companyCurrency && current > 0 && change !== 'redated'
  const rate = stays ? current : header.rate
  return {
    ...draft,
    header: { ...header, rate },
    rerated: change === 'written' || (current > 0 && rate !== current),
  }
}

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
  if (currency === companyCurrency || !draft.rerated) return items
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
