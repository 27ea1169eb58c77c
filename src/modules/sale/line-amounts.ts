// What a line of an order comes to: before taxes, taxes, with taxes; each line by itself, rounded to the order's currency.
import { computed, computedFields, type Environment } from '#models'
import { roundHalfUp } from '../../kit/rounding.ts'
import { type PricedLine, pricedPaths, totalsFor } from './amounts.ts'
import { line } from './line.contract.ts'

type Line = PricedLine & { readonly company_id: { readonly id: number } | null; readonly currency_id: { readonly id: number } | null }

/** Subtotal, tax and total of lines, by line. */
async function amountsOf(lines: readonly Line[], env: Environment) {
  const documents = lines.map((one) => ({ company: one.company_id?.id ?? 0, currency: one.currency_id?.id ?? null }))
  const totals = await totalsFor(env, lines, documents)
  const amounts = new Map<number, { price_subtotal: number; price_tax: number; price_total: number }>()
  const groups = Map.groupBy(lines.entries(), ([i]) => `${documents[i]?.company}/${documents[i]?.currency}`)
  for (const group of groups.values()) {
    // A line does not depend on the others: those of one company and currency go together.
    const own = group.map(([, one]) => one)
    const { lines: made } = totals(own, documents[group[0]?.[0] as number] as (typeof documents)[number])
    let at = 0
    for (const one of own) {
      const of = one.display_type ? null : made[at++]
      const [untaxed, total] = [of?.untaxed ?? 0, of?.total ?? 0]
      amounts.set(one.id, { price_subtotal: untaxed, price_tax: total - untaxed, price_total: total })
    }
  }
  return amounts
}

export const lineAmounts = computedFields(
  line,
  ['price_subtotal', 'price_tax', 'price_total'],
  [...pricedPaths, 'company_id', 'currency_id'],
  amountsOf,
)

const perUnit = (amount: number, quantity: number, rounding: number | undefined) =>
  quantity ? roundHalfUp(amount / quantity, rounding ?? 0.01) : 0

export const reducedPrices = {
  price_reduce_taxexcl: computed(line, ['price_subtotal', 'product_uom_qty', 'currency_id.rounding'], (one) =>
    perUnit(one.price_subtotal, one.product_uom_qty, one.currency_id?.rounding),
  ),
  price_reduce_taxinc: computed(line, ['price_total', 'product_uom_qty', 'currency_id.rounding'], (one) =>
    perUnit(one.price_total, one.product_uom_qty, one.currency_id?.rounding),
  ),
}
