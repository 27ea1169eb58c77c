// Items of the entry that closes a session: sales, taxes, payments, invoices that were paid, rounding.

import type { Vals } from '#models'
import { UserError } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { exact, toNumber } from '../../account/index.ts'
import type { MethodFacts, SoldOrder, Taken } from './sales.ts'
import type { Share } from './shares.ts'

/** An item in the currency of the session: a debit where positive. */
export interface Item {
  readonly name: string
  readonly account: number
  readonly amount: number
  readonly type: 'product' | 'tax' | 'payment_term'
  readonly partner?: number | null
  /** It takes back what was booked on the other side. */
  readonly isBack?: boolean
  readonly more?: Vals<'account.move.line'>
  /** Matching of the item once everything is booked. */
  readonly match?: Matching
}

export type Matching =
  | {
      readonly kind: 'cash' | 'bank'
      readonly method: MethodFacts
      readonly amount: number
      readonly partner: number | null
      readonly payment: Taken | null
    }
  | { readonly kind: 'invoices'; readonly payments: readonly Taken[]; readonly account: number }

const total = (amounts: readonly number[]): number =>
  toNumber(amounts.reduce((sum, amount) => sum.plus(exact(amount)), exact(0)))

/**
 * One item for each account, set of taxes and direction; for each product too where wanted. Items of no
 * amount stay, so that sales are seen. Each counts as one unit where it is not of a product, and shows what
 * it comes to without and with the taxes of its lines, signed like its balance (recorded).
 */
export function saleItems(shares: readonly Share[], byProduct: boolean): Item[] {
  const sales = shares.filter(({ kind }) => kind === 'sale')
  const sharesOfLine = Map.groupBy(shares, ({ line }) => line)
  const key = ({ account, taxes, isRefund, line }: Share) =>
    JSON.stringify([account, taxes, isRefund, byProduct ? line.product : 0])
  return [...Map.groupBy(sales, key).values()].map((group) => {
    const { account, taxes, isRefund, line } = present(group[0])
    const quantity = total(group.map((member) => member.line.qty))
    const amount = total(group.map((member) => member.amount))
    const taxed = group.flatMap((member) => sharesOfLine.get(member.line) ?? [])
    return {
      name: `${isRefund ? 'Refunds' : 'Sales'}${byProduct ? ` of ${line.name}` : ''}${taxes.length ? '' : ' untaxed'}`,
      account,
      amount,
      type: 'product',
      isBack: isRefund,
      more: {
        tax_ids: [[6, 0, [...taxes]]],
        quantity: 1,
        price_subtotal: amount + 0,
        price_total: total(taxed.map((line) => line.amount)) + 0,
        ...(byProduct ? { product_id: line.product, quantity: Math.abs(quantity) } : {}),
      },
    }
  })
}

/** One item for each part of a tax and direction; none of no amount. */
export function taxItems(shares: readonly Share[]): Item[] {
  const taxes = shares.filter(({ kind }) => kind === 'tax')
  const key = ({ account, taxes: later, part, group, isRefund }: Share) =>
    JSON.stringify([account, later, part, group, isRefund])
  return [...Map.groupBy(taxes, key).values()].flatMap((same): Item[] => {
    const { account, taxes: later, tax, part, group: taxGroup, isRefund } = present(same[0])
    const amount = total(same.map((row) => row.amount))
    if (amount === 0) return []
    const more = {
      tax_line_id: tax,
      tax_repartition_line_id: part,
      group_tax_id: taxGroup,
      tax_ids: [[6, 0, [...later]]] as const,
      tax_base_amount: total(same.map((row) => row.base)),
    }
    return [{ name: 'Tax', account, amount, type: 'tax', isBack: isRefund, more }]
  })
}

type MethodOf = (id: number) => MethodFacts

