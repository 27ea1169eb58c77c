// Before closing: the drawer is counted, and nothing more is sold.
import { recordAudit } from '#engine'
import type { Records } from '#models'
import { InvalidValue, UserError } from '../../../errors.ts'
import { assertAllowed } from '../../base/index.ts'
import { obstacles, refusalFor } from './obstacles.ts'

type Sessions = Records<'pos.session'>

/** Answer to a till whose session is closed already. */
export const closedAlready = {
  successful: false,
  type: 'alert',
  title: 'Session already closed',
  message: 'The session was closed by somebody else: sales are synchronised with the next one.',
  redirect: true,
} as const

/**
 * Says what was counted in the drawer. A session that cannot be closed yet keeps no count: more may come into
 * the drawer.
 */
export async function countCash(sessions: Sessions, counted: number): Promise<object> {
  sessions.ensureOne()
  await assertAllowed(sessions, 'write')
  if (!Number.isFinite(counted)) throw new InvalidValue('The counted cash must be a number.')
  const su = sessions.sudo()
  const {
    state,
    name,
    cash_register_balance_end: expected,
  } = await su.one(['state', 'name', 'cash_register_balance_end'])
  if (state === 'closed') return closedAlready
  const obstacle = await obstacles(su.env, su.ensureOne())
  if (obstacle) return refusalFor(obstacle)
  await su.write({ cash_register_balance_end_real: counted })
  if (counted !== expected)
    recordAudit(su.env, {
      event: 'pos.count',
      model: 'pos.session',
      record: su.ids[0] ?? null,
      name,
      detail: { expected, counted },
    })
  return { successful: true }
}

/** From here on orders go to the next session. */
export async function startClosing(sessions: Sessions, notes: string | null): Promise<null> {
  sessions.ensureOne()
  await assertAllowed(sessions, 'write')
  const su = sessions.sudo()
  const { state } = await su.one(['state'])
  if (state === 'closed') throw new UserError('The session is already closed.')
  await su.write({ state: 'closing_control', ...(notes ? { closing_notes: notes } : {}) })
  return null
}
