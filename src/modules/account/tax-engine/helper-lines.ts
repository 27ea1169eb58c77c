// Helper lines: deposits and discounts, which ask for a share of a document. One engine for all of them
// (recorded with orders, deposits and discounts of many kinds of taxes):
// - lines with the same taxes share one helper line; a tax for each piece is for pieces and stays out;
// - the whole comes to the share of the document's total, rounded once: a requested sum is reached exactly;
// - each tax is the share of what the document rounded it to, and the untaxed amount is the rest;
// - cents that the prices miss go to the largest lines.
import { present } from '../../../kit/present.ts'
import { documentTotals, type Rounding, type TaxTotal } from './document.ts'
import { type Decimal, exact, ONE, roundTo, toNumber, total, ZERO } from './exact.ts'
import { computeLine, type FixedAmounts, type LineAmounts, priceOf, type TaxedLine } from './line.ts'
import { spread } from './spread.ts'
import type { Tax } from './tax.ts'

/** A line of a document that is shared; lines with another `group` (an account) get other helper lines. */
export interface SharedLine extends TaxedLine {
  readonly group?: number | null
}

/** The requested amount: a fraction of the document, or a sum with taxes. Negative amounts take off. */
export type HelperRequest = { readonly share: number | Decimal } | { readonly sum: number }

export interface HelperLine {
  /** The place of the first line that shares it. */
  readonly first: number
  readonly group: number | null
  /** For a quantity of one. */
  readonly priceUnit: number
  readonly fixed: StoredFixed
}

/**
 * Amounts of a helper line as records keep them, for a quantity of one at this price and with these taxes.
 */
export interface StoredFixed {
  readonly price_unit: number
  readonly untaxed: number
  readonly taxes: readonly (readonly [tax: number, amount: number])[]
}

/**
 * The helper lines for a share of a document; none if nothing is left to take a share of. Throws as
 * `documentTotals`.
 */
export function helperLines(
  lines: readonly SharedLine[],
  request: HelperRequest,
  rounding: Rounding,
): HelperLine[] {
  const step = exact(rounding.rounding)
  const document = documentTotals(lines, rounding)
  const perPiece = new Set(lines.flatMap(({ taxes }) => taxes.filter(isPerPiece).map(({ id }) => id)))
  const taxes = document.taxes.filter(({ taxId }) => !perPiece.has(taxId))
  const whole = exact(document.untaxed).plus(total(taxes.map(({ amount }) => exact(amount))))
  const share = shareOf(request, whole, step)
  const requested = roundTo(whole.times(share), step)
  const targets = taxes.map((tax) => ({ tax, amount: roundTo(exact(tax.amount).times(share), step) }))
  const untaxed = requested.minus(total(targets.map(({ amount }) => amount)))
  const parts = partsOf(lines, share).filter(({ priceUnit }) => !exact(priceUnit).isZero())
  return reach(parts, { untaxed, targets, rounding })
}

export const isPerPiece = (tax: Tax): boolean => tax.amountType === 'fixed'

function shareOf(request: HelperRequest, whole: Decimal, step: Decimal): Decimal {
  if ('share' in request) return exact(request.share)
  return whole.isZero() ? ZERO : roundTo(exact(request.sum), step).div(whole)
}

interface Part extends TaxedLine {
  readonly first: number
  readonly group: number | null
}

function partsOf(lines: readonly SharedLine[], share: Decimal): Part[] {
  const groups = Map.groupBy(lines, ({ taxes, group }) => {
    const ids = taxes.filter((tax) => !isPerPiece(tax)).map(({ id }) => id)
    return `${ids.toSorted((a, b) => a - b).join()}/${group ?? ''}`
  })
  return [...groups.values()].map((group) => {
    const first = present(group[0])
    return {
      first: lines.indexOf(first),
      taxes: first.taxes.filter((tax) => !isPerPiece(tax)),
      group: first.group ?? null,
      priceUnit: total(group.map(priceOf)).times(share),
      quantity: 1,
    }
  })
}

interface Target {
  readonly untaxed: Decimal
  readonly targets: readonly { readonly tax: TaxTotal; readonly amount: Decimal }[]
  readonly rounding: Rounding
}

