// Invoices of the shop to look at, in all states: drafts, due and overdue, paid in whole and in part,
// credited, cancelled.

import type { Environment } from '#models'
import { addDays, today } from '../../../kit/dates.ts'
import { present } from '../../../kit/present.ts'

const fates = ['paid', 'open', 'draft', 'part', 'overdue', 'credited', 'paid', 'cancelled'] as const
type Fate = (typeof fates)[number]

/** Invoices of the orders that were bought, and what became of them. */
export async function invoices(env: Environment): Promise<null> {
  const bought = await env.model('sale.order').search(
    [
      ['state', '=', 'sale'],
      ['invoice_status', '=', 'to invoice'],
    ],
    { order: 'id' },
  )
  if (bought.length === 0) return null
  const form = await env
    .model('sale.advance.payment.inv')
    .create([{ advance_payment_method: 'delivered', sale_order_ids: [[6, 0, bought.ids]] }])
  await form.create_invoices()
  const draftInvoices = await env.model('account.move').search(
    [
      ['invoice_origin', '!=', false],
      ['state', '=', 'draft'],
    ],
    { order: 'id' },
  )
  const of = (...wanted: readonly Fate[]) =>
    draftInvoices.ids.filter((_, n) => wanted.includes(present(fates[n % fates.length])))
  const day = today(env.tz, env.now())
  const moves = (ids: readonly number[]) => env.model('account.move').browse(ids)
  await moves(of('overdue')).write({
    invoice_date: addDays(day, -70).slice(0, 10),
    invoice_date_due: addDays(day, -40).slice(0, 10),
  })
  await moves(of('paid', 'part', 'credited')).write({ invoice_date: addDays(day, -20).slice(0, 10) })
  const posted = of('paid', 'open', 'part', 'overdue', 'credited', 'cancelled')
  if (posted.length) await moves(posted).action_post()
  await pay(env, of('paid'), 1)
  for (const id of of('part')) await pay(env, [id], 0.4)
  await credit(env, of('credited'))
  const cancelled = of('cancelled')
  if (cancelled.length) await moves(cancelled).button_cancel()
  return null
}

/** Pays documents in whole, or the first of them in part. */
async function pay(env: Environment, ids: readonly number[], part: number): Promise<void> {
  if (ids.length === 0) return
  const [first] = await env.model('account.move').browse(ids).load(['amount_residual'])
  const amount = part < 1 ? { amount: Math.round((first?.amount_residual ?? 0) * part * 100) / 100 } : {}
  const form = await env
    .withContext({ active_model: 'account.move', active_ids: [...ids] })
    .model('account.payment.register')
    .create([{ group_payment: false, ...amount }])
  await form.action_create_payments()
}

async function credit(env: Environment, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const form = await env
    .withContext({ active_model: 'account.move', active_ids: [...ids] })
    .model('account.move.reversal')
    .create([{ reason: 'The goods came back.' }])
  await form.refund_moves()
  const notes = await env.model('account.move').search([
    ['reversed_entry_id', 'in', [...ids]],
    ['state', '=', 'draft'],
  ])
  if (notes.length) await notes.action_post()
}
