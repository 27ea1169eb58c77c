// The taxes of a document: its lines as each shows itself, and totals rounded by line or over the whole
// (spec/business-models.md section 4).
import { present } from '../../../kit/present.ts'
import { type Decimal, exact, roundTo, toNumber, total } from './exact.ts'
import { computeLine, type LineAmounts, type TaxAmount, type TaxedLine } from './line.ts'
import { spread } from './spread.ts'

/** `res.company.tax_calculation_rounding_method`. */
export type RoundingMethod = 'round_globally' | 'round_per_line'

export interface Rounding {
  /** The currency's `rounding`: amounts are multiples of it. */
  readonly rounding: number
  readonly method: RoundingMethod
  /**
   * Amounts are wanted in another currency: what one of it is worth in that of the prices, and the `rounding`
   * of that of the prices.
   */
  readonly conversion?: { readonly rate: number; readonly rounding: number }
}

/** One tax of a line or of the document, in money. */
export interface TaxTotal {
  readonly taxId: number
  readonly taxGroupId: number
  readonly base: number
  readonly amount: number
  /** The opposite of a tax that is taken back. */
  readonly reverseCharge: boolean
}

export interface LineTotals {
  /** Amounts that the line shows, each rounded on its own. Total = untaxed + tax. */
  readonly untaxed: number
  readonly tax: number
  readonly total: number
  /**
   * Amounts by which the line counts in the document: they add up to the document's totals, to the cent.
   */
  readonly settled: { readonly untaxed: number; readonly taxes: readonly TaxTotal[] }
}

export interface GroupTotal {
  readonly taxGroupId: number
  /** Of lines with a tax of the group, each counted once. */
  readonly base: number
  readonly amount: number
}

export interface DocumentTotals {
  readonly untaxed: number
  readonly tax: number
  readonly total: number
  /** In the order of the lines given. */
  readonly lines: readonly LineTotals[]
  /** By tax, in the order in which they first occur. */
  readonly taxes: readonly TaxTotal[]
  /** By tax group, in the order in which they first occur. */
  readonly groups: readonly GroupTotal[]
}

/** A rounded line: `shown` stands by itself, `counted` is what the document takes it for. */
interface Rounded {
  readonly raw: LineAmounts
  readonly shown: Decimal
  counted: Decimal
  readonly taxes: RoundedTax[]
}

interface RoundedTax {
  readonly raw: TaxAmount
  readonly shown: Decimal
  counted: Decimal
  /** The base that the document takes the tax for: bases of a tax add up, too. */
  base: Decimal
}

/** Totals of a document. Throws RangeError for numbers that are none, or a rounding that is not positive. */
export function documentTotals(lines: readonly TaxedLine[], rounding: Rounding): DocumentTotals {
  const step = exact(rounding.rounding)
  const rounded = roundedLines(lines, rounding)
  if (rounding.method === 'round_globally') settle(rounded, step)
  return new Totals(rounded, step)
}

/** Most look at some of it only; those that look at it do so line by line, so it is reckoned once. */
class Totals implements DocumentTotals {
  readonly untaxed: number
  readonly tax: number
  readonly total: number
  readonly #rounded: readonly Rounded[]
  readonly #step: Decimal
  #lines?: readonly LineTotals[]
  #taxes?: readonly TaxTotal[]
  #groups?: readonly GroupTotal[]

  constructor(rounded: readonly Rounded[], step: Decimal) {
    this.#rounded = rounded
    this.#step = step
    const untaxed = total(rounded.map((line) => line.counted))
    const tax = total(rounded.flatMap((line) => line.taxes.map((t) => t.counted)))
    this.untaxed = toNumber(untaxed)
    this.tax = toNumber(tax)
    this.total = toNumber(untaxed.plus(tax))
  }

  get lines(): readonly LineTotals[] {
    this.#lines ??= this.#rounded.map(lineTotals)
    return this.#lines
  }

