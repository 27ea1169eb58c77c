// Cash moves: money that is put into a drawer or taken out of it, apart from orders, as statement lines
// of its journal.

import { recordAudit } from '#engine'
import type { Records } from '#models'
import { InvalidValue, UserError } from '../../../errors.ts'
import { roundHalfUp } from '../../../kit/rounding.ts'
import { idList, sql } from '../../../sql/index.ts'
import { assertAllowed } from '../../base/index.ts'
import { assertApproved } from '../limits/approval.ts'

type Sessions = Records<'pos.session'>

/** Characters of a reason that are kept. */
const REASON = 500

/** The words of the statement line of money that moved. */
export const cashMoveLabel = (session: string, type: string, reason: string): string =>
  `${session}-${type}-${reason}`.slice(0, REASON)

interface Move {
  readonly _type: string
  readonly amount: number
  readonly reason: string
  readonly partner_id: number | false
}

/**
 * Books the money for each session, under the caller's rights over statements. Throws UserError for sessions
 * without a drawer, or closed ones.
 */
export async function moveCash(
  sessions: Sessions,
  { _type, amount, reason, partner_id }: Move,
): Promise<null> {
  if (_type !== 'in' && _type !== 'out') throw new InvalidValue("Invalid cash move type: use 'in' or 'out'.")
  if (!Number.isFinite(amount) || amount < 0)
    throw new InvalidValue('The amount of a cash move must not be negative.')
  const { env } = sessions
  await assertAllowed(sessions, 'write')
  const rows = await sessions
    .sudo()
    .load(['name', 'state', 'cash_journal_id', 'currency_id.rounding', 'config_id.restrict_cash_out'])
  if (_type === 'out')
    for (const { config_id: config } of rows)
      if (config.restrict_cash_out) await assertApproved(env, config.id, 'cash_out', amount)
  const lines = rows.map((row) => {
    if (row.state === 'closed')
      throw new UserError('The session is closed, so its cash can no longer be changed.')
    if (!row.cash_journal_id) throw new UserError('The session has no cash drawer.')
    const money = roundHalfUp(amount, row.currency_id?.rounding ?? 0.01)
    return {
      pos_session_id: row.id,
      journal_id: row.cash_journal_id.id,
      amount: _type === 'in' ? money : -money,
      payment_ref: cashMoveLabel(row.name, _type, reason),
      ...(partner_id ? { partner_id } : {}),
    }
  })
  await env
    .sudo()
    .execute(
      sql`UPDATE pos_session SET changes = COALESCE(changes, 0) + 1 WHERE id = ANY(${idList(sessions.ids)})`,
      { reads: ['pos.session'] },
    )
  await env.model('account.bank.statement.line').create(lines)
  for (const row of rows)
    recordAudit(env, {
      event: 'pos.drawer',
      model: 'pos.session',
      record: row.id,
      name: row.name,
      detail: { type: _type, amount, reason: reason.slice(0, REASON) },
    })
  return null
}

/** Notes who opened the drawer, and why. Throws UserError for sessions without one. */
export async function noteOpened(sessions: Sessions, reason: string): Promise<null> {
  await assertAllowed(sessions, 'write')
  for (const session of await sessions
    .sudo()
    .load(['name', 'cash_journal_id', 'config_id.restrict_drawer'])) {
    if (!session.cash_journal_id) throw new UserError('The session has no cash drawer.')
    const config = session.config_id
    if (config.restrict_drawer) await assertApproved(sessions.env, config.id, 'drawer', 0)
    recordAudit(sessions.env, {
      event: 'pos.drawer',
      model: 'pos.session',
      record: session.id,
      name: session.name,
      detail: { type: 'open', reason: reason.slice(0, REASON) },
    })
  }
  return null
}

/** Cash moves of sessions, without lines that closing booked. */
export async function cashMoves(sessions: Sessions): Promise<object[]> {
  await assertAllowed(sessions, 'read')
  const lines = await sessions
    .sudo()
    .env.model('account.bank.statement.line')
    .search(
      [
        ['pos_session_id', 'in', sessions.ids],
        ['counterpart_account_id', '=', false],
      ],
      { order: 'id' },
    )
  const rows = await lines.load(['payment_ref', 'amount', 'create_date', 'create_uid.display_name'])
  return rows.map((row) => ({
    name: row.payment_ref ?? '',
    amount: row.amount,
    id: row.id,
    date: row.create_date,
    cashier_name: row.create_uid?.display_name ?? false,
  }))
}
