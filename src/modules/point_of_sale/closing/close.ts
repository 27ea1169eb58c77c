// Closes a session, completely or not at all. A second caller learns that it is closed; when orders
// arrive at the same time, the closing or the call with the orders starts over.

import { recordAudit } from '#engine'
import { changed, type Environment, type Records } from '#models'
import { InvalidValue, UserError } from '../../../errors.ts'
import { nowUtc } from '../../../kit/dates.ts'
import { isNoObject } from '../../../kit/nothing.ts'
import { isInteger, present } from '../../../kit/present.ts'
import { addDecimals } from '../../../kit/rounding.ts'
import { idList, sql } from '../../../sql/index.ts'
import { assertAllowed, shownWindow } from '../../base/index.ts'
import { takingsOf } from '../session/figures.ts'
import { moveSession } from '../stock/goods.ts'
import { type Desk, deskOf } from './context.ts'
import { closedAlready } from './count.ts'
import { type Balancing, bookSession, imbalanceIn } from './entry.ts'
import { obstacles, refusalFor } from './obstacles.ts'

type Sessions = Records<'pos.session'>

/**
 * Pairs of payment method and counted difference, as a list or by method. Throws InvalidValue for
 * invalid pairs: counted money must not be missing from the books.
 */
function diffsOf(pairs: unknown): Map<number, number> {
  if (isNoObject(pairs)) return new Map()
  const listed = typeof pairs === 'object' && pairs !== null ? Object.entries(pairs) : [pairs]
  const entries: readonly unknown[] = Array.isArray(pairs) ? pairs : listed
  return new Map(
    entries.map((pair): [number, number] => {
      const [method, diff] = Array.isArray(pair) ? [Number(pair[0]), Number(pair[1] || 0)] : []
      if (!isInteger(method) || method <= 0 || !Number.isFinite(diff))
        throw new InvalidValue(
          'Differences of payment methods must be pairs of the id of a method and the difference.',
        )
      return [method, present(diff)]
    }),
  )
}

const deciding = ['account.group_account_readonly', 'point_of_sale.group_pos_manager'] as const

/**
 * Throws UserError for an account that is not the one for tills, unless a manager of tills or an
 * accountant names it: a cashier may not choose where a difference goes.
 */
async function assertAccount(env: Environment, id: number, account: number): Promise<void> {
  if (env.su || deciding.some((group) => env.hasGroup(group))) return
  const { company_id: company } = await env
    .sudo()
    .model('pos.session')
    .browse([id])
    .one(['company_id.account_default_pos_receivable_account_id'])
  if (company?.account_default_pos_receivable_account_id?.id !== account)
    throw new UserError(
      'Only managers of tills and accountants may book a difference on another account than the receivable account for tills.',
    )
}

/**
 * Takes the session for closing, and gives its state as it was: first of all, so that whatever is read later
 * stands.
 */
async function take(env: Environment, id: number): Promise<string | undefined> {
  const rows = await env.rows(
    sql`UPDATE pos_session SET changes = COALESCE(changes, 0) + 1 WHERE id = ${id}::int RETURNING state`,
    { reads: ['pos.session'], row: ['text'] },
  )
  return rows[0]?.[0]
}

/** Books and closes. Throws UserError where it does not balance, or something is missing. */
async function closeSession(
  env: Environment,
  id: number,
  balancing: Balancing | null,
  diffs: ReadonlyMap<number, number>,
): Promise<void> {
  const desk = await deskOf(env, id)
  const { session } = desk
  const takings = (await takingsOf(desk.env, [id]))(id)
  if (session.update_stock_at_closing) await moveSession(desk.env, id, session.name)
  const move = await bookSession(desk, balancing, diffs)
  if (session.cash_control) await bookCount(desk, addDecimals(takings.cash, takings.moves))
  const closed = await desk.env.rows(
    sql`UPDATE pos_order SET state = 'done', write_date = now() AT TIME ZONE 'UTC', write_uid = ${env.uid}::int
    WHERE session_id = ${id}::int AND state = 'paid' RETURNING id`,
    { reads: ['pos.order'], row: ['int'] },
  )
  changed(
    desk.env,
    'pos.order',
    closed.map((row) => row[0]),
    ['state'],
  )
  const state = desk.env.def('pos.order').fields.get('state')
  if (state) env.unit.cache.forget(state)
  await desk.env
    .model('pos.session')
    .browse([id])
    .write({
      state: 'closed',
      stop_at: nowUtc(env.now()),
      cash_real_transaction: takings.moves,
      move_id: move ?? false,
    })
  desk.env.model('pos.session').browse([id]).emit('closed')
  recordAudit(env, {
    event: 'pos.close',
    model: 'pos.session',
    record: id,
    name: session.name,
    detail: { move },
  })
}

