// Payments of invoiced orders: an entry for each payment, matched with the invoice.

import type { Vals } from '#models'
import { present } from '../../../kit/present.ts'
import { addDecimals } from '../../../kit/rounding.ts'
import { idList, sql } from '../../../sql/index.ts'
import { postUnmatched, reconcileGroups, withoutSettling } from '../../account/index.ts'
import { type Desk, itemVals } from '../closing/context.ts'
import { type MethodFacts, methodFacts, type Taken, takenPayments } from '../closing/sales.ts'
import type { Invoiceable } from './invoiceable.ts'
import { receivablesOf } from './receivable.ts'

/** An entry of a payment, by the order it is for. */
export interface Entry {
  readonly order: number
  readonly move: number
  /** Where the payment waits for closing, or for the closing entry that there is. */
  readonly account: number
  /** Whether it waits on the customer's own account: closing booked it there. It is left open there (recorded). */
  readonly isApart: boolean
}

/** Payments less change: change is taken off the first payment in cash. */
function netPayments(
  taken: readonly Taken[],
  methodOf: (id: number) => MethodFacts | undefined,
): { readonly payments: readonly Taken[]; readonly amount: number }[] {
  const change = taken.filter(({ isChange }) => isChange)
  const payments = taken.filter(({ isChange }) => !isChange)
  const first = payments.find(({ method }) => methodOf(method)?.kind === 'cash')
  const back = change.reduce((sum, { amount }) => addDecimals(sum, amount), 0)
  if (!first) return taken.map((payment) => ({ payments: [payment], amount: payment.amount }))
  return payments.map((payment) =>
    payment === first
      ? { payments: [payment, ...change], amount: addDecimals(payment.amount, back) }
      : { payments: [payment], amount: payment.amount },
  )
}

/**
 * Books the payments of orders whose invoices were made; what is paid later is owed by the invoice itself.
 */
export async function bookPayments(desk: Desk, orders: readonly Invoiceable[]): Promise<Entry[]> {
  const { env, session, day } = desk
  const taken = await takenPayments(env, { orders: orders.map(({ id }) => id) })
  const methods = await methodFacts(
    env,
    taken.map(({ method }) => method),
  )
  const partners = new Map(
    orders.map((order) => [
      order.id,
      order.partner_id?.commercial_partner_id?.id ?? order.partner_id?.id ?? 0,
    ]),
  )
  const receivable = await receivablesOf(env, [...partners.values()])
  const booked = [...Map.groupBy(taken, ({ order }) => order)].flatMap(([order, orderPayments]) =>
    netPayments(orderPayments, (id) => methods.get(id)).flatMap(({ payments, amount }) => {
      const method = methods.get(payments[0]?.method ?? 0)
      const partner = partners.get(order) ?? 0
      const owed = receivable.get(partner)
      if (!method || method.kind === 'pay_later' || owed === undefined || amount === 0) return []
      return [{ order, payments, amount, method, partner, owed }]
    }),
  )
  if (booked.length === 0) return []
  const names = new Map(orders.map((order) => [order.id, order.name]))
  // Closing debits customers for payments that a method tells apart.
  const isApart = (method: MethodFacts) => method.split && session.state === 'closed'
  const vals = booked.map(({ order, amount, method, partner, owed }): Vals<'account.move'> => {
    const name = `${method.name} of ${names.get(order)}`
    const items = itemVals(
      [
        { name, account: owed, amount: -amount, type: 'payment_term', partner },
        isApart(method)
          ? { name, account: owed, amount, type: 'payment_term', partner }
          : { name, account: method.receivable, amount, type: 'payment_term' },
      ],
      desk,
    )
    return {
      move_type: 'entry',
      ...(session.config_id.journal_id && { journal_id: session.config_id.journal_id.id }),
      currency_id: desk.currency,
      date: day,
      ref: name,
      line_ids: items.map((item) => [0, 0, item]),
    }
  })
  const moves = await withoutSettling(env, () => env.model('account.move').create(vals))
  await postUnmatched(moves)
  await nameEntries(
    desk,
    booked.flatMap(({ payments }, i) => payments.map(({ id }) => [id, present(moves.ids[i])] as const)),
  )
  return booked.map(({ order, method }, i) => ({
    order,
    move: present(moves.ids[i]),
    account: method.receivable,
    isApart: isApart(method),
  }))
}

/** Payments name their entries. */
async function nameEntries({ env }: Desk, entries: readonly (readonly [number, number])[]): Promise<void> {
  const vals = new Map(entries.map(([id, account_move_id]) => [id, { account_move_id }]))
  await env
    .model('pos.payment')
    .browse([...vals.keys()])
    .writeEach(vals)
}

interface Booked {
  readonly invoiceOf: ReadonlyMap<number, number>
  readonly entries: readonly Entry[]
  /** Entries that took back the order's share of a closing entry. */
  readonly reversals: ReadonlyMap<number, number>
}

/** Matches invoices with their payments, and, after closing, these with what was taken back. */
export async function settleInvoices(
  { env }: Desk,
  orders: readonly Invoiceable[],
  { invoiceOf, entries, reversals }: Booked,
): Promise<void> {
  const moves = [...invoiceOf.values(), ...entries.map(({ move }) => move), ...reversals.values()]
  const rows = await env.rows(
    sql`SELECT l.move_id, l.account_id, l.id, a.account_type = 'asset_receivable', l.partner_id FROM account_move_line l
    JOIN account_account a ON a.id = l.account_id WHERE l.move_id = ANY(${idList(moves)}) ORDER BY l.id`,
    { reads: ['account.move.line', 'account.account'], row: ['int', 'int', 'int', 'bool', 'int?'] },
  )
  const items = rows.map((row) => {
    const [move, account, id, owed, partner] = row
    return { move, account, id, owed, partner }
  })
  const groups = orders.flatMap((order) => {
    const paid = entries.filter((entry) => entry.order === order.id)
    const waiting = new Set(paid.map(({ account }) => account))
    const paidEntries = new Set([invoiceOf.get(order.id), ...paid.map(({ move }) => move)])
    const apart = new Set(paid.filter((payment) => payment.isApart).map(({ move }) => move))
    const seen = new Set<number>()
    const owed = items.filter((item) => {
      if (!paidEntries.has(item.move) || !item.owed || item.partner === null) return false
      // Of an entry that stays with the customer, the first item pays the invoice.
      const isFirst = !seen.has(item.move)
      seen.add(item.move)
      return isFirst || !apart.has(item.move)
    })
    const reversal = reversals.get(order.id)
    const taken =
      reversal === undefined
        ? []
        : items.filter((item) => item.move === reversal && waiting.has(item.account) && item.partner === null)
    const against = taken.length
      ? items.filter(
          (item) =>
            paid.some(({ move }) => move === item.move) && waiting.has(item.account) && item.partner === null,
        )
      : []
    return [...byAccount(owed), ...byAccount([...taken, ...against])]
  })
  await reconcileGroups(
    env,
    groups.filter((group) => group.length > 1),
  )
}

const byAccount = (items: readonly { readonly account: number; readonly id: number }[]) =>
  [...Map.groupBy(items, ({ account }) => account).values()].map((group) => group.map(({ id }) => id))
