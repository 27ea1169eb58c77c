// The entry that closes a session: made, posted, and matched with what the drawer and the bank brought.

import type { Records, Vals } from '#models'
import { UserError } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { addDecimals } from '../../../kit/rounding.ts'
import { idList, sql } from '../../../sql/index.ts'
import { postUnmatched, reconcileGroups, withoutSettling } from '../../account/index.ts'
import { receivablesOf } from '../invoicing/receivable.ts'
import { type Desk, itemVals, roundingAccount } from './context.ts'
import { costsOf, costVals } from './costs.ts'
import {
  type Item,
  imbalanceOf,
  invoiceItems,
  isRounding,
  type Matching,
  paymentItems,
  roundingItems,
  saleItems,
  taxItems,
} from './items.ts'
import { methodFacts, type SoldOrder, soldOrders, takenPayments } from './sales.ts'
import { sharesOf } from './shares.ts'

/** Amount by which the entry does not balance, if closing was refused for that; else null. */
export const imbalanceIn = (error: unknown): number | null =>
  error instanceof UserError && typeof error.context.unbalanced === 'number' ? error.context.unbalanced : null

/**
 * The refusal of items that do not balance: closing takes everything back, and offers to book the rest
 * somewhere.
 */
const unbalanced = (amount: number) =>
  new UserError(
    `The session does not balance by ${amount}: some orders do not come to what was paid for them.`,
    {
      context: { unbalanced: amount },
    },
  )

/** An account that takes what does not balance. */
export interface Balancing {
  readonly account: number
}

/**
 * The items of a session, with the sales of `orders`, those without an invoice. Throws UserError for what
 * does not balance, and for payments that lack a customer.
 */
async function itemsOf(
  desk: Desk,
  orders: readonly SoldOrder[],
  balancing: Balancing | null,
): Promise<Item[]> {
  const { env, session, rounding, method } = desk
  const taken = await takenPayments(env, { session: session.id })
  const methods = await methodFacts(
    env,
    taken.map((payment) => payment.method),
  )
  const methodOf = (id: number) => {
    const method = methods.get(id)
    if (!method?.receivable)
      throw new UserError(
        'A payment method needs an account for what customers owe: name one for the company.',
      )
    return method
  }
  const receivable = await receivablesOf(
    env,
    taken.flatMap(({ partner }) => partner ?? []),
  )
  const shares = await sharesOf(env, orders, { rounding, method })
  const items = [
    ...saleItems(shares, session.config_id.is_closing_entry_by_product),
    ...taxItems(shares),
    ...paymentItems(taken, methodOf, (partner) => receivable.get(partner)),
    ...invoiceItems(taken, methodOf),
    ...(session.config_id.cash_rounding ? roundingItems(shares, taken, desk) : []),
  ]
  const off = imbalanceOf(items)
  if (off === 0) return items
  const account =
    balancing?.account ?? (isRounding(off, orders, shares, rounding) ? roundingAccount(desk, off) : null)
  if (account === null) throw unbalanced(off)
  return [...items, { name: 'Difference at closing PoS session', account, amount: -off, type: 'product' }]
}

/** Books a session and gives its entry, or null where nothing was sold. */
export async function bookSession(
  desk: Desk,
  balancing: Balancing | null,
  diffs: ReadonlyMap<number, number>,
): Promise<number | null> {
  const { env, session, day } = desk
  const orders = (await soldOrders(env, { session: session.id })).filter(({ invoiced }) => !invoiced)
  const items = await itemsOf(desk, orders, balancing)
  if (items.length === 0) return null
  const costs = await costsOf(
    desk,
    orders.map(({ id }) => id),
  )
  const moves = env.model('account.move')
  const vals = [...itemVals(items, desk), ...costVals([...costs.values()].flat(), 1, desk)]
  const move = await withoutSettling(env, async () =>
    moves.create([
      {
        move_type: 'entry',
        ...(session.config_id.journal_id && { journal_id: session.config_id.journal_id.id }),
        currency_id: desk.currency,
        date: day,
        // Sales at tills are due at once (recorded).
        invoice_date_due: day,
        ref: session.name,
        line_ids: vals.map((line) => [0, 0, line]),
      },
    ]),
  )
  await postUnmatched(move)
  const createdItems = await env
    .model('account.move.line')
    .search([['move_id', '=', move.ensureOne()]], { order: 'id' })
  await settle(desk, items, createdItems.ids, diffs)
  return move.ensureOne()
}

interface Waiting {
  readonly item: number
  readonly match: Matching
}

async function settle(
  desk: Desk,
  items: readonly Item[],
  ids: readonly number[],
  diffs: ReadonlyMap<number, number>,
): Promise<void> {
  const waiting = items.flatMap(({ match }, i): Waiting[] =>
    match ? [{ item: present(ids[i]), match }] : [],
  )
  const groups = [
    ...(await settleCash(desk, waiting)),
    ...(await settleBank(desk, waiting, diffs)),
    ...(await settleInvoices(desk, waiting)),
  ]
  await reconcileGroups(
    desk.env,
    groups.filter((group) => group.length > 1),
  )
}

