// Which debits settle which credits, and how much of each: pure arithmetic over open items, in the order of
// their due dates.
import { present } from '../../../kit/present.ts'
import { type Decimal, exact, roundTo, toNumber } from '../tax-engine/index.ts'

/** An open item; residuals are positive for debits, negative for credits. */
export interface OpenItem {
  readonly id: number
  readonly currency: number
  readonly step: number
  /** What one of the company's currency is worth in that of the item, on its day. */
  readonly rate: number
  readonly due: string
  readonly residual: number
  readonly residualCurrency: number
  readonly company: { readonly currency: number; readonly step: number }
  /** What one of the company's currency is worth in another one, on the day of the item. */
  readonly rateOf: (currency: number) => number
}

export interface Pair {
  readonly debit: number
  readonly credit: number
  readonly amount: number
  readonly debitCurrency: number
  readonly creditCurrency: number
  /**
   * What the rates of both leave open of the debit (positive) or of the credit (negative), in the company's
   * currency.
   */
  readonly difference: number
}

interface Open {
  readonly item: OpenItem
  left: Decimal
  leftCurrency: Decimal
}

const byDue = (a: OpenItem, b: OpenItem) =>
  a.due.localeCompare(b.due) ||
  a.currency - b.currency ||
  a.residualCurrency - b.residualCurrency ||
  a.id - b.id

/** Pairs debits with credits until one side is used up. */
export function pairUp(items: readonly OpenItem[]): Pair[] {
  const open = (positive: boolean): Open[] =>
    items
      .filter(
        (one) =>
          (one.residual || one.residualCurrency) > 0 === positive &&
          (one.residual !== 0 || one.residualCurrency !== 0),
      )
      .toSorted(byDue)
      .map((item) => ({
        item,
        left: exact(item.residual).abs(),
        leftCurrency: exact(item.residualCurrency).abs(),
      }))
  const [debits, credits] = [open(true), open(false)]
  const pairs: Pair[] = []
  for (let d = 0, c = 0; d < debits.length && c < credits.length; ) {
    const [debit, credit] = [present(debits[d]), present(credits[c])]
    const pair = settle(debit, credit)
    if (pair) pairs.push(pair)
    const spent = [isSpent(debit), isSpent(credit)]
    if (spent[0]) d++
    if (spent[1]) c++
    // Nothing moved: amounts too small for the other's currency.
    if (!spent[0] && !spent[1]) c++
  }
  return pairs
}

const isSpent = (one: Open) => one.left.isZero() && one.leftCurrency.isZero()

/** Settles as much of both as they have in common. */
function settle(debit: Open, credit: Open): Pair | null {
  const company = debit.item.company
  const [own, other] = [debit.item.currency, credit.item.currency]
  const foreign =
    own === other ? own : own === company.currency ? other : other === company.currency ? own : null
  return foreign === null || foreign === company.currency
    ? inCompanyCurrency(debit, credit)
    : inForeign(debit, credit, foreign)
}

const least = (a: Decimal, b: Decimal) => (a.lessThan(b) ? a : b)

function inCompanyCurrency(debit: Open, credit: Open): Pair | null {
  const amount = least(debit.left, credit.left)
  const [debitCurrency, creditCurrency] = [shareOf(debit, amount), shareOf(credit, amount)]
  // What is left is less than the item's own currency can say: it is settled.
  const whole = (one: Open, own: Decimal) =>
    own.equals(one.leftCurrency) && !own.isZero() ? one.left : amount
  return take(debit, credit, {
    debit: whole(debit, debitCurrency),
    credit: whole(credit, creditCurrency),
    debitCurrency,
    creditCurrency,
  })
}

/** The part of the item's own currency that an amount in the company's stands for. */
function shareOf({ item, left, leftCurrency }: Open, amount: Decimal): Decimal {
  if (amount.equals(left)) return leftCurrency
  return left.isZero() ? exact(0) : roundTo(leftCurrency.times(amount).div(left), exact(item.step))
}

/** What is left of an item in a currency: its own, or the company's at the rate of its day. */
function leftIn(one: Open, currency: number, step: Decimal): Decimal {
  return one.item.currency === currency
    ? one.leftCurrency
    : roundTo(one.left.times(exact(one.item.rateOf(currency))), step)
}

function inForeign(debit: Open, credit: Open, currency: number): Pair | null {
  const step = exact(debit.item.currency === currency ? debit.item.step : credit.item.step)
  const [debitLeft, creditLeft] = [leftIn(debit, currency, step), leftIn(credit, currency, step)]
  const amount = least(debitLeft, creditLeft)
  const part = (one: Open, left: Decimal) => {
    const whole = amount.equals(left)
    const company = whole
      ? one.left
      : left.isZero()
        ? exact(0)
        : roundTo(one.left.times(amount).div(left), exact(one.item.company.step))
    return { company, currency: one.item.currency === currency ? amount : company }
  }
  const [ofDebit, ofCredit] = [part(debit, debitLeft), part(credit, creditLeft)]
  return take(debit, credit, {
    debit: ofDebit.company,
    credit: ofCredit.company,
    debitCurrency: ofDebit.currency,
    creditCurrency: ofCredit.currency,
  })
}

interface Taken {
  readonly debit: Decimal
  readonly credit: Decimal
  readonly debitCurrency: Decimal
  readonly creditCurrency: Decimal
}

function take(debit: Open, credit: Open, taken: Taken): Pair | null {
  debit.left = debit.left.minus(taken.debit)
  credit.left = credit.left.minus(taken.credit)
  debit.leftCurrency = debit.leftCurrency.minus(taken.debitCurrency)
  credit.leftCurrency = credit.leftCurrency.minus(taken.creditCurrency)
  if (Object.values(taken).every((amount) => amount.isZero())) return null
  const amount = least(taken.debit, taken.credit)
  // In the company's currency there is one amount alone: an entry of its own settles what rates differ by.
  const share = ({ item }: Open, own: Decimal) =>
    toNumber(item.currency === item.company.currency ? amount : own)
  return {
    debit: debit.item.id,
    credit: credit.item.id,
    amount: toNumber(amount),
    debitCurrency: share(debit, taken.debitCurrency),
    creditCurrency: share(credit, taken.creditCurrency),
    difference: toNumber(taken.debit.minus(taken.credit)),
  }
}
