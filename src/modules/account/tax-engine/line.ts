// The taxes of one line: what each amounts to, on which base, and what is left without them
// (spec/business-models.md section 4).
import { present } from '../../../kit/present.ts'
import { type Decimal, exact, HUNDREDTH, ONE, roundTo, total, ZERO } from './exact.ts'
import { batchesOf, type Tax } from './tax.ts'

/** Meaning of a price: as its taxes say, without any tax, or with all of them. */
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
  /** Amounts of the whole line that are not computed from its price: those of a helper line. */
  readonly fixed?: FixedAmounts | null
}

/**
 * Amounts of a helper line (deposit, discount): its share of the amounts of a document, which its price alone
 * does not give to the cent.
 */
export interface FixedAmounts {
  readonly untaxed: Decimal
  /** By id of the tax; a tax that is taken back again has the opposite of it as its second count. */
  readonly taxes: ReadonlyMap<number, Decimal>
}

export interface TaxAmount {
  readonly tax: Tax
  readonly amount: Decimal
  readonly base: Decimal
  /** The price of the line holds it. */
  readonly included: boolean
  /** The second count of a tax with a negative part. */
  readonly reverseCharge: boolean
  /** Not computed from the price. */
  readonly isFixed?: boolean
}

export interface LineAmounts {
  readonly untaxed: Decimal
  /** Untaxed and all taxes. */
  readonly total: Decimal
  readonly taxes: readonly TaxAmount[]
  /** The untaxed amount is not computed from the price. */
  readonly isFixed?: boolean
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
  const amounts = computeFromPrice(line, step)
  return line.fixed ? withFixed(amounts, line.fixed) : amounts
}

/** Replaces amounts by fixed ones; the bases of the taxes move by as much as the untaxed amount. */
function withFixed(computed: LineAmounts, { untaxed, taxes: fixed }: FixedAmounts): LineAmounts {
  const moved = untaxed.minus(computed.untaxed)
  const taxes = computed.taxes.map((tax) => {
    const amount = fixed.get(tax.tax.id)
    const base = tax.base.plus(moved)
    if (amount === undefined) return { ...tax, base }
    return { ...tax, base, amount: tax.reverseCharge ? amount.negated() : amount, isFixed: true }
  })
  return { untaxed, total: untaxed.plus(total(taxes.map(({ amount }) => amount))), taxes, isFixed: true }
}

