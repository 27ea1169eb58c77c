// The session of an order of the back office: it takes no order past its closing, and a draft that goes to
// another one leaves with its payments, for a till that takes them.

import type { Environment, Records, Vals } from '#models'
import { UserError, ValidationError } from '../../../errors.ts'
import { isInteger, present } from '../../../kit/present.ts'
import { idList, sql } from '../../../sql/index.ts'

type Orders = Records<'pos.order'>
interface OrderChange {
  readonly ids: readonly number[]
  readonly vals: Vals<'pos.order'>
}

/**
 * Raises the counter of sessions, as closing does: of two calls at once one starts over and sees what the
 * other did. Throws UserError for closed ones.
 */
export async function holdSessions(env: Environment, ids: readonly number[]): Promise<void> {
  const rows = await env.rows(
    sql`UPDATE pos_session SET changes = COALESCE(changes, 0) + 1 WHERE id = ANY(${idList([...new Set(ids)])}) RETURNING state`,
    { reads: ['pos.session'], row: ['text'] },
  )
  if (rows.some(([state]) => state === 'closed'))
    throw new UserError('The session is closed: no order can be added to it.')
}

/** Throws ValidationError for payments by a method that the point of sale does not take. */
export function assertTakes(methods: readonly { readonly id: number }[], used: readonly unknown[]): void {
  const ids = new Set<unknown>(methods.map(({ id }) => id))
  if (used.some((id) => id && !ids.has(id)))
    throw new ValidationError(
      'The point of sale of this order does not accept this payment method: choose another one.',
    )
}

/** Payments are money of the session that their order is in. */
async function movePayments(env: Environment, orders: readonly number[], to: number): Promise<void> {
  const payments = await env
    .sudo()
    .model('pos.payment')
    .search([
      ['pos_order_id', 'in', [...orders]],
      ['session_id', '!=', to],
    ])
  if (payments.length) await payments.write({ session_id: to })
}

/** A draft that was sent to a session. */
interface Sent {
  readonly id: number
  readonly judged: {
    readonly draft?: { readonly session: number } | null | undefined
    readonly session: { readonly id: number; readonly config: number }
  }
}

/** Drafts that another till goes on with leave for the session there, with their payments. */
export async function moveOrders(env: Environment, sent: readonly Sent[]): Promise<void> {
  const moved = sent.filter(({ judged }) => judged.draft?.session !== judged.session.id)
  for (const [session, group] of Map.groupBy(moved, ({ judged }) => judged.session.id)) {
    const ids = group.map(({ id }) => id)
    const config = present(group[0]).judged.session.config
    await env.sudo().model('pos.order').browse(ids).write({ session_id: session, config_id: config })
    await movePayments(env, ids, session)
  }
}

/**
 * Values with the point of sale of the session that people write; the payments of what leaves for another
 * one go along. Throws UserError for closed sessions and those of another company or currency,
 * ValidationError for payments that the other point of sale does not take.
 */
export async function movedOrders(
  orders: Orders,
  changes: readonly OrderChange[],
  next: (changes: readonly OrderChange[]) => Promise<unknown>,
): Promise<void> {
  const { env } = orders
  const isMove = ({ vals }: OrderChange) => !env.su && isInteger(vals.session_id)
  if (!changes.some(isMove)) return void (await next(changes))
  const list: OrderChange[] = []
  for (const change of changes) list.push(isMove(change) ? await withSession(env, change) : change)
  await next(list)
  for (const { ids, vals } of list.filter(isMove)) await movePayments(env, ids, vals.session_id as number)
}

async function withSession(env: Environment, { ids, vals }: OrderChange): Promise<OrderChange> {
  const su = env.sudo()
  const to = vals.session_id as number
  const rows = await su
    .model('pos.order')
    .browse([...ids])
    .load(['session_id', 'company_id', 'currency_id', 'payment_ids.payment_method_id'])
  const moved = rows.filter((row) => row.session_id.id !== to)
  if (moved.length === 0) return { ids, vals }
  const [session] = await su
    .model('pos.session')
    .browse([to])
    .load(['company_id', 'currency_id', 'config_id.payment_method_ids'])
  if (!session) return { ids, vals }
  if (moved.some((row) => row.company_id?.id !== session.company_id?.id))
    throw new UserError('The session is of another company than the order.')
  if (moved.some((row) => row.currency_id?.id !== session.currency_id?.id))
    throw new UserError('The session is in another currency than the order.')
  const used = moved.flatMap((row) => row.payment_ids.map((payment) => payment.payment_method_id.id))
  assertTakes(session.config_id.payment_method_ids, used)
  await holdSessions(su, [to])
  return { ids, vals: { ...vals, config_id: session.config_id.id } }
}