/**
 * Books the difference between counted and expected cash on the profit or loss account of the drawer.
 */
async function bookCount({ env, session }: Desk, entered: number): Promise<void> {
  const expected = addDecimals(session.cash_register_balance_start, entered)
  const amount = addDecimals(session.cash_register_balance_end_real, -expected)
  const journal = session.cash_journal_id
  if (amount === 0 || !journal) return
  const account = amount > 0 ? journal.profit_account_id : journal.loss_account_id
  if (!account)
    throw new UserError('The journal of the drawer needs accounts for profits and losses of counts.')
  await env.model('account.bank.statement.line').create([
    {
      pos_session_id: session.id,
      journal_id: journal.id,
      amount,
      payment_ref: `Cash difference observed during the counting (${amount > 0 ? 'Profit' : 'Loss'}) - closing`,
      counterpart_account_id: account.id,
    },
  ])
}

/** Leaves the form that books what does not balance. */
async function offer(env: Environment, id: number, amount: number): Promise<number> {
  const su = env.sudo()
  const { company_id: company } = await su
    .model('pos.session')
    .browse([id])
    .one(['company_id.account_default_pos_receivable_account_id'])
  const form = await su.model('pos.close.session.wizard').create([
    {
      amount_to_balance: amount,
      account_id: company?.account_default_pos_receivable_account_id?.id ?? false,
      account_readonly: !env.hasGroup('account.group_account_readonly'),
      message: `There is a difference between the amounts to post and the amounts of the orders: ${amount}.`,
    },
  ])
  return form.ensureOne()
}

/** Closes as tills ask for it: what stands against it is answered, not thrown. */
export async function closeFromUi(sessions: Sessions, pairs: unknown): Promise<object> {
  const id = sessions.ensureOne()
  await assertAllowed(sessions, 'write')
  const { env } = sessions
  if ((await take(env, id)) === 'closed') return closedAlready
  const obstacle = await obstacles(env, id)
  if (obstacle) return refusalFor(obstacle)
  try {
    await env.unit.savepoint(() => closeSession(env, id, null, diffsOf(pairs)))
    return { successful: true }
  } catch (error) {
    const amount = imbalanceIn(error)
    if (amount === null) throw error
    await offer(env, id, amount)
    return { successful: false, message: `The session does not balance by ${amount}.`, redirect: true }
  }
}

/**
 * Closes as the back office asks for it. Throws UserError for what stands against it; what does not balance
 * opens a form.
 */
export async function closeWithForm(
  sessions: Sessions,
  {
    balancing_account,
    bank_payment_method_diffs,
  }: { readonly balancing_account: unknown; readonly bank_payment_method_diffs: unknown },
): Promise<unknown> {
  const id = sessions.ensureOne()
  await assertAllowed(sessions, 'write')
  const { env } = sessions
  if ((await take(env, id)) === 'closed') throw new UserError('The session is already closed.')
  const obstacle = await obstacles(env, id)
  if (obstacle) throw new UserError(obstacle.message)
  const account = Array.isArray(balancing_account) ? balancing_account[0] : balancing_account
  if (account && !isInteger(account)) throw new InvalidValue('Pass the id of the account for the difference.')
  const balancing = isInteger(account) ? { account } : null
  if (balancing) await assertAccount(env, id, balancing.account)
  try {
    await env.unit.savepoint(() => closeSession(env, id, balancing, diffsOf(bank_payment_method_diffs)))
    return true
  } catch (error) {
    const amount = imbalanceIn(error)
    if (amount === null) throw error
    return shownWindow({
      name: 'Force Close Session',
      res_model: 'pos.close.session.wizard',
      view_mode: 'form',
      res_id: await offer(env, id, amount),
      target: 'new',
      context: { active_id: id, active_ids: [id], active_model: 'pos.session' },
    })
  }
}

/** Sessions that are not closed, of those given. */
export async function openSessionsAmong(env: Environment, ids: readonly number[]): Promise<number[]> {
  const rows = await env.rows(
    sql`SELECT id FROM pos_session WHERE id = ANY(${idList([...ids])}) AND state <> 'closed' ORDER BY id`,
    { reads: ['pos.session'], row: ['int'] },
  )
  return rows.map((row) => row[0])
}