/** Corrects prices and amounts of the parts so that they come to what is wanted. */
function reach(parts: readonly Part[], { untaxed, targets, rounding }: Target): HelperLine[] {
  const step = exact(rounding.rounding)
  const perLine = rounding.method === 'round_per_line'
  const raw = parts.map((part) => computeLine(part, perLine ? step : null))
  const rounded = raw.map((item) => roundTo(item.untaxed, step))
  const sum = perLine ? total(rounded) : roundTo(total(raw.map((item) => item.untaxed)), step)
  const weights = raw.map((item) => item.untaxed)
  const priceShares = spread(untaxed.minus(sum), weights, placeOf(step))
  const untaxedShares = spread(untaxed.minus(total(rounded)), weights, step)
  const taxes = taxAmounts(raw, targets, step)
  return parts.map((part, i) => {
    const price = exact(part.priceUnit).plus(present(priceShares[i]))
    const untaxed = present(rounded[i]).plus(present(untaxedShares[i]))
    // Without taxes a line is what its price says, even where the whole misses a cent then (recorded).
    const isPrice = part.taxes.length === 0
    const priceUnit = toNumber(price)
    return {
      first: part.first,
      group: part.group,
      priceUnit,
      fixed: {
        price_unit: priceUnit,
        untaxed: toNumber(isPrice ? roundTo(price, step) : untaxed),
        taxes: present(taxes[i]),
      },
    }
  })
}

/** The amounts of the taxes of each part, which add up to what is wanted of each tax. */
function taxAmounts(
  raw: readonly LineAmounts[],
  targets: Target['targets'],
  step: Decimal,
): [number, number][][] {
  const amounts = raw.map((): [number, number][] => [])
  for (const { tax, amount } of targets) {
    // The second count of a tax that is taken back is the opposite of the first.
    if (tax.reverseCharge) continue
    const taxBases = raw.flatMap((item, at) =>
      item.taxes
        .filter((counted) => counted.tax.id === tax.taxId && !counted.reverseCharge)
        .map((counted) => ({ at, amount: counted.amount })),
    )
    const rounded = taxBases.map((taxBase) => roundTo(taxBase.amount, step))
    const shares = spread(
      amount.minus(total(rounded)),
      taxBases.map((taxBase) => taxBase.amount),
      step,
    )
    for (const [n, { at }] of taxBases.entries())
      amounts[at]?.push([tax.taxId, toNumber(present(rounded[n]).plus(present(shares[n])))])
  }
  return amounts
}

/**
 * The unit in which prices give way: the last decimal place of a coin, 0.01 for 0.05 (as recorded). Amounts
 * give way by whole coins: a later document could not deduct what was billed if they fell between two.
 */
const placeOf = (step: Decimal): Decimal => exact(10 ** -Math.max(0, step.decimalPlaces()))

/**
 * The amounts of a helper line, null where its price or quantity was changed. Where its taxes were, the
 * untaxed amount stays (recorded), and taxes that it did not have are computed from the price.
 */
export function fixedFor(
  stored: StoredFixed | null,
  line: { readonly priceUnit: number; readonly quantity: number; readonly discount: number },
): FixedAmounts | null {
  if (!stored || line.discount !== 0 || Math.abs(line.quantity) !== 1) return null
  if (stored.price_unit !== line.priceUnit) return null
  const sign = line.quantity < 0 ? ONE.negated() : ONE
  return {
    untaxed: exact(stored.untaxed).times(sign),
    taxes: new Map(stored.taxes.map(([id, amount]) => [id, exact(amount).times(sign)])),
  }
}

/** Stored amounts, as far as they are of the form that `helperLines` gives; null for anything else. */
export function fixedOf(value: unknown): StoredFixed | null {
  if (typeof value !== 'object' || value === null) return null
  const { price_unit, untaxed, taxes } = value as Partial<Record<keyof StoredFixed, unknown>>
  if (!Number.isFinite(price_unit) || !Number.isFinite(untaxed) || !Array.isArray(taxes)) return null
  const isAmount = (value: unknown) =>
    Array.isArray(value) && value.length === 2 && value.every(Number.isFinite)
  return taxes.every(isAmount) ? (value as StoredFixed) : null
}
