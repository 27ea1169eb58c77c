// Which debits settle which credits, and how much of each: pure arithmetic over open items, in the order of
// their due dates. The rules are those of the recordings (journeys `money` and `bank`).
import { present } from '../../../kit/present.ts'
import { type Decimal, exact, roundTo, toNumber } from '../tax-engine/index.ts'

/** An open item. Amounts are positive for debits, negative for credits. */
export interface OpenItem {
  readonly id: number
  readonly currency: number
  readonly step: number
  readonly due: string
  /** As booked, in the company's currency and in its own. */
  readonly balance: number
  readonly amountCurrency: number
  readonly residual: number
  readonly residualCurrency: number
  readonly company: { readonly currency: number; readonly step: number }
  /** Of a payment or a statement line: money that was exchanged at the rate it is booked with. */
  readonly isPayment: boolean
  /** On a receivable or payable account: it may be settled in a currency that it is not booked in. */
  readonly isOwedByPartner: boolean
  /** Value of one unit of the company's currency in another one, on the day of the item. */
  readonly rateOf: (currency: number) => number
}

/** The rest of an item that another settles; it is booked as a difference of exchange rates. */
interface Leftover {
  readonly company: number
  readonly currency: number
}

export interface Pair {
  readonly debit: number
  readonly credit: number
  readonly amount: number
  readonly debitCurrency: number
  readonly creditCurrency: number
  /** Positive of the debit, negative of the credit; null where nothing is left over. */
  readonly debitLeftover: Leftover | null
  readonly creditLeftover: Leftover | null
}

/** An item during the matching: absolute amounts of what is still open. */
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
        (item) =>
          (item.residual || item.residualCurrency) > 0 === positive &&
          (item.residual !== 0 || item.residualCurrency !== 0),
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
    // Nothing to match: amounts too small for the other's currency, or none left in the currency of both.
    if (!spent[0] && !spent[1]) debit.left.isZero() ? d++ : c++
  }
  return pairs
}

const isSpent = (item: Open) => item.left.isZero() && item.leftCurrency.isZero()
const least = (a: Decimal, b: Decimal) => (a.lessThan(b) ? a : b)

/** The amount that an item offers in the currency of the match, and its rate: null for items without one. */
interface Offer {
  readonly amount: Decimal
  readonly rate: Decimal | null
}

/** The rate that an item is booked with: amounts in its own currency for one of the company's. */
const bookedRate = ({ balance, amountCurrency }: OpenItem): Decimal | null =>
  balance === 0 || amountCurrency === 0 ? null : exact(amountCurrency).div(exact(balance)).abs()

/**
 * The rest of an item in a foreign currency, null where it cannot be settled in it. An item in the
 * company's currency is worth what the rate of its day says, except against money that was exchanged: that
 * says the rate.
 */
function offerIn(record: Open, currency: number, other: Open): Offer | null {
  const { item } = record
  if (item.currency === currency)
    return record.leftCurrency.isZero() ? null : { amount: record.leftCurrency, rate: bookedRate(item) }
  if (item.currency !== item.company.currency || !item.isOwedByPartner || record.left.isZero()) return null
  const rate = other.item.isPayment && !item.isPayment ? bookedRate(other.item) : exact(item.rateOf(currency))
  if (!rate) return null
  const amount = roundTo(record.left.times(rate), exact(other.item.step))
  return amount.isZero() ? null : { amount, rate }
}

/**
 * Settles as much of both as they have in common: in a foreign currency where both have one, else in the
 * company's.
 */
function settle(debit: Open, credit: Open): Pair | null {
  const company = debit.item.company.currency
  for (const { currency } of [debit.item, credit.item]) {
    if (currency === company) continue
    const offers = [offerIn(debit, currency, credit), offerIn(credit, currency, debit)] as const
    if (offers[0] && offers[1]) return inForeign(debit, credit, [offers[0], offers[1]])
  }
  return inCompanyCurrency(debit, credit)
}

/**
 * Pairs items in the company's currency. If an item is then settled in only one of its two currencies,
 * the rest is a difference: it is less than the smallest unit of the other one.
 */
function inCompanyCurrency(debit: Open, credit: Open): Pair | null {
  const amount = least(debit.left, credit.left)
  if (amount.isZero()) return null
  const side = (record: Open): Side => {
    const { item, left, leftCurrency } = record
    if (item.currency === item.company.currency) return { amount, currency: amount, leftover: null }
    const rate = bookedRate(item)
    const currency = rate ? least(roundTo(amount.times(rate), exact(item.step)), leftCurrency) : exact(0)
    const isSettled = rate !== null && (amount.equals(left) || currency.equals(leftCurrency))
    const rest = { company: left.minus(amount), currency: leftCurrency.minus(currency) }
    const isDifferent = isSettled && !(rest.company.isZero() && rest.currency.isZero())
    return { amount, currency, leftover: isDifferent ? rest : null }
  }
  return take([debit, side(debit)], [credit, side(credit)], amount)
}

