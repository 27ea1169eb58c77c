// Invoices of orders that are paid: made, posted, and matched with what was paid. After closing, the order's
// share of the closing entry is taken back.

import { recordAudit } from '#engine'
import type { Environment, Records, Vals } from '#models'
import { UserError } from '../../../errors.ts'
import { today } from '../../../kit/dates.ts'
import { present } from '../../../kit/present.ts'
import { addDecimals } from '../../../kit/rounding.ts'
import { sides, withoutSettling } from '../../account/index.ts'
import { assertAllowed, shownRecords } from '../../base/index.ts'
import { type Desk, deskOf } from '../closing/context.ts'
import { inCoins } from '../order/amounts.ts'
import { moveInvoiced } from '../stock/goods.ts'
import { type Invoiceable, loadInvoiceable } from './invoiceable.ts'
import { invoiceLines, ordersWithNotes } from './lines.ts'
import { bookPayments, settleInvoices } from './payments.ts'
import { takeBack } from './reversal.ts'

type Orders = Records<'pos.order'>

/** Throws UserError for orders that cannot be invoiced. */
function assertInvoiceable(order: Invoiceable): void {
  if (order.state !== 'paid' && order.state !== 'done')
    throw new UserError(`${order.name} is not paid yet: only paid orders are invoiced.`)
  if (!order.partner_id) throw new UserError(`${order.name} needs a customer to be invoiced.`)
  if (!order.config_id?.invoice_journal_id)
    throw new UserError(`${order.config_id?.name} needs a journal for invoices.`)
}

const isRefund = (order: Invoiceable) => order.is_refund || order.amount_total < 0

function invoiceVals(order: Invoiceable, desk: Desk, notes: ReadonlySet<number>): Vals<'account.move'> {
  const { env } = desk
  const sign = isRefund(order) ? -1 : 1
  return {
    move_type: isRefund(order) ? 'out_refund' : 'out_invoice',
    journal_id: present(order.config_id?.invoice_journal_id).id,
    partner_id: present(order.partner_id).id,
    currency_id: present(order.currency_id).id,
    fiscal_position_id: order.fiscal_position_id?.id ?? false,
    invoice_payment_term_id: false,
    invoice_date: today(env.tz, new Date(`${order.date_order.replace(' ', 'T')}Z`)),
    invoice_origin: order.pos_reference ?? false,
    invoice_user_id: order.user_id?.id ?? false,
    ref: order.name,
    narration: order.general_customer_note ?? false,
    reversed_entry_id: isRefund(order) ? (order.refunded_order_id?.account_move?.id ?? false) : false,
    invoice_line_ids: invoiceLines(order, desk, sign, notes.has(order.id)),
  }
}

/**
 * Invoices orders, with superuser rights over the books. Throws UserError if a customer or a journal is
 * missing.
 */
export async function invoiceOrders(env: Environment, ids: readonly number[]): Promise<void> {
  const rows = (await loadInvoiceable(env, ids)).filter((order) => !order.account_move)
  if (rows.length === 0) return
  for (const order of rows) assertInvoiceable(order)
  const sessions = await env
    .sudo()
    .model('pos.order')
    .browse(rows.map(({ id }) => id))
    .load(['session_id'])
  const sessionOf = new Map(sessions.map((session) => [session.id, session.session_id.id]))
  for (const [session, sessionOrders] of Map.groupBy(rows, ({ id }) => present(sessionOf.get(id))))
    await invoiceTogether(await deskOf(env, session), sessionOrders)
}

