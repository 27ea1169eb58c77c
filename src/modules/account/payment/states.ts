// Payments from draft to posted and back; what is refused where.

import type { Records, WriteChange } from '#models'
import { UserError, ValidationError } from '../../../errors.ts'
import { present } from '../../../kit/present.ts'
import { assertAllowed } from '../../base/index.ts'
import { undoMatches } from '../reconcile/undo.ts'
import { bookPayments } from './entries.ts'

type Payments = Records<'account.payment'>

const load = (payments: Payments) => payments.load(['stage', 'move_id', 'is_reconciled'])

async function standing(payments: Payments) {
  await assertAllowed(payments, 'write')
  return load(payments)
}

/** Posts drafts; the others are left unchanged. */
export async function post(payments: Payments): Promise<null> {
  const now = (await standing(payments)).filter((row) => row.stage === 'draft')
  if (now.length === 0) return null
  const drafts = now.map((row) => row.id)
  await bookPayments(payments.env, drafts, new Map())
  const su = payments.sudo()
  await su.browse(drafts).write({ stage: 'posted' })
  // A payment that was posted before is in process again, until its matches or the bank change that
  // (recorded).
  const again = now.flatMap((row) => (row.move_id ? [row.id] : []))
  if (again.length) {
    await su.browse(again).load(['state'])
    await su.browse(again).write({ state: 'in_process' })
  }
  return null
}

/** Posted payments count as arrived, whatever the bank shows. */
export async function validate(payments: Payments): Promise<null> {
  const posted = (await standing(payments)).filter((row) => row.stage === 'posted').map((row) => row.id)
  if (posted.length) await payments.sudo().browse(posted).write({ stage: 'validated' })
  return null
}

/** Payments become drafts; their entries too, and keep their numbers and what they were matched with. */
export async function backToDraft(payments: Payments): Promise<null> {
  const now = (await standing(payments)).filter((row) => row.stage !== 'draft')
  const moves = now.flatMap((row) => row.move_id?.id ?? [])
  const entries = payments.sudo().env.model('account.move')
  const posted = await entries.browse(moves).filtered([['state', '!=', 'draft']])
  if (posted.length) await posted.button_draft()
  if (now.length)
    await payments
      .sudo()
      .browse(now.map(({ id }) => id))
      .write({ stage: 'draft' })
  return null
}

/** Posted payments were rejected by the bank: no money moved. Throws UserError for others. */
export async function reject(payments: Payments): Promise<null> {
  const now = await standing(payments)
  if (now.some((row) => row.stage !== 'posted' && row.stage !== 'validated'))
    throw new UserError('Only posted payments can be rejected: cancel drafts instead.')
  return end(payments, now, 'rejected')
}

/** Cancels payments and their entries: what they were matched with is open again. */
export const cancel = async (payments: Payments): Promise<null> =>
  end(payments, await standing(payments), 'canceled')

async function end(
  payments: Payments,
  now: Awaited<ReturnType<typeof load>>,
  stage: 'canceled' | 'rejected',
): Promise<null> {
  const su = payments.sudo().env
  const moves = now.flatMap((row) => row.move_id?.id ?? [])
  if (moves.length) await su.model('account.move').browse(moves).button_cancel()
  await payments.sudo().write({ stage })
  return null
}

/** Fields that the entry of a payment shares. */
const booked = [
  'amount',
  'date',
  'partner_id',
  'partner_type',
  'payment_type',
  'journal_id',
  'currency_id',
  'destination_account_id',
  'outstanding_account_id',
  'memo',
  'payment_method_line_id',
] as const

/** Entries of posted payments follow what is written. Throws UserError for payments that were matched. */
export async function followChanges(
  payments: Payments,
  changes: readonly WriteChange[],
  write: () => Promise<void>,
): Promise<void> {
  const ids = changes
    .filter(({ vals }) => booked.some((field) => field in vals))
    .flatMap((change) => change.ids)
  const now = ids.length ? await load(payments.sudo().browse(ids)) : []
  const posted = now.filter((row) => (row.stage === 'posted' || row.stage === 'validated') && row.move_id)
  if (posted.some((payment) => payment.is_reconciled))
    throw new UserError('Amounts of a matched payment cannot be changed: reset it to draft first.')
  await write()
  if (posted.length === 0) return
  const { env } = payments.sudo()
  await env
    .model('account.move')
    .browse(posted.map((payment) => present(payment.move_id).id))
    .button_draft()
  await bookPayments(
    env,
    posted.map(({ id }) => id),
    new Map(),
  )
}

/** Removes the entries of drafts along with them. Throws ValidationError for payments that count. */
export async function assertRemovable(payments: Payments): Promise<number[]> {
  const now = await load(payments.sudo())
  if (now.some((row) => row.stage === 'posted' || row.stage === 'validated'))
    throw new ValidationError('A posted payment cannot be deleted: cancel it first.')
  return now.flatMap((row) => row.move_id?.id ?? [])
}

/** Entries of payments that were removed. */
export async function removeEntries(payments: Payments, moves: readonly number[]): Promise<void> {
  if (moves.length === 0) return
  const { env } = payments.sudo()
  const items = await env.model('account.move.line').search([['move_id', 'in', [...moves]]])
  await undoMatches(env, items.ids)
  await env.model('account.move').browse(moves).unlink()
}
