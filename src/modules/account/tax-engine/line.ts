// The taxes of one line: what each amounts to, on which base, and what is left without them
// (spec/business-models.md section 4).
import { present } from '../../../kit/present.ts'
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
export const priceOf = (line: TaxedLine): Decimal => unitPriceOf(line).times(line.quantity)

function unitPriceOf({ priceUnit, discount }: TaxedLine): Decimal {
  return discount ? exact(priceUnit).times(ONE.minus(HUNDREDTH.times(discount))) : exact(priceUnit)
}

/**
 * Computes one line. Without `step` nothing is rounded; with it the price and every tax are rounded to
 * multiples of it, as companies that round per line do. Throws RangeError for numbers that are none.
 */
export function computeLine(line: TaxedLine, step: Decimal | null = null): LineAmounts {
  const price = step ? roundTo(priceOf(line), step) : priceOf(line)
  if (line.taxes.length === 0) return { untaxed: price, total: price, taxes: [] }
  const priced = { line, price, step }
  const [only, ...more] = line.taxes
  const taxes = only && more.length === 0 ? taxOf(only, priced) : taxesOf(priced)
  const untaxed = taxes[0]?.base ?? price
  return { untaxed, total: untaxed.plus(total(taxes.map((t) => t.amount))), taxes }
}

/** A line with its price. */
interface Priced {
  readonly line: TaxedLine
  readonly price: Decimal
  readonly step: Decimal | null
}

const isIncluded = ({ priceMode: mode = 'as taxes say' }: TaxedLine, tax: Tax): boolean =>
  mode === 'total' || (mode === 'as taxes say' && tax.priceInclude)

/** An amount per unit depends on nothing but the sign of the price. */
const perUnit = (tax: Tax, line: TaxedLine): Decimal =>
  exact(tax.amount)
    .times(line.quantity)
    .times(unitPriceOf(line).lessThan(0) ? -1 : 1)

/** The only tax of a line: there is no other that it could touch. */
function taxOf(tax: Tax, priced: Priced): TaxAmount[] {
  const { line, price, step } = priced
  const included = isIncluded(line, tax)
  const raw = tax.amountType === 'fixed' ? perUnit(tax, line) : share(tax, [tax], price, included)
  const amount = step ? roundTo(raw, step) : raw
  return counted(tax, amount, included && !tax.hasNegativeFactor ? price.minus(amount) : price)
}

/** A tax that is taken back again counts twice. */
function counted(tax: Tax, amount: Decimal, base: Decimal): TaxAmount[] {
  const own = { tax, amount, base, reverseCharge: false }
  return tax.hasNegativeFactor ? [own, { tax, amount: amount.negated(), base, reverseCharge: true }] : [own]
}

function taxesOf(priced: Priced): TaxAmount[] {
  const { line, price, step } = priced
  const batches = batchesOf(line.taxes, (line.priceMode ?? 'as taxes say') !== 'as taxes say')
  const amounts = new Map<Tax, Decimal>()
  // What other taxes add to (or take from) the base a tax is computed on, and the base it reports.
  const forAmount = new Map<Tax, Decimal>()
  const forBase = new Map<Tax, Decimal>()

  const settle = (tax: Tax, amount: Decimal, at: number) => {
    amounts.set(tax, step ? roundTo(amount, step) : amount)
    for (const touch of touched(batches, at, tax, isIncluded(line, tax))) add(touch, tax)
  }
  const add = ({ other, sign, reported }: Touch, tax: Tax) => {
    const change = present(amounts.get(tax)).times(sign)
    if (!amounts.has(other) && !reported) forAmount.set(other, changed(change, forAmount.get(other)))
    forBase.set(other, changed(change, forBase.get(other)))
  }
  const reckon = (at: number) => {
    const batch = present(batches[at])
    for (const tax of batch) {
      if (amounts.has(tax)) continue
      settle(tax, share(tax, batch, changed(price, forAmount.get(tax)), isIncluded(line, tax)), at)
    }
  }

  // Amounts per unit; then included taxes from the last to the first, then the others from the first on.
  for (let at = batches.length - 1; at >= 0; at--)
    for (const tax of present(batches[at]))
      if (tax.amountType === 'fixed') settle(tax, perUnit(tax, line), at)
  for (let at = batches.length - 1; at >= 0; at--) if (isIncluded(line, present(batches[at]?.[0]))) reckon(at)
  for (let at = 0; at < batches.length; at++) reckon(at)

  return batches.flatMap((batch) => {
    const taken = total(batch.map((tax) => (tax.hasNegativeFactor ? ZERO : present(amounts.get(tax)))))
    return batch.flatMap((tax) => {
      const reach = changed(price, forBase.get(tax))
      return counted(tax, present(amounts.get(tax)), isIncluded(line, tax) ? reach.minus(taken) : reach)
    })
  })
}

const changed = (amount: Decimal, by: Decimal | undefined): Decimal =>
  by === undefined ? amount : amount.plus(by)

/**
 * A tax whose base changes by the amount of another. `reported`: the base that it tells, not the one it is
 * computed on.
 */
interface Touch {
  readonly other: Tax
  readonly sign: 1 | -1
  readonly reported?: boolean
}

/** Taxes whose base changes by the amount of `tax`, which stands in batch `at`. */
function* touched(
  batches: readonly (readonly Tax[])[],
  at: number,
  tax: Tax,
  included: boolean,
): Generator<Touch> {
  const later = batches.slice(at + 1).flat()
  if (included) {
    // The price holds it: it is taken out wherever it does not belong to the base.
    for (const other of later) if (!tax.includeBaseAmount || !other.isBaseAffected) yield { other, sign: -1 }
    // Taxes before one that is taken back again are owed on all of the price, as recorded.
    for (const other of batches.slice(0, at).flat())
      yield { other, sign: -1, reported: tax.hasNegativeFactor }
  } else if (tax.includeBaseAmount)
    for (const other of later) if (other.isBaseAffected) yield { other, sign: 1 }
}

/** A percentage of the base, by kind and place of the price; `batch` are the taxes that share it. */
function share(tax: Tax, batch: readonly Tax[], base: Decimal, included: boolean): Decimal {
  const part = base.times(rateOf(tax))
  if ((tax.amountType === 'percent') !== included) return part
  // What is taken back again is in no price; a division reckons with the whole of its batch.
  const counted = tax.amountType === 'percent' ? batch.filter((one) => !one.hasNegativeFactor) : batch
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
