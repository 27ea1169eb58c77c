// Orders that are invoiced after their session was closed: their sales, taxes, payments and costs are taken
// out of what closing booked.

import type { Vals } from '#models'
import { present } from '../../../kit/present.ts'
import { exact, postUnmatched, taxItemKey, toNumber, withoutSettling } from '../../account/index.ts'
import { type Desk, itemVals, roundingAccount } from '../closing/context.ts'
import { costsOf, costVals } from '../closing/costs.ts'
import { type Item, isUnit } from '../closing/items.ts'
import { methodFacts, soldOrders, type Taken, takenPayments } from '../closing/sales.ts'
import { type Share, sharesOf } from '../closing/shares.ts'
import type { Invoiceable } from './invoiceable.ts'
import { receivablesOf } from './receivable.ts'

/** Books an entry for each order and gives it by order. */
export async function takeBack(desk: Desk, orders: readonly Invoiceable[]): Promise<Map<number, number>> {
  const { env, session, day, rounding, method } = desk
  const ids = orders.map(({ id }) => id)
  const sold = await soldOrders(env, { orders: ids })
  const shares = Map.groupBy(await sharesOf(env, sold, { rounding, method }), ({ order }) => order.id)
  const items = new Map<number, Item[]>()
  for (const order of sold) {
    const { partner } = order
    const parts = shares.get(order.id) ?? []
    const ofTaxes = Map.groupBy(
      parts.filter(({ kind }) => kind === 'tax'),
      taxItemKey,
    )
    const sales = parts.filter(({ kind }) => kind === 'sale')
    items.set(order.id, [
      ...sales.map(
        (sale): Item => ({
          name: sale.line.name || order.name,
          account: sale.account,
          amount: -sale.amount + 0,
          type: 'product',
          partner,
          isBack: !sale.isRefund,
          more: { tax_ids: [[6, 0, [...sale.taxes]]], product_id: sale.line.product },
        }),
      ),
      ...[...ofTaxes.values()].flatMap((group) => taxBack(group, partner)),
    ])
  }
  await withPayments(desk, ids, items)
  const costs = await costsOf(desk, ids)
  const wanted = orders.filter(({ id }) => (items.get(id) ?? []).length > 0)
  const vals = wanted.map(
    (order): Vals<'account.move'> => ({
      move_type: 'entry',
      ...(session.config_id.journal_id && { journal_id: session.config_id.journal_id.id }),
      currency_id: desk.currency,
      date: day,
      ref: `Reversal of ${order.name} from ${session.name}`,
      reversed_pos_order_id: order.id,
      line_ids: [
        ...itemVals(items.get(order.id) ?? [], desk),
        ...costVals(costs.get(order.id) ?? [], -1, desk),
      ].map((item) => [0, 0, item]),
    }),
  )
  const moves = await withoutSettling(env, () => env.model('account.move').create(vals))
  await postUnmatched(moves)
  return new Map(wanted.map(({ id }, i) => [id, present(moves.ids[i])]))
}

/** The item that takes back taxes of one part and account; none where they are nothing together. */
function taxBack(group: readonly Share[], partner: Item['partner']): Item[] {
  const [first] = group
  const amount = toNumber(group.reduce((sum, member) => sum.minus(exact(member.amount)), exact(0)))
  if (!first || amount === 0) return []
  const more = {
    tax_line_id: first.tax,
    tax_repartition_line_id: first.part,
    group_tax_id: first.group,
    tax_ids: [[6, 0, [...first.taxes]]] as const,
  }
  const { account, isRefund } = first
  return [{ name: 'Tax', account, amount, type: 'tax', partner, isBack: !isRefund, more }]
}

/**
 * Payments of customers are taken off the accounts that closing debited: those of methods, and customers'
 * own where a method tells its payments apart. The rest is what was rounded to coins, or what the
 * till rounded a unit otherwise.
 */
async function withPayments(
  desk: Desk,
  orders: readonly number[],
  items: Map<number, Item[]>,
): Promise<void> {
  const { env } = desk
  const taken = await takenPayments(env, { orders })
  const methods = await methodFacts(
    env,
    taken.map(({ method }) => method),
  )
  const receivable = await receivablesOf(
    env,
    taken.flatMap(({ partner }) => partner ?? []),
  )
  const byOrder = Map.groupBy(taken, ({ order }) => order)
  for (const [order, orderItems] of items) {
    const payments = byOrder.get(order) ?? []
    const isApart = (payment: Taken) => methods.get(payment.method)?.split === true
    const account = (payment: Taken) =>
      isApart(payment) && payment.partner !== null
        ? receivable.get(payment.partner)
        : methods.get(payment.method)?.receivable
    const key = (payment: Taken) =>
      JSON.stringify([account(payment), isApart(payment) ? payment.partner : null])
    for (const group of Map.groupBy(payments, key).values()) {
      const [first] = group
      const of = first && account(first)
      if (!first || of === undefined) continue
      const amount = toNumber(group.reduce((sum, member) => sum.minus(exact(member.amount)), exact(0)))
      orderItems.push({
        name: 'Payments',
        account: of,
        amount,
        type: 'payment_term',
        partner: isApart(first) ? first.partner : null,
        isBack: amount < 0,
      })
    }
    // A profit that closing booked is a debit now.
    const rest = toNumber(orderItems.reduce((sum, { amount }) => sum.minus(exact(amount)), exact(0)))
    const rounded = restAccount(desk, rest)
    if (rounded !== null)
      orderItems.push({
        name: 'Rounding',
        account: rounded,
        amount: rest,
        type: 'product',
        partner: payments[0]?.partner ?? null,
        isBack: true,
      })
  }
}

/** The account that closing booked the rest of an order on; null for no rest, and for more than rounding. */
function restAccount(desk: Desk, rest: number): number | null {
  if (rest === 0) return null
  const coins = rest > 0 ? desk.profit : desk.loss
  return coins ?? (isUnit(rest, desk.rounding) ? roundingAccount(desk, rest) : null)
}