/** The drawer: a line of its journal for all that was paid in cash. */
async function settleCash({ env, session }: Desk, waiting: readonly Waiting[]): Promise<number[][]> {
  const cash = waiting.flatMap(({ item, match }) => (match.kind === 'cash' ? [{ item, match }] : []))
  if (cash.length === 0) return []
  const accounts = await env
    .model('account.move.line')
    .browse(cash.map(({ item }) => item))
    .load(['account_id'])
  const lines = await env.model('account.bank.statement.line').create(
    cash.map(
      ({ match }, i): Vals<'account.bank.statement.line'> => ({
        pos_session_id: session.id,
        journal_id: present(match.method.journal),
        amount: match.amount,
        payment_ref: session.name,
        partner_id: match.partner ?? false,
        counterpart_account_id: present(accounts[i]?.account_id).id,
      }),
    ),
  )
  const rows = await lines.load(['counterpart_account_id', 'move_id.line_ids.account_id'])
  return rows.map((row, i) => [
    present(cash[i]).item,
    ...row.move_id.line_ids
      .filter((line) => line.account_id?.id === row.counterpart_account_id?.id)
      .map(({ id }) => id),
  ])
}

type BankMatch = Exclude<Matching, { readonly kind: 'invoices' }>

/**
 * True if a payment books money that is outstanding at the bank. A negative sum is booked when the bank
 * shows it, unless the method names an account (recorded).
 */
const booksMoney = ({ payment, amount, method }: BankMatch): boolean =>
  payment !== null || amount >= 0 || method.outstanding !== null

/** The bank: a payment for what comes from it, by method, or by customer where they are told apart. */
async function settleBank(
  desk: Desk,
  waiting: readonly Waiting[],
  diffs: ReadonlyMap<number, number>,
): Promise<number[][]> {
  const { env, session, day, currency } = desk
  const bank = waiting.flatMap(({ item, match }) => (match.kind === 'bank' ? [{ item, match }] : []))
  if (bank.length === 0) return []
  const accounts = await env
    .model('account.move.line')
    .browse(bank.map(({ item }) => item))
    .load(['account_id'])
  const payments = await env.model('account.payment').create(
    bank.map(
      ({ match }, i): Vals<'account.payment'> => ({
        amount: Math.abs(match.amount),
        payment_type: match.amount >= 0 ? 'inbound' : 'outbound',
        partner_type: 'customer',
        partner_id: match.partner ?? false,
        journal_id: present(match.method.journal),
        currency_id: currency,
        date: day,
        memo: `${match.method.name} of ${session.name}`,
        destination_account_id: present(accounts[i]?.account_id).id,
        ...(match.method.outstanding ? { outstanding_account_id: match.method.outstanding } : {}),
        ...(booksMoney(match) ? {} : { outstanding_account_id: false }),
        pos_session_id: session.id,
        pos_payment_method_id: match.method.id,
      }),
    ),
  )
  const booked = payments.ids.filter((_, i) => booksMoney(present(bank[i]).match))
  const unbooked = payments.ids.filter((_, i) => !booksMoney(present(bank[i]).match))
  if (booked.length) await payments.browse(booked).action_post()
  if (unbooked.length) await payments.browse(unbooked).write({ stage: 'posted' })
  return matchPayments(desk, bank, payments, diffs)
}

/** Items of the session with those of their payments; differences of terminals are booked on the way. */
async function matchPayments(
  { env, session, day }: Desk,
  bank: readonly { readonly item: number; readonly match: BankMatch }[],
  payments: Records<'account.payment'>,
  diffs: ReadonlyMap<number, number>,
): Promise<number[][]> {
  const rows = await payments.load([
    'destination_account_id',
    'outstanding_account_id',
    'journal_id',
    'move_id.line_ids.account_id',
  ])
  for (const [i, row] of rows.entries()) {
    const match = bank[i]?.match
    const diff = match && !match.payment ? (diffs.get(match.method.id) ?? 0) : 0
    if (diff !== 0 && row.outstanding_account_id)
      await bookBankDifference(env, session, row.journal_id.id, row.outstanding_account_id.id, diff, day)
  }
  return rows.map((row, i) => [
    present(bank[i]).item,
    ...(row.move_id?.line_ids ?? [])
      .filter((line) => line.account_id?.id === row.destination_account_id?.id)
      .map(({ id }) => id),
  ])
}

/** Books the difference between terminal and till on the profit or loss account of the journal. */
async function bookBankDifference(
  env: Desk['env'],
  session: Desk['session'],
  journal: number,
  money: number,
  diff: number,
  date: string,
): Promise<void> {
  const { profit_account_id: profit, loss_account_id: loss } = await env
    .model('account.journal')
    .browse([journal])
    .one(['profit_account_id', 'loss_account_id'])
  const other = diff > 0 ? profit : loss
  if (!other) throw new UserError('The journal of a payment method needs accounts for profits and losses.')
  const item = (account_id: number, balance: number) =>
    [0, 0, { name: `Difference of ${session.name}`, account_id, balance }] as const
  const move = await env.model('account.move').create([
    {
      move_type: 'entry',
      journal_id: journal,
      date,
      ref: session.name,
      line_ids: [item(money, diff), item(other.id, addDecimals(0, -diff))],
    },
  ])
  await postUnmatched(move)
}

/** Invoices were paid when they were made: those entries are matched with the credit of now. */
async function settleInvoices({ env }: Desk, waiting: readonly Waiting[]): Promise<number[][]> {
  const invoices = waiting.flatMap(({ item, match }) => (match.kind === 'invoices' ? [{ item, match }] : []))
  const entries = invoices.flatMap(({ match }) => match.payments.flatMap(({ entry }) => entry ?? []))
  if (entries.length === 0) return []
  const rows = await env.rows(
    sql`SELECT l.move_id, l.account_id, l.id FROM account_move_line l WHERE l.move_id = ANY(${idList([...new Set(entries)])})`,
    { reads: ['account.move.line'], row: ['int', 'int?', 'int'] },
  )
  return invoices.map(({ item, match }) => {
    const paid = new Set(match.payments.map(({ entry }) => entry))
    return [item, ...rows.filter((row) => paid.has(row[0]) && row[1] === match.account).map((row) => row[2])]
  })
}
