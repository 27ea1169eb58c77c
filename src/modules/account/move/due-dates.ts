// When the parts of a total fall due, and how much each is: pure functions over payment terms
// (spec/business-models.md section 5).
import { addDays, addMonths, endOfMonth } from '../../../kit/dates.ts'
import { type Decimal, exact, roundTo } from '../tax-engine/index.ts'
import { type CashRounding, roundingDifference } from './document.ts'

export interface TermLine {
  readonly value: string
  readonly value_amount: number
  readonly delay_type: string
  readonly nb_days: number
  readonly days_next_month: string | null
}

/** The day that a line of terms falls due, counted from the day of the invoice. */
export function dueDate(line: TermLine, from: string): string {
  switch (line.delay_type) {
    case 'days_after_end_of_month':
      return addDays(endOfMonth(from), line.nb_days)
    case 'days_after_end_of_next_month':
      return addDays(endOfMonth(addMonths(`${from.slice(0, 8)}01`, 1)), line.nb_days)
    case 'days_end_of_month_on_the':
      return onTheDay(addDays(from, line.nb_days), Number(line.days_next_month))
    default:
      return addDays(from, line.nb_days)
  }
}

/** The day of the month after; without one the end of the month itself. */
function onTheDay(date: string, day: number): string {
  if (day <= 0) return endOfMonth(date)
  const end = endOfMonth(addMonths(`${date.slice(0, 8)}01`, 1))
  return Number(end.slice(8)) <= day ? end : `${end.slice(0, 8)}${String(day).padStart(2, '0')}`
}

/** A total in the currency of the document and in that of the company. */
export interface Both {
  readonly currency: Decimal
  readonly company: Decimal
}

/**
 * Rounding of both currencies, and the value of one unit of the company's currency in that of the
 * document.
 */
export interface Steps {
  readonly currency: Decimal
  readonly company: Decimal
  readonly rate: Decimal
  /** Cash rounding of the document. */
  readonly coins: CashRounding | null
}

/** An amount as it can be paid in coins, where the document is; the company's amount follows it. */
export function inCoins(amount: Both, { company, rate, coins }: Steps): Both {
  const difference = coins ? roundingDifference(amount.currency, coins) : exact(0)
  if (difference.isZero()) return amount
  const currency = amount.currency.plus(difference)
  return { currency, company: roundTo(currency.div(rate), company) }
}

export interface Instalment extends Both {
  readonly date: string
}

/**
 * The instalments of a total, in the order of the terms: each is payable in coins where the document is,
 * the last takes the rest, those of one day are one.
 */
export function instalments(
  total: Both,
  lines: readonly TermLine[],
  from: string,
  steps: Steps,
): Instalment[] {
  let [left, leftCompany] = [total.currency, total.company]
  const parts = lines.map((line, i): Instalment => {
    const date = dueDate(line, from)
    if (i === lines.length - 1) return { date, currency: left, company: leftCompany }
    const part = inCoins(partOf(total, line, steps), steps)
    left = left.minus(part.currency)
    leftCompany = leftCompany.minus(part.company)
    return { date, ...part }
  })
  return [...Map.groupBy(parts, (part) => part.date)].map(([date, same]) => ({
    date,
    currency: same.reduce((sum, part) => sum.plus(part.currency), exact(0)),
    company: same.reduce((sum, part) => sum.plus(part.company), exact(0)),
  }))
}

/**
 * The part of a total that a line of terms takes, by its percentage or its amount in the currency of the
 * document.
 */
function partOf(total: Both, line: TermLine, steps: Steps): Both {
  const amount = exact(line.value_amount)
  if (line.value === 'percent') {
    const share = (of: Decimal, step: Decimal) => roundTo(of.times(amount).div(100), step)
    return { currency: share(total.currency, steps.currency), company: share(total.company, steps.company) }
  }
  const signed = total.currency.isNegative() ? amount.negated() : amount
  return {
    currency: roundTo(signed, steps.currency),
    company: roundTo(signed.div(steps.rate), steps.company),
  }
}