function computeFromPrice(line: TaxedLine, step: Decimal | null): LineAmounts {
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

/**
 * Whether the amount is computed as a part of the price. A reverse charge never is, although other taxes see
 * a price that holds it: it is owed on what is paid, as a tax on top of it (recorded).
 */
const isPartOfPrice = (line: TaxedLine, tax: Tax): boolean =>
  isIncluded(line, tax) && !(tax.hasNegativeFactor && line.priceMode !== 'total')

/** An amount per unit depends on nothing but the sign of the price. */
const perUnit = (tax: Tax, line: TaxedLine): Decimal =>
  exact(tax.amount)
    .times(line.quantity)
    .times(unitPriceOf(line).lessThan(0) ? -1 : 1)

/** The only tax of a line: there is no other that it could touch. */
function taxOf(tax: Tax, priced: Priced): TaxAmount[] {
  const { line, price, step } = priced
  const included = isPartOfPrice(line, tax)
  const raw = tax.amountType === 'fixed' ? perUnit(tax, line) : share(tax, [tax], price, line)
  const amount = step ? roundTo(raw, step) : raw
  return counted(tax, amount, included && !tax.hasNegativeFactor ? price.minus(amount) : price, included)
}

/** A tax that is taken back again counts twice. */
function counted(tax: Tax, amount: Decimal, base: Decimal, included: boolean): TaxAmount[] {
  const entry = { tax, amount, base, included, reverseCharge: false }
  return tax.hasNegativeFactor
    ? [entry, { ...entry, amount: amount.negated(), reverseCharge: true }]
    : [entry]
}

function taxesOf(priced: Priced): TaxAmount[] {
  const { line, price, step } = priced
  const batches = batchesOf(line.taxes, (line.priceMode ?? 'as taxes say') !== 'as taxes say')
  const amounts = new Map<Tax, Decimal>()
  // Amounts that other taxes add to (or take from) the base a tax is computed on, and the base it
  // reports.
  const forAmount = new Map<Tax, Decimal>()
  const forBase = new Map<Tax, Decimal>()

  const settle = (tax: Tax, amount: Decimal, at: number) => {
    amounts.set(tax, step ? roundTo(amount, step) : amount)
    for (const touch of touched(batches, at, tax, isIncluded(line, tax))) add(touch, tax)
  }
  const add = ({ other, sign }: Touch, tax: Tax) => {
    const change = present(amounts.get(tax)).times(sign)
    if (!amounts.has(other)) forAmount.set(other, changed(change, forAmount.get(other)))
    forBase.set(other, changed(change, forBase.get(other)))
  }
  const compute = (at: number, isTurn: (tax: Tax) => boolean) => {
    const batch = present(batches[at])
    for (const tax of batch) {
      if (amounts.has(tax) || !isTurn(tax)) continue
      settle(tax, share(tax, batch, changed(price, forAmount.get(tax)), line), at)
    }
  }

  // Amounts per unit; then parts of the price from the last to the first, then the others from the first on.
  for (let at = batches.length - 1; at >= 0; at--)
    for (const tax of present(batches[at]))
      if (tax.amountType === 'fixed') settle(tax, perUnit(tax, line), at)
  for (let at = batches.length - 1; at >= 0; at--) compute(at, (tax) => isPartOfPrice(line, tax))
  for (let at = 0; at < batches.length; at++) compute(at, () => true)

  return batches.flatMap((batch) => {
    const taken = total(batch.map((tax) => (tax.hasNegativeFactor ? ZERO : present(amounts.get(tax)))))
    return batch.flatMap((tax) => {
      const reach = changed(price, forBase.get(tax))
      const included = isPartOfPrice(line, tax)
      return counted(tax, present(amounts.get(tax)), included ? reach.minus(taken) : reach, included)
    })
  })
}

const changed = (amount: Decimal, by: Decimal | undefined): Decimal =>
  by === undefined ? amount : amount.plus(by)

/** A tax whose base changes by the amount of another. */
interface Touch {
  readonly other: Tax
  readonly sign: 1 | -1
}

/**
 * Taxes whose base changes by the amount of `tax`, which stands in batch `at`. Those computed before it only
 * report the change.
 */
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
    for (const other of batches.slice(0, at).flat()) yield { other, sign: -1 }
  } else if (tax.includeBaseAmount)
    for (const other of later) if (other.isBaseAffected) yield { other, sign: 1 }
}

/** A percentage of the base, by kind and place in the price; `batch` are the taxes that share it. */
function share(tax: Tax, batch: readonly Tax[], base: Decimal, line: TaxedLine): Decimal {
  const part = base.times(rateOf(tax))
  const isPercent = tax.amountType === 'percent'
  if (isPercent !== isPartOfPrice(line, tax)) return part
  // A given total contains no reverse charge; a price does for the other taxes in it.
  const isTotal = isPercent && line.priceMode === 'total'
  const rates = total((isTotal ? batch.filter((tax) => !tax.hasNegativeFactor) : batch).map(rateOf))
  const divisor = isPercent ? ONE.plus(rates) : ONE.minus(rates)
  if (!divisor.isZero()) return part.div(divisor)
  // Minus the whole price leaves no base; a division by the whole price equals it.
  return isPercent ? ZERO : part
}

const rates = new WeakMap<Tax, Decimal>()

/** A percentage as a factor; documents ask for the same few over and over. */
function rateOf(tax: Tax): Decimal {
  const cached = rates.get(tax) ?? exact(tax.amount).times(HUNDREDTH)
  rates.set(tax, cached)
  return cached
}
