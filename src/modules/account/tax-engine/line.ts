// The taxes of one line: what each amounts to, on which base, and what is left without them (spec/business-models.md section 4).
import { type Decimal, exact, HUNDREDTH, ONE, roundTo, total, ZERO } from './exact.ts'
import { batchesOf, type Tax } from './tax.ts'

/** How a price is to be read: as its taxes say, or as one without any or with all of them. */
export type PriceMode = 'as taxes say' | 'untaxed' | 'total'

export interface TaxedLine {
  /** Money for one unit, before the discount. */
  readonly priceUnit: number | Decimal
  readonly quantity: number | Decimal
  /** Percent. */
  readonly discount?: number
  /** In the order of computation (`inOrder`). */
  readonly taxes: readonly Tax[]
  readonly priceMode?: PriceMode
}

export interface TaxAmount {
  readonly tax: Tax
  readonly amount: Decimal
  readonly base: Decimal
  /** The second count of a tax with a negative part. */
  readonly reverseCharge: boolean
}

export interface LineAmounts {
  readonly untaxed: Decimal
  /** Untaxed and all taxes. */
  readonly total: Decimal
  readonly taxes: readonly TaxAmount[]
}

/** The price of the line with its discount, quantity included, before any tax is looked at. */
export function priceOf(line: TaxedLine): Decimal {
  const price = exact(line.priceUnit).times(exact(line.quantity))
  return line.discount ? price.times(ONE.minus(exact(line.discount).times(HUNDREDTH))) : price
}

/**
 * Computes one line. Without `step` nothing is rounded; with it the price and every tax are rounded to multiples of it, as
 * companies that round per line do. Throws RangeError for numbers that are none.
 */
export function computeLine(line: TaxedLine, step: Decimal | null = null): LineAmounts {
  const round = (value: Decimal) => (step ? roundTo(value, step) : value)
  const price = round(priceOf(line))
  if (line.taxes.length === 0) return { untaxed: price, total: price, taxes: [] }
  const mode = line.priceMode ?? 'as taxes say'
  const included = (tax: Tax) => mode === 'total' || (mode === 'as taxes say' && tax.priceInclude)
  const batches = batchesOf(line.taxes, mode !== 'as taxes say')
  const amounts = new Map<Tax, Decimal>()
  // What other taxes add to (or take from) the base a tax is computed on, and the base it reports.
  const forAmount = new Map<Tax, Decimal>()
  const forBase = new Map<Tax, Decimal>()

  const settle = (tax: Tax, amount: Decimal, at: number) => {
    amounts.set(tax, round(amount))
    // What is owed and taken back at once changes no other base.
    if (!tax.hasNegativeFactor) for (const [other, sign] of touched(batches, at, tax, included(tax))) add(other, sign, tax)
  }
  const add = (other: Tax, sign: 1 | -1, tax: Tax) => {
    const change = (amounts.get(tax) as Decimal).times(sign)
    if (!amounts.has(other)) forAmount.set(other, changed(change, forAmount.get(other)))
    forBase.set(other, changed(change, forBase.get(other)))
  }
  const reckon = (at: number) => {
    const batch = batches[at] as readonly Tax[]
    for (const tax of batch) {
      if (amounts.has(tax)) continue
      settle(tax, share(tax, batch, changed(price, forAmount.get(tax)), included(tax)), at)
    }
  }

  // An amount per unit depends on nothing; then included taxes from the last to the first, then the others from the first on.
  const sign = exact(line.priceUnit).isNegative() ? -1 : 1
  for (let at = batches.length - 1; at >= 0; at--)
    for (const tax of batches[at] as readonly Tax[])
      if (tax.amountType === 'fixed') settle(tax, exact(tax.amount).times(exact(line.quantity)).times(sign), at)
  for (let at = batches.length - 1; at >= 0; at--) if (included(batches[at]?.[0] as Tax)) reckon(at)
  for (let at = 0; at < batches.length; at++) reckon(at)

  const taxes = batches.flatMap((batch) => {
    const taken = total(batch.map((tax) => (tax.hasNegativeFactor ? ZERO : (amounts.get(tax) as Decimal))))
    return batch.flatMap((tax): TaxAmount[] => {
      const amount = amounts.get(tax) as Decimal
      const reach = changed(price, forBase.get(tax))
      const base = included(tax) ? reach.minus(taken) : reach
      const own = { tax, amount, base, reverseCharge: false }
      return tax.hasNegativeFactor ? [own, { tax, amount: amount.negated(), base, reverseCharge: true }] : [own]
    })
  })
  const untaxed = taxes[0]?.base ?? price
  return { untaxed, total: untaxed.plus(total(taxes.map((t) => t.amount))), taxes }
}

const changed = (amount: Decimal, by: Decimal | undefined): Decimal => (by === undefined ? amount : amount.plus(by))

/** Taxes whose base changes by the amount of `tax`, which stands in batch `at`. */
function* touched(batches: readonly (readonly Tax[])[], at: number, tax: Tax, included: boolean): Generator<readonly [Tax, 1 | -1]> {
  const later = batches.slice(at + 1).flat()
  if (included) {
    // The price holds it: it is taken out wherever it does not belong to the base.
    for (const other of later) if (!tax.includeBaseAmount || !other.isBaseAffected) yield [other, -1]
    for (const other of batches.slice(0, at).flat()) yield [other, -1]
  } else if (tax.includeBaseAmount) for (const other of later) if (other.isBaseAffected) yield [other, 1]
}

/** A percentage of the base, by kind and place of the price; `batch` are the taxes that share it. */
function share(tax: Tax, batch: readonly Tax[], base: Decimal, included: boolean): Decimal {
  const part = base.times(rateOf(tax))
  if ((tax.amountType === 'percent') !== included) return part
  // What is taken back again is in no price.
  const counted = batch.filter((one) => one === tax || !one.hasNegativeFactor)
  const rates = total(counted.map(rateOf))
  const divisor = tax.amountType === 'percent' ? ONE.plus(rates) : ONE.minus(rates)
  if (!divisor.isZero()) return part.div(divisor)
  // Minus the whole price leaves no base; a division by the whole price equals it.
  return tax.amountType === 'percent' ? ZERO : part
}

const rates = new WeakMap<Tax, Decimal>()

/** A percentage as a factor; documents ask for the same few over and over. */
function rateOf(tax: Tax): Decimal {
  const known = rates.get(tax) ?? exact(tax.amount).times(HUNDREDTH)
  rates.set(tax, known)
  return known
}
