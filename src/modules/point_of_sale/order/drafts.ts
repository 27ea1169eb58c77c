// Drafts: cancelled, or taken away by the till that made them.
import { recordAudit } from '#engine'
import type { Records } from '#models'
import { UserError } from '../../../errors.ts'
import { assertAllowed } from '../../base/index.ts'
import { answerOf } from '../sync/answer.ts'
import { sum } from './amounts.ts'

type Orders = Records<'pos.order'>

/** Notes orders that are taken away: who, which, what they came to, what was paid already. */
export async function noteRemoval(
  orders: Orders,
  event: 'pos.order.delete' | 'pos.order.cancel',
): Promise<void> {
  for (const order of await orders
    .sudo()
    .load(['name', 'pos_reference', 'amount_total', 'state', 'payment_ids.amount']))
    recordAudit(orders.env, {
      event,
      model: 'pos.order',
      record: order.id,
      name: order.pos_reference ?? order.name,
      detail: {
        amount_total: order.amount_total,
        state: order.state,
        ...(order.payment_ids.length && {
          paid: sum(order.payment_ids.map(({ amount }) => amount)),
        }),
      },
    })
}

/** Cancels drafts; those that are cancelled stay so. Throws UserError for paid orders. */
export async function cancelDrafts(orders: Orders): Promise<object> {
  await assertAllowed(orders, 'write')
  const rows = await orders.sudo().load(['state', 'name'])
  const paid = rows.find(({ state }) => state === 'paid' || state === 'done')
  if (paid) throw new UserError(`${paid.name} is paid: refund it instead of cancelling it.`)
  const drafts = orders.browse(rows.filter(({ state }) => state === 'draft').map(({ id }) => id))
  await noteRemoval(drafts, 'pos.order.cancel')
  if (drafts.length) await drafts.sudo().write({ state: 'cancel' })
  return answerOf(orders.env, orders.ids)
}

/** Deletes drafts and gives the ids of those that are gone. */
export async function removeDrafts(orders: Orders, ids: readonly number[]): Promise<number[]> {
  const drafts = await orders.search([
    ['id', 'in', [...ids]],
    ['state', '=', 'draft'],
  ])
  const gone = new Set(drafts.ids)
  if (drafts.length) await drafts.unlink()
  return ids.filter((id) => gone.has(id))
}