async function invoiceTogether(desk: Desk, orders: readonly Invoiceable[]): Promise<void> {
  const { env, session } = desk
  const closed = session.state === 'closed'
  const notes = await ordersWithNotes(env, desk, orders)
  const moves = await env.model('account.move').create(orders.map((order) => invoiceVals(order, desk, notes)))
  const invoiceOf = new Map(orders.map(({ id }, i) => [id, present(moves.ids[i])]))
  // Before it is posted: it costs what the goods of its order were worth.
  await env
    .model('pos.order')
    .browse(orders.map(({ id }) => id))
    .writeEach(
      new Map(
        orders.map(({ id }) => [
          id,
          { account_move: present(invoiceOf.get(id)), state: 'done', to_invoice: true },
        ]),
      ),
    )
  // Values that are written from here on are complete: rounding to coins follows from what was paid.
  await withoutSettling(env, async () => {
    await roundToCoins(desk, orders, invoiceOf)
    await moves.action_post()
  })
  const entries = await bookPayments(desk, orders)
  const reversals = closed ? await takeBack(desk, orders) : new Map<number, number>()
  await settleInvoices(desk, orders, { invoiceOf, entries, reversals })
  for (const { id: record, name, pos_reference } of orders)
    recordAudit(env, {
      event: 'pos.invoice',
      model: 'pos.order',
      record,
      name: pos_reference ?? name,
      detail: { invoice: present(invoiceOf.get(record)) },
    })
}

/**
 * Where totals are rounded to coins, an invoice that comes to none says by how much: its total is what
 * was paid, in coins or not.
 */
async function roundToCoins(
  desk: Desk,
  orders: readonly Invoiceable[],
  invoiceOf: ReadonlyMap<number, number>,
): Promise<void> {
  const { env, booked, currency, loss, profit } = desk
  const rounded = orders.filter((order) => order.config_id?.cash_rounding)
  if (rounded.length === 0) return
  const items = env.model('account.move.line')
  const terms = await items.search([
    ['move_id', 'in', rounded.map(({ id }) => present(invoiceOf.get(id)))],
    ['display_type', '=', 'payment_term'],
  ])
  const owed = new Map(
    (await terms.load(['move_id', 'amount_currency', 'balance', 'partner_id', 'is_storno'])).map((term) => [
      term.move_id.id,
      term,
    ]),
  )
  const changed = new Map<number, Vals<'account.move.line'>>()
  const created: Vals<'account.move.line'>[] = []
  for (const order of rounded) {
    const move = present(invoiceOf.get(order.id))
    const term = owed.get(move)
    const coins = order.config_id?.rounding_method
    const total = term?.amount_currency ?? 0
    if (!coins || inCoins(total, coins) === total) continue
    const paid = order.payment_ids.reduce((sum, { amount }) => addDecimals(sum, amount), 0)
    const more = addDecimals(paid, -total)
    const account = more > 0 ? profit : loss
    if (!term || account === null)
      throw new UserError('The cash rounding needs accounts for profits and losses.')
    const amount_currency = -more + 0
    const balance = booked(amount_currency)
    created.push({
      move_id: move,
      display_type: 'rounding',
      name: 'Rounding',
      account_id: account,
      partner_id: term.partner_id?.id ?? false,
      currency_id: currency,
      quantity: 0,
      amount_currency,
      balance,
      is_storno: term.is_storno,
    })
    const owedNow = addDecimals(term.balance, -balance)
    if (balance !== 0)
      changed.set(term.id, {
        amount_currency: addDecimals(term.amount_currency, -amount_currency),
        balance: owedNow,
        ...sides(owedNow, term.is_storno),
      })
  }
  if (created.length) await items.create(created)
  if (changed.size) await items.browse([...changed.keys()]).writeEach(changed)
}

/** Invoices orders for who may sell: as often as it is asked for, once. */
export async function invoiceByHand(orders: Orders): Promise<object> {
  const { env } = orders
  await assertAllowed(orders, 'write')
  await moveInvoiced(env, orders.ids)
  await invoiceOrders(env, orders.ids)
  const invoiced = await orders.sudo().load(['account_move'])
  const ids = invoiced.flatMap((order) => order.account_move?.id ?? [])
  return shownRecords('Customer Invoice', 'account.move', ids, { target: 'current' })
}
