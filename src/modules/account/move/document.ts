// From the lines of an invoice to its items, in both currencies: amounts of the lines, items of taxes, the
// total that is owed. Pure functions.
import { present } from '../../../kit/present.ts'
import {
  type Decimal,
  documentTotals,
  exact,
  type LineTotals,
  laterAffectedTaxes,
  type RoundingMethod,
  roundTo,
  shareOut,
  type Tax,
  type TaxedLine,
  toNumber,
} from '../tax-engine/index.ts'

/** A part of a tax as documents book it. */
export interface TaxPart {
  readonly id: number
  readonly factor_percent: number
  readonly account: number | null
  /** Tags that reports gather the part by. */
  readonly tags?: readonly number[]
}

export interface DocumentLine extends TaxedLine {
  readonly id: number
  readonly account: number | null
  /** The group of taxes that a tax of the line came with. */
  groupOf?(tax: number): number | null
}

export interface DocumentTerms {
  /** Sign of the lines in debits. */
  readonly sign: 1 | -1
  readonly rounding: number
  readonly companyRounding: number
  readonly method: RoundingMethod
  /** Value of one unit of the company's currency in that of the document; null if they are the same. */
  readonly rate: number | null
  /** Parts of a tax for this kind of document. */
  readonly partsOf: (tax: number) => readonly TaxPart[]
}

/** Amounts that a line shows, and amounts that are booked for it. */
export interface LineAmountsOut {
  readonly id: number
  readonly price_subtotal: number
  readonly price_total: number
  readonly amount_currency: number
  readonly balance: number
}

export interface TaxItem {
  readonly part: number
  readonly tax: number
  readonly account: number | null
  /** Later taxes of the lines that take it into their base. */
  readonly taxes: readonly number[]
  /**
   * The group of taxes that it came with: reports distinguish a group from the same taxes given one by
   * one.
   */
  readonly group: number | null
  readonly amount_currency: number
  readonly balance: number
  readonly base: number
}

export interface Items {
  readonly lines: readonly LineAmountsOut[]
  readonly taxes: readonly TaxItem[]
}

/** Amounts of the lines and items of the taxes. Items of no amount in either currency are left out. */
export function itemsOf(lines: readonly DocumentLine[], terms: DocumentTerms): Items {
  const { sign, rounding, companyRounding, method, rate } = terms
  const totals = documentTotals(lines, { rounding, method })
  const company =
    rate === null
      ? totals
      : documentTotals(lines, { rounding: companyRounding, method, conversion: { rate, rounding } })
  const grouped = new Map<string, Summed>()
  for (const [i, line] of lines.entries())
    for (const item of taxItems(line, present(totals.lines[i]), present(company.lines[i]), terms))
      sum(grouped, item)
  return {
    lines: lines.map((line, i) => {
      const shown = present(totals.lines[i])
      const booked = present(company.lines[i])
      return {
        id: line.id,
        price_subtotal: shown.untaxed,
        price_total: shown.total,
        amount_currency: sign * shown.settled.untaxed + 0,
        balance: sign * booked.settled.untaxed + 0,
      }
    }),
    taxes: [...grouped.values()].flatMap((taxGroup) => {
      const [amount_currency, balance] = [
        toNumber(taxGroup.currency.times(sign)),
        toNumber(taxGroup.company.times(sign)),
      ]
      if (amount_currency === 0 && balance === 0) return []
      const { part, tax, account, taxes, group } = taxGroup
      return [
        {
          part,
          tax,
          account,
          taxes,
          group,
          amount_currency,
          balance,
          base: toNumber(taxGroup.base.times(sign)),
        },
      ]
    }),
  }
}

interface Summed {
  readonly part: number
  readonly tax: number
  readonly account: number | null
  readonly taxes: readonly number[]
  readonly group: number | null
  currency: Decimal
  company: Decimal
  base: Decimal
}

/** Tax items are one for each part, account, set of later taxes, and group. */
export const taxItemKey = (item: {
  readonly part: number | null
  readonly account: number | null
  readonly taxes: readonly number[]
  readonly group: number | null
}): string => `${item.part ?? ''}/${item.account}/${item.taxes.join()}/${item.group ?? ''}`

function sum(grouped: Map<string, Summed>, item: Summed): void {
  const key = taxItemKey(item)
  const existing = grouped.get(key)
  if (!existing) grouped.set(key, item)
  else {
    existing.currency = existing.currency.plus(item.currency)
    existing.company = existing.company.plus(item.company)
    existing.base = existing.base.plus(item.base)
  }
}

/** The items of one line: each part of each of its taxes, on the account of the part or of the line. */
function* taxItems(
  line: DocumentLine,
  totals: LineTotals,
  company: LineTotals,
  terms: DocumentTerms,
): Generator<Summed> {
  const byId = new Map<number, Tax>(line.taxes.map((tax) => [tax.id, tax]))
  const [step, companyStep] = [exact(terms.rounding), exact(terms.companyRounding)]
  for (const [i, total] of totals.settled.taxes.entries()) {
    const tax = present(byId.get(total.taxId))
    const booked = company.settled.taxes[i] ?? total
    const parts = terms.partsOf(tax.id)
    const currencies = shareOut(exact(total.amount), parts, total.reverseCharge, step)
    const companies = shareOut(exact(booked.amount), parts, total.reverseCharge, companyStep)
    for (const [n, { part, amount }] of currencies.entries())
      yield {
        part: part.id,
        tax: tax.id,
        account: part.account ?? line.account,
        taxes: laterAffectedTaxes(tax, line.taxes).toSorted((a, b) => a - b),
        group: line.groupOf?.(tax.id) ?? null,
        currency: amount,
        company: companies[n]?.amount ?? amount,
        base: exact(booked.base),
      }
  }
}

/** The total due for the items: the opposite of their sum. */
export function totalDue(items: readonly { readonly amount_currency: number; readonly balance: number }[]): {
  currency: Decimal
  company: Decimal
} {
  let [currency, company] = [exact(0), exact(0)]
  for (const item of items) {
    currency = currency.minus(exact(item.amount_currency))
    company = company.minus(exact(item.balance))
  }
  return { currency, company }
}

/** Cash rounding of a total. */
export interface CashRounding {
  readonly rounding: number
  readonly rounding_method: string
}

/** Difference that cash rounding adds to a total, with the sign of the total. */
export function roundingDifference(total: Decimal, { rounding, rounding_method }: CashRounding): Decimal {
  const step = exact(rounding)
  const steps = total.abs().div(step)
  const whole =
    rounding_method === 'UP'
      ? steps.ceil()
      : rounding_method === 'DOWN'
        ? steps.floor()
        : roundTo(steps, exact(1))
  const rounded = whole.times(step)
  return (total.isNegative() ? rounded.negated() : rounded).minus(total)
}