/**
 * In a foreign currency: each side is worth what its rate says in the company's; the smaller of both is
 * matched, and the rest of what is settled is a difference of exchange rates.
 */
function inForeign(debit: Open, credit: Open, offers: readonly [Offer, Offer]): Pair | null {
  const matched = least(offers[0].amount, offers[1].amount)
  const foreign = debit.item.currency === debit.item.company.currency ? credit.item : debit.item
  const [ofDebit, ofCredit] = [
    shareOf(debit, offers[0], matched, exact(foreign.step)),
    shareOf(credit, offers[1], matched, exact(foreign.step)),
  ]
  const common = roundedTogether(ofDebit, ofCredit)
  const amount = common ?? least(ofDebit.worth, ofCredit.worth)
  const side = ({ open, isWhole, worth }: Share): Side => {
    const isCompany = open.item.currency === open.item.company.currency
    const rest = isWhole ? open.left.minus(amount) : common ? exact(0) : worth.minus(amount)
    const leftover = rest.isZero() ? null : { company: rest, currency: isCompany ? rest : exact(0) }
    return { amount, currency: isCompany ? amount : matched, leftover }
  }
  return take([debit, side(ofDebit)], [credit, side(ofCredit)], amount)
}

/** The worth, in the company's currency, of the part of an item that is matched in a foreign currency. */
interface Share {
  readonly open: Open
  /** All that is left of it is matched. */
  readonly isWhole: boolean
  readonly worth: Decimal
  /** Not rounded; and what half a step of the foreign currency is worth. */
  readonly plain: Decimal
  readonly slack: Decimal
}

function shareOf(item: Open, { amount, rate }: Offer, matched: Decimal, step: Decimal): Share {
  const plain = rate ? matched.div(rate) : exact(0)
  return {
    open: item,
    isWhole: matched.equals(amount),
    worth: least(roundTo(plain, exact(item.item.company.step)), item.left),
    plain,
    slack: rate ? step.div(2).div(rate) : exact(0),
  }
}

/**
 * The common amount of both sides where they differ by no more than the foreign currency is rounded by: all
 * that is left of the one that is matched whole. Null where rates differ.
 */
function roundedTogether(debit: Share, credit: Share): Decimal | null {
  const whole = [debit, credit].filter(({ isWhole }) => isWhole)
  const lefts = whole.map(({ open }) => open.left)
  const amount = lefts.reduce((a, b) => least(a, b))
  const others = whole.length === 2 ? [debit, credit] : [debit, credit].filter(({ isWhole }) => !isWhole)
  const fits = others.every(
    ({ open, plain, slack }) =>
      !plain.minus(amount).abs().greaterThan(slack) && !amount.greaterThan(open.left),
  )
  return fits ? amount : null
}

/** The amounts that a match takes off one item. */
interface Side {
  readonly amount: Decimal
  readonly currency: Decimal
  readonly leftover: { readonly company: Decimal; readonly currency: Decimal } | null
}

function take(
  [debit, ofDebit]: readonly [Open, Side],
  [credit, ofCredit]: readonly [Open, Side],
  amount: Decimal,
): Pair | null {
  for (const [open, side] of [
    [debit, ofDebit],
    [credit, ofCredit],
  ] as const) {
    open.left = open.left.minus(side.amount).minus(side.leftover?.company ?? 0)
    open.leftCurrency = open.leftCurrency.minus(side.currency).minus(side.leftover?.currency ?? 0)
  }
  if ([amount, ofDebit.currency, ofCredit.currency].every((part) => part.isZero())) return null
  const signed = ({ leftover }: Side, sign: 1 | -1): Leftover | null =>
    leftover && {
      company: sign * toNumber(leftover.company) + 0,
      currency: sign * toNumber(leftover.currency) + 0,
    }
  return {
    debit: debit.item.id,
    credit: credit.item.id,
    amount: toNumber(amount),
    debitCurrency: toNumber(ofDebit.currency),
    creditCurrency: toNumber(ofCredit.currency),
    debitLeftover: signed(ofDebit, 1),
    creditLeftover: signed(ofCredit, -1),
  }
}
