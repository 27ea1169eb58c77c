// Excesses of an order over the limits of cashiers: discounts, prices and money given back that a manager has
// to approve. Pure functions.
import { addDecimals, roundHalfUp } from '../../../kit/rounding.ts'
import { sum } from '../order/amounts.ts'
import type { AgreedPrice } from '../order/line.contract.ts'

export const limitedKinds = ['discount', 'price', 'refund', 'negative', 'drawer', 'cash_out'] as const
export type LimitedKind = (typeof limitedKinds)[number]

/** The limits of cashiers at a point of sale. */
export interface TillLimits {
  /** The highest discount in percent; null for no limit. */
  readonly discount: number | null
  readonly prices: boolean
  /** The highest amount that one order gives back; null for no limit. */
  readonly refund: number | null
  readonly negative: boolean
}

export interface LimitedLine {
  readonly qty: number
  readonly price: number
  readonly discount: number
  /** The amount of the line, taxes included. */
  readonly total: number
  /** Unit prices that need no approval, the usual one first; none for tips: any price is right. */
  readonly usual: readonly number[]
  /** Of the line that is taken back, or of a sales order. */
  readonly agreed: AgreedPrice | null
  /** Whether it takes goods of a sale back. */
  readonly takesBack: boolean
  /** Whether its taxes are those of its product. */
  readonly isTaxedAsUsual: boolean
}

export interface LimitedOrder {
  readonly lines: readonly LimitedLine[]
  /** The total that the till sent, and the total of the lines. */
  readonly statedTotal: number
  readonly computedTotal: number
  readonly rounding: number
  /** The distance that the total may have from the lines, where it is rounded to coins. */
  readonly slack: number
}

/** An excess that a manager has to approve; `amount`: percents of a discount, else money. */
export interface Excess {
  readonly kind: LimitedKind
  readonly amount: number
}

const net = ({ price, discount }: AgreedPrice) => price * (1 - discount / 100)

/** The amount that a discount below zero adds to the price, or to what is paid back. */
const surcharge = ({ price, discount }: AgreedPrice) => (Math.abs(price) * Math.max(0, -discount)) / 100

/**
 * The amount by which a line brings less, or gives back more, than was agreed; prices of the till may differ
 * in neither direction.
 */
function offPrice(line: LimitedLine, rounding: number): number {
  const near = rounding / 2 + 1e-9
  if (line.agreed) {
    const off = (net(line) - net(line.agreed)) * (line.qty < 0 ? 1 : -1)
    return off > near ? off * Math.abs(line.qty) : 0
  }
  const [usual] = line.usual
  if (usual === undefined) return 0
  const isUsual = line.usual.some((price) => Math.abs(price - line.price) <= near)
  const off = (isUsual ? 0 : Math.abs(usual - line.price)) + surcharge(line)
  return off > near ? off * Math.abs(line.qty) : 0
}

/** The discount of a line in percent; without a limit on prices, a lower price is a discount too. */
function discountOf(line: LimitedLine, limits: TillLimits): number {
  if (line.qty < 0) return 0
  // `offPrice` compares agreed prices together with their discounts.
  if (limits.prices) return line.agreed ? 0 : line.discount
  const usual = line.agreed ? [net(line.agreed)] : line.usual.filter((price) => price > 0)
  if (usual.length === 0) return line.discount
  const lowest = Math.min(...usual)
  return lowest <= 0 ? 0 : Math.max(0, 100 * (1 - net(line) / lowest))
}

/** Percents that half a unit of the currency is of a line's usual price. */
function roundedPart({ usual: [price = 0] }: LimitedLine, rounding: number): number {
  return price > 0 ? (50 * rounding) / price + 1e-9 : 1e-9
}

/** Everything in an order that a manager has to approve, each kind at most once. */
export function excessesOf(order: LimitedOrder, limits: TillLimits): Excess[] {
  const { lines, statedTotal, computedTotal, rounding, slack } = order
  const money = (amount: number) => roundHalfUp(amount, rounding)
  const beyondSlack = (amount: number) => (amount > slack + rounding * 1.001 ? amount : 0)
  const excesses: Excess[] = []
  const discounts = lines.map((line) => ({ line, percent: discountOf(line, limits) }))
  const highest = limits.discount ?? Number.POSITIVE_INFINITY
  // Prices are rounded to a unit of the currency: that much is no discount.
  if (discounts.some(({ line, percent }) => percent > highest + roundedPart(line, rounding))) {
    const discount = Math.max(...discounts.map(({ percent }) => percent))
    excesses.push({ kind: 'discount', amount: Number(discount.toFixed(2)) })
  }
  // Totals that a till understates are discounts by another name.
  const understated = beyondSlack(addDecimals(computedTotal, -statedTotal))
  const prices = sum(lines.map((line) => offPrice(line, rounding)))
  const isTaxedOtherwise = lines.some((line) => !line.isTaxedAsUsual && !line.agreed)
  if (
    limits.prices
      ? prices > 0 || understated > 0 || isTaxedOtherwise
      : limits.discount !== null && understated > 0
  )
    excesses.push({ kind: 'price', amount: money(sum([limits.prices ? prices : 0, understated])) })
  const negatives = lines.filter(({ total }) => total < 0)
  const amountOf = (some: readonly LimitedLine[]) => sum(some.map(({ total }) => -total))
  const takenBack = amountOf(negatives.filter((line) => line.takesBack))
  const paidOut = addDecimals(
    amountOf(negatives.filter((line) => !line.takesBack)),
    beyondSlack(addDecimals(Math.min(0, computedTotal), -Math.min(0, statedTotal))),
  )
  if (limits.negative && paidOut > rounding / 2) excesses.push({ kind: 'negative', amount: money(paidOut) })
  // Without that limit, orders below nothing would be refunds by another name.
  const refunded = limits.negative ? takenBack : addDecimals(takenBack, paidOut)
  if (limits.refund !== null && refunded > limits.refund + rounding / 2)
    excesses.push({ kind: 'refund', amount: money(refunded) })
  return excesses
}
