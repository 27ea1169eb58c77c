// Entries after posting: back to draft, cancelled, sealed, reviewed; and documents of the other kind.

import { PENDING, recordAudit } from '#engine'
import type { Records } from '#models'
import { UserError, ValidationError } from '../../../errors.ts'
import { assertWithin } from '../../../limits.ts'
import { idList, sql } from '../../../sql/index.ts'
import { assertAllowed } from '../../base/index.ts'
import { removeAnalytics } from '../analytic/booking.ts'
import { undoMatches } from '../reconcile/undo.ts'
import { assertOpenPeriods } from './guards.ts'
import { lockJournals, takeNumberTurns } from './names.ts'
import { assertNoneSealed, noteSeals } from './sealing.ts'

type Moves = Records<'account.move'>

const load = (moves: Moves) =>
  moves.load([
    'state',
    'name',
    'date',
    'move_type',
    'company_id',
    'posted_before',
    'amount_total',
    'inalterable_hash',
  ])

async function standing(moves: Moves) {
  await takeNumberTurns(moves.env, moves.ids)
  await assertAllowed(moves, 'write')
  await lockJournals(moves.env, moves.ids)
  return load(moves)
}

/**
 * Posted and cancelled entries become drafts; they keep their numbers, and what invoices were matched with.
 * Throws UserError for drafts.
 */
export async function backToDraft(moves: Moves): Promise<null> {
  const now = await standing(moves)
  if (now.some((row) => row.state === 'draft'))
    throw new UserError('Only posted and cancelled entries can be reset to draft.')
  assertNoneSealed(now, 'reset to draft')
  const posted = now.filter((row) => row.state === 'posted')
  await assertOpenPeriods(moves.env, posted)
  await moves.sudo().write({ state: 'draft' })
  await removeAnalytics(
    moves.env,
    posted.map(({ id }) => id),
  )
  for (const row of now)
    recordAudit(moves.env, { event: 'entry.draft', model: 'account.move', record: row.id, name: row.name })
  return null
}

/**
 * Cancels drafts and posted entries: nothing of them counts any more. Throws UserError for cancelled ones.
 */
export async function cancel(moves: Moves): Promise<null> {
  const now = await standing(moves)
  if (now.some((row) => row.state === 'cancel'))
    throw new UserError('Only drafts and posted entries can be cancelled.')
  assertNoneSealed(now, 'cancelled')
  const posted = now.filter((row) => row.state === 'posted')
  await assertOpenPeriods(moves.env, posted)
  const items = await moves.env
    .sudo()
    .model('account.move.line')
    .search([['move_id', 'in', moves.ids]])
  await undoMatches(moves.env, items.ids)
  await removeAnalytics(
    moves.env,
    posted.map(({ id }) => id),
  )
  await moves.sudo().write({ state: 'cancel', auto_post: 'no' })
  for (const row of now)
    recordAudit(moves.env, { event: 'entry.cancel', model: 'account.move', record: row.id, name: row.name })
  return null
}

/** Seals posted entries of any journal. Throws UserError for drafts and cancelled entries. */
export async function sealByHand(moves: Moves): Promise<null> {
  const { env } = moves
  const rows = await standing(moves)
  const unposted = rows.find((entry) => entry.state !== 'posted')
  if (unposted)
    throw new UserError(`${unposted.name ?? 'The entry'} is not posted: only posted entries can be sealed.`)
  const open = rows.filter((entry) => entry.inalterable_hash === null)
  if (open.length === 0) return null
  assertWithin('records', open.length)
  const ids = open.map(({ id }) => id)
  noteSeals(env, ids)
  await env.execute(
    sql`UPDATE account_move SET inalterable_hash = ${PENDING} WHERE id = ANY(${idList(ids)})`,
    { reads: ['account.move'] },
  )
  for (const entry of open)
    recordAudit(env, { event: 'entry.seal', model: 'account.move', record: entry.id, name: entry.name })
  return null
}

/** Says whether entries were reviewed. */
export async function setChecked(moves: Moves, checked: boolean): Promise<null> {
  await assertAllowed(moves, 'write')
  await moves.sudo().write({ checked })
  return null
}

const OTHER: Readonly<Record<string, 'out_invoice' | 'out_refund' | 'in_invoice' | 'in_refund'>> = {
  out_invoice: 'out_refund',
  out_refund: 'out_invoice',
  in_invoice: 'in_refund',
  in_refund: 'in_invoice',
}

/**
 * Makes invoices credit notes and the other way round; what came to less than nothing counts the other way
 * then. Throws ValidationError for entries that were posted before, and for those that are neither.
 */
export async function switchType(moves: Moves): Promise<null> {
  const now = await standing(moves)
  if (now.some((row) => row.posted_before))
    throw new ValidationError('The type of a document that was posted cannot change.')
  if (now.some((row) => !OTHER[row.move_type]))
    throw new ValidationError('Only invoices and credit notes can be switched.')
  const negative = now.filter((row) => row.amount_total < 0)
  await moves.writeEach(
    new Map(
      now.map((row) => [row.id, { move_type: OTHER[row.move_type] as 'out_invoice', name: false as const }]),
    ),
  )
  if (negative.length) await turnQuantities(moves.browse(negative.map(({ id }) => id)))
  return null
}

async function turnQuantities(moves: Moves): Promise<void> {
  const lines = await moves.load(['invoice_line_ids.quantity'])
  const turned = lines.flatMap((record) =>
    record.invoice_line_ids.map((line) => [line.id, { quantity: -line.quantity + 0 }] as const),
  )
  await moves.env
    .model('account.move.line')
    .browse(turned.map(([id]) => id))
    .writeEach(new Map(turned))
}