  get taxes(): readonly TaxTotal[] {
    this.#taxes ??= byTax(this.#rounded).map((parts) => {
      const base = total(parts.map((part) => part.base))
      return taxTotal(present(parts[0]), base, total(parts.map((part) => part.counted)))
    })
    return this.#taxes
  }

  get groups(): readonly GroupTotal[] {
    this.#groups ??= byGroup(this.#rounded, this.#step)
    return this.#groups
  }
}

/** Amounts that lines show, each by itself: untaxed, and with taxes. Throws as `documentTotals`. */
export function shownAmounts(
  lines: readonly TaxedLine[],
  rounding: Rounding,
): { readonly untaxed: number; readonly total: number }[] {
  return roundedLines(lines, rounding).map(({ shown, taxes }) => ({
    untaxed: toNumber(shown),
    total: toNumber(shown.plus(total(taxes.map((part) => part.shown)))),
  }))
}

/** Each line by itself. */
function roundedLines(
  lines: readonly TaxedLine[],
  { rounding, method, conversion }: Rounding,
): readonly Rounded[] {
  const step = exact(rounding)
  const ownStep = method === 'round_per_line' ? exact(conversion?.rounding ?? rounding) : null
  const rate = conversion ? exact(conversion.rate) : null
  return lines.map((line) => {
    const amounts = computeLine(line, ownStep)
    return roundLine(rate ? converted(amounts, rate) : amounts, step)
  })
}

type Part = RoundedTax

const converted = ({ untaxed, total: all, taxes }: LineAmounts, rate: Decimal): LineAmounts => ({
  untaxed: untaxed.div(rate),
  total: all.div(rate),
  taxes: taxes.map((tax) => ({ ...tax, amount: tax.amount.div(rate), base: tax.base.div(rate) })),
})

function roundLine(raw: LineAmounts, step: Decimal): Rounded {
  const untaxed = roundTo(raw.untaxed, step)
  const taxes = raw.taxes.map((tax) => {
    const amount = roundTo(tax.amount, step)
    return { raw: tax, shown: amount, counted: amount, base: roundTo(tax.base, step) }
  })
  return { raw, shown: untaxed, counted: untaxed, taxes }
}

/**
 * Rounds over the whole document: each tax once, then the untaxed amount; differences go to the largest
 * parts.
 */
function settle(rounded: readonly Rounded[], step: Decimal): void {
  for (const parts of byTax(rounded).flatMap(byPrice)) {
    const tax = roundedSum(parts, ({ amount }) => amount, step)
    reach(tax, parts, ({ raw }) => raw.amount, step)
    settleBases(parts, tax, step)
  }
  const whole = (of: (raw: LineAmounts) => Decimal) => roundedSum(rounded, of, step)
  const taxes = total(rounded.flatMap((line) => line.taxes.map((part) => part.counted)))
  // When every price holds its taxes, what the customer pays is kept and the untaxed amount gives way.
  const target = pricesHoldTaxes(rounded)
    ? whole((raw) => raw.total).minus(taxes)
    : whole((raw) => raw.untaxed)
  reach(target, rounded, ({ raw }) => raw.untaxed, step)
}

/**
 * A sum that is rounded once. Fixed amounts are rounded apart, so that a half cent of the lines is
 * rounded as it was without them.
 */
function roundedSum<R extends { readonly isFixed?: boolean }>(
  parts: readonly { readonly raw: R }[],
  of: (raw: R) => Decimal,
  step: Decimal,
): Decimal {
  const { fixed = [], computed = [] } = Object.groupBy(parts, ({ raw }) =>
    raw.isFixed ? 'fixed' : 'computed',
  )
  const sum = (some: typeof parts) => roundTo(total(some.map(({ raw }) => of(raw))), step)
  return fixed.length ? sum(computed).plus(sum(fixed)) : sum(computed)
}

