// When the parts of a total fall due, and how much each is: pure functions over payment terms
// (spec/business-models.md section 5).
import { addDays, addMonths, daysInMonth } from '../../../kit/dates.ts'
import { type Decimal, exact, roundTo } from '../tax-engine/index.ts'

export interface TermLine {
  readonly value: string
  readonly value_amount: number
  readonly delay_type: string
  readonly nb_days: number
  readonly days_next_month: number
}

const endOfMonth = (date: string): string => {
  const [year, month] = [Number(date.slice(0, 4)), Number(date.slice(5, 7))]
  return `${date.slice(0, 8)}${String(daysInMonth(year, month)).padStart(2, '0')}`
}

/** The day that a line of terms falls due, counted from the day of the invoice. */
export function dueDate(line: TermLine, from: string): string {
  switch (line.delay_type) {
    case 'days_after_end_of_month':
      return addDays(endOfMonth(from), line.nb_days)
    case 'days_after_end_of_next_month':
      return addDays(endOfMonth(addMonths(`${from.slice(0, 8)}01`, 1)), line.nb_days)
    case 'days_end_of_month_on_the':
      return onTheDay(addDays(from, line.nb_days), line.days_next_month)
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

/** How both currencies are rounded, and what one of the company's is worth in that of the document. */
export interface Steps {
  readonly currency: Decimal
  readonly company: Decimal
  readonly rate: Decimal
}

export interface Instalment extends Both {
  readonly date: string
}

/**
 * The instalments of a total, in the order of the terms; the last takes the rest, those of one day are one.
 */
export function instalments(
  total: Both,
  lines: readonly TermLine[],
  from: string,
  steps: Steps,
): Instalment[] {
  let [left, leftCompany] = [total.currency, total.company]
  const sign = total.currency.isNegative() ? -1 : 1
  const parts = lines.map((line, i): Instalment => {
    const date = dueDate(line, from)
    if (i === lines.length - 1) return { date, currency: left, company: leftCompany }
    const amount = exact(line.value_amount)
    const share = (of: Decimal, step: Decimal) => roundTo(of.times(amount).div(100), step)
    const percent = line.value === 'percent'
    const currency = percent
      ? share(total.currency, steps.currency)
      : roundTo(amount.times(sign), steps.currency)
    const company = percent
      ? share(total.company, steps.company)
      : roundTo(amount.times(sign).div(steps.rate), steps.company)
    left = left.minus(currency)
    leftCompany = leftCompany.minus(company)
    return { date, currency, company }
  })
  return [...Map.groupBy(parts, (part) => part.date)].map(([date, same]) => ({
    date,
    currency: same.reduce((sum, part) => sum.plus(part.currency), exact(0)),
    company: same.reduce((sum, part) => sum.plus(part.company), exact(0)),
  }))
}