/** Debts of customers by payment method; payments of invoices belong to the invoices. */
export function paymentItems(
  taken: readonly Taken[],
  methodOf: MethodOf,
  receivableOf: (partner: number) => number | undefined,
): Item[] {
  const counted = taken.filter(
    (payment) => !(payment.invoiced && methodOf(payment.method).kind === 'pay_later'),
  )
  const [split, combined] = [
    counted.filter((row) => methodOf(row.method).split),
    counted.filter((row) => !methodOf(row.method).split),
  ]
  const together = [...Map.groupBy(combined, ({ method }) => method)].flatMap(([id, group]): Item[] => {
    const method = methodOf(id)
    const amount = total(group.map((member) => member.amount))
    // Bank payments of zero are booked too (recorded).
    if (amount === 0 && method.kind !== 'bank') return []
    const match =
      method.kind === 'pay_later'
        ? {}
        : { match: { kind: method.kind, method, amount, partner: null, payment: null } }
    return [{ name: method.name, account: method.receivable, amount, type: 'payment_term', ...match }]
  })
  const apart = split.map((payment): Item => {
    const method = methodOf(payment.method)
    const account = payment.partner === null ? undefined : receivableOf(payment.partner)
    if (account === undefined)
      throw new UserError(
        `${method.name} needs to know who pays: give the order of ${payment.amount} a customer before you close the session.`,
      )
    const { partner, amount } = payment
    const match =
      method.kind === 'pay_later' ? {} : { match: { kind: method.kind, method, amount, partner, payment } }
    return { name: method.name, account, amount, type: 'product', partner, ...match }
  })
  return [...together, ...apart]
}

/** Invoices of the session were paid with these: what was debited then is credited now. */
export function invoiceItems(taken: readonly Taken[], methodOf: MethodOf): Item[] {
  const counted = taken.filter((payment) => payment.invoiced && methodOf(payment.method).kind !== 'pay_later')
  const key = (payment: Taken) =>
    methodOf(payment.method).split ? `payment ${payment.id}` : `method ${payment.method}`
  return [...Map.groupBy(counted, key).values()].map((group): Item => {
    const method = methodOf(present(group[0]).method)
    const amount = total(group.map((member) => -member.amount))
    return {
      name: `Invoices paid by ${method.name}`,
      account: method.receivable,
      amount: amount + 0,
      type: 'payment_term',
      match: { kind: 'invoices', payments: group, account: method.receivable },
    }
  })
}

export interface Coins {
  readonly profit: number | null
  readonly loss: number | null
}

/**
 * Differences between payments and lines of orders, where totals are rounded to coins: coins, and
 * amounts that a till took in addition to its lines (recorded).
 */
export function roundingItems(shares: readonly Share[], taken: readonly Taken[], coins: Coins): Item[] {
  const paid = total(taken.filter(({ invoiced }) => !invoiced).map(({ amount }) => amount))
  const owed = total(shares.map(({ amount }) => -amount))
  const difference = toNumber(exact(paid).minus(exact(owed)))
  if (difference === 0) return []
  const account = difference > 0 ? coins.profit : coins.loss
  if (account === null) throw new UserError('The cash rounding needs accounts for profits and losses.')
  return [{ name: 'Rounding', account, amount: -difference, type: 'product' }]
}

/** Sum of items: zero if they balance, positive where debits are more. */
export const imbalanceOf = (items: readonly Item[]): number => total(items.map(({ amount }) => amount))

/**
 * True if an imbalance comes from rounding: every order differs from its till's total by one unit of the
 * currency at most (see `checked` of the orders), and these units add up to the imbalance.
 */
export function isRounding(
  off: number,
  orders: readonly SoldOrder[],
  shares: readonly Share[],
  rounding: number,
): boolean {
  const sharesOfOrder = Map.groupBy(shares, ({ order }) => order)
  const differences = orders.map((order) =>
    total([order.total, ...(sharesOfOrder.get(order) ?? []).map(({ amount }) => amount)]),
  )
  return differences.every((difference) => isUnit(difference, rounding)) && total(differences) === off
}

/** One unit of the currency at most: tills may round so much otherwise. */
export const isUnit = (difference: number, rounding: number): boolean =>
  Math.abs(difference) <= rounding * 1.001