function settleBases(parts: readonly Part[], tax: Decimal, step: Decimal): void {
  const difference = settledBase(parts, tax, step).minus(total(parts.map(({ base }) => base)))
  if (difference.isZero()) return
  const shares = spread(
    difference,
    parts.map(({ raw }) => raw.base),
    step,
  )
  for (const [at, part] of parts.entries()) part.base = part.base.plus(present(shares[at]))
}

/**
 * The base of a tax over the document. When prices hold the tax, base and tax together are what is rounded,
 * and the base is what the tax leaves of it.
 */
function settledBase(parts: readonly Part[], tax: Decimal, step: Decimal): Decimal {
  const base = total(parts.map(({ raw }) => raw.base))
  if (!present(parts[0]).raw.included) return roundTo(base, step)
  return roundTo(base.plus(total(parts.map(({ raw }) => raw.amount))), step).minus(tax)
}

/** Makes amounts that were rounded one by one add up to `target`. */
function reach<P extends { readonly shown: Decimal; counted: Decimal }>(
  target: Decimal,
  parts: readonly P[],
  weight: (part: P) => Decimal,
  step: Decimal,
): void {
  const difference = target.minus(total(parts.map((part) => part.shown)))
  if (difference.isZero()) return
  const shares = spread(difference, parts.map(weight), step)
  for (const [at, part] of parts.entries()) part.counted = part.shown.plus(present(shares[at]))
}

/** Lines without taxes say nothing; a reverse charge is in no price. */
function pricesHoldTaxes(rounded: readonly Rounded[]): boolean {
  const taxes = rounded.flatMap((line) => line.raw.taxes)
  return taxes.length > 0 && taxes.every((tax) => tax.included)
}

/** The parts of all lines, those of one tax (and one sign of a reverse charge) together. */
function byTax(rounded: readonly Rounded[]): Part[][] {
  const parts = rounded.flatMap((line) => line.taxes)
  return [...Map.groupBy(parts, ({ raw }) => (raw.reverseCharge ? -raw.tax.id : raw.tax.id)).values()]
}

/**
 * Parts of one tax, those that prices hold apart from those that come on top: each is rounded by itself. As
 * recorded (money 53): of a tax of 17.36 in a price an early discount takes 1.68 off, and 15 is booked.
 */
function byPrice(parts: readonly Part[]): Part[][] {
  return [...Map.groupBy(parts, ({ raw }) => raw.included).values()]
}

function byGroup(rounded: readonly Rounded[], step: Decimal): GroupTotal[] {
  const groups = new Map<number, { base: Decimal; amount: Decimal }>()
  for (const line of rounded) {
    for (const [id, parts] of Map.groupBy(line.taxes, ({ raw }) => raw.tax.taxGroupId)) {
      const group = groups.get(id)
      const base = present(parts[0]).raw.base
      const amount = total(parts.map((part) => part.counted))
      groups.set(
        id,
        group ? { base: group.base.plus(base), amount: group.amount.plus(amount) } : { base, amount },
      )
    }
  }
  return [...groups].map(([taxGroupId, { base, amount }]) => ({
    taxGroupId,
    base: toNumber(roundTo(base, step)),
    amount: toNumber(amount),
  }))
}

function lineTotals(line: Rounded): LineTotals {
  const tax = total(line.taxes.map((part) => part.shown))
  return {
    untaxed: toNumber(line.shown),
    tax: toNumber(tax),
    total: toNumber(line.shown.plus(tax)),
    settled: {
      untaxed: toNumber(line.counted),
      taxes: line.taxes.map((part) => taxTotal(part, part.base, part.counted)),
    },
  }
}

const taxTotal = ({ raw }: Part, base: Decimal, amount: Decimal): TaxTotal => ({
  taxId: raw.tax.id,
  taxGroupId: raw.tax.taxGroupId,
  base: toNumber(base),
  amount: toNumber(amount),
  reverseCharge: raw.reverseCharge,
})
