// What an order asks of a manager: discounts, prices and money given back beyond what cashiers may do at a
// point of sale. Pure functions over what was sold and what it costs.
import { addDecimals, roundHalfUp } from '../../../kit/rounding.ts'

export const limitedKinds = ['discount', 'price', 'refund', 'negative', 'drawer', 'cash_out'] as const
export type LimitedKind = (typeof limitedKinds)[number]

/** What a point of sale leaves to managers. */
export interface TillLimits {
  /** The highest discount that cashiers give, in percent; null where any is theirs. */
  readonly discount: number | null
  readonly prices: boolean
  /** What cashiers give back in one order; null where that is theirs to say. */
  readonly refund: number | null
  readonly negative: boolean
}

export interface LimitedLine {
  readonly qty: number
  readonly price: number
  readonly discount: number
  /** What the line comes to, taxes included. */
  readonly total: number
  /** Unit prices that need nobody, the usual one first; empty where any is right, as for tips. */
  readonly usual: readonly number[]
  /** The price and discount that were agreed before: of the line that is taken back, or of a sales order. */
  readonly agreed: { readonly price: number; readonly discount: number } | null
  /** Whether it takes goods of a sale back. */
  readonly takesBack: boolean
  /** Whether its taxes are those of its product. */
  readonly isTaxedAsUsual: boolean
}

export interface LimitedOrder {
  readonly lines: readonly LimitedLine[]
  /** What the till says that the order comes to, and what its lines come to. */
  readonly told: number
  readonly computed: number
  readonly rounding: number
  /** How far the total may be from the lines, where it is rounded to coins. */
  readonly slack: number
}

/** What a manager has to approve: percents of a discount, else money. */
export interface Excess {
  readonly kind: LimitedKind
  readonly amount: number
}

const net = ({ price, discount }: { readonly price: number; readonly discount: number }) =>
  price * (1 - discount / 100)

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => addDecimals(total, amount), 0)

/** How much less a line brings, or more it gives back, than was agreed; a price of the till counts both ways. */
function offPrice(line: LimitedLine, rounding: number): number {
  const near = rounding / 2 + 1e-9
  if (line.agreed) {
    const off = (net(line) - net(line.agreed)) * (line.qty < 0 ? 1 : -1)
    return off > near ? off * Math.abs(line.qty) : 0
  }
  const [usual] = line.usual
  if (usual === undefined || line.usual.some((price) => Math.abs(price - line.price) <= near)) return 0
  return Math.abs(usual - line.price) * Math.abs(line.qty)
}

/** The discount of a line in percent; a lower price is one where prices are free. */
function discountOf(line: LimitedLine, arePricesFree: boolean): number {
  // Where prices are limited, what was agreed is judged as one.
  if (line.qty < 0 || (line.agreed && !arePricesFree)) return 0
  const usual = line.agreed ? [net(line.agreed)] : line.usual.filter((price) => price > 0)
  if (!line.agreed && (!arePricesFree || usual.length === 0)) return line.discount
  const lowest = Math.min(...usual)
  return lowest <= 0 ? 0 : Math.max(0, 100 * (1 - net(line) / lowest))
}

/** What an order asks of a manager, a kind at most once; nothing where it keeps within the limits. */
export function excessesOf(order: LimitedOrder, limits: TillLimits): Excess[] {
  const { lines, told, computed, rounding, slack } = order
  const money = (amount: number) => roundHalfUp(amount, rounding)
  const excesses: Excess[] = []
  const discount = Math.max(0, ...lines.map((line) => discountOf(line, !limits.prices)))
  // A unit of the currency is no discount: prices are rounded to it.
  const isOver = (line: LimitedLine) =>
    discountOf(line, !limits.prices) > (limits.discount ?? 100) + roundedPart(line, rounding)
  if (limits.discount !== null && lines.some(isOver))
    excesses.push({ kind: 'discount', amount: Number(discount.toFixed(2)) })
  // Totals that a till understates are discounts by another name.
  const short = addDecimals(computed, -told)
  const understated = short > slack + rounding * 1.001 ? short : 0
  const prices = sum(lines.map((line) => offPrice(line, rounding)))
  const untaxed = lines.some((line) => !line.isTaxedAsUsual && !line.agreed)
  if (limits.prices ? prices > 0 || understated > 0 || untaxed : limits.discount !== null && understated > 0)
    excesses.push({ kind: 'price', amount: money(sum([limits.prices ? prices : 0, understated])) })
  const back = sum(lines.map((line) => (line.total < 0 && line.takesBack ? -line.total : 0)))
  const out = sum(lines.map((line) => (line.total < 0 && !line.takesBack ? -line.total : 0)))
  const more = Math.max(0, addDecimals(Math.min(0, computed), -Math.min(0, told)))
  const loose = addDecimals(out, more > slack + rounding * 1.001 ? more : 0)
  if (limits.negative && loose > rounding / 2) excesses.push({ kind: 'negative', amount: money(loose) })
  // Where orders below nothing are free, they would be refunds by another name.
  const refunded = limits.negative ? back : addDecimals(back, loose)
  if (limits.refund !== null && refunded > limits.refund + rounding / 2)
    excesses.push({ kind: 'refund', amount: money(refunded) })
  return excesses
}

/** Percents that half a unit of the currency is of a line's usual price. */
function roundedPart({ usual: [price = 0] }: LimitedLine, rounding: number): number {
  return price > 0 ? (50 * rounding) / price + 1e-9 : 1e-9
}
