// From quotation to order and back: sent, confirmed, locked, cancelled, made a quotation again, and what is
// refused where.
import { atOnce, type Records } from '#models'
import { MissingError, UserError } from '../../errors.ts'
import { nowUtc } from '../../kit/dates.ts'
import { featureIsOn, refuse } from '../base/index.ts'

type Orders = Records<'sale.order'>

/** The feature: confirmed orders are locked at once. */
export const LOCKING = 'sale.group_auto_done_setting'

/**
 * Orders as they stand, under the caller's rights. Throws AccessError for hidden ones, MissingError when one
 * is gone.
 */
export async function loadStates(orders: Orders) {
  const now = await orders.load(['state', 'locked'])
  if (now.length < new Set(orders.ids).size)
    throw new MissingError('A sales order no longer exists: reload the list.')
  return now
}

export async function markSent(orders: Orders): Promise<null> {
  const now = await loadStates(orders)
  if (now.some((row) => row.state !== 'draft'))
    throw new UserError('Only quotations that were not sent yet can be marked as sent.')
  await orders.write({ state: 'sent' })
  return null
}

/**
 * All of the orders or none. Throws UserError for orders that are not quotations, and for lines that sell
 * nothing.
 */
export async function confirm(orders: Orders): Promise<true> {
  const [now, sold, locks] = await atOnce(
    orders.env,
    () => loadStates(orders),
    () =>
      orders.sudo().load(['order_line.display_type', 'order_line.is_downpayment', 'order_line.product_id']),
    () => featureIsOn(orders.env, LOCKING),
  )
  if (now.some((row) => row.state !== 'draft' && row.state !== 'sent')) {
    throw new UserError('Some orders are not in a state that can be confirmed: only quotations can.')
  }
  const lines = sold.flatMap((line) => line.order_line)
  if (lines.some((line) => !line.display_type && !line.is_downpayment && !line.product_id))
    throw new UserError('Some lines have no product: choose one, or make them notes.')
  await orders.write({
    state: 'sale',
    date_order: nowUtc(orders.env.now()),
    ...(locks ? { locked: true } : {}),
  })
  orders.emit('confirmed')
  return true
}

/** Throws UserError for locked orders, whose lines the caller is about to change by a method. */
export async function assertUnlocked(orders: Orders): Promise<void> {
  if ((await loadStates(orders)).some((row) => row.locked))
    throw new UserError('The lines of a locked order cannot be changed: unlock the order first.')
}

/** Throws UserError for locked orders. */
export async function cancel(orders: Orders): Promise<true> {
  const now = await loadStates(orders)
  if (now.some((row) => row.locked))
    throw new UserError('A locked order cannot be cancelled: unlock it first.')
  await orders.write({ state: 'cancel' })
  await cancelDrafts(orders)
  return true
}

/** Drafts of invoices of the orders are cancelled; posted ones stay. */
async function cancelDrafts(orders: Orders): Promise<void> {
  const invoices = await orders
    .sudo()
    .env.model('account.move')
    .search([
      ['state', '=', 'draft'],
      ['line_ids.sale_line_ids.order_id', 'in', orders.ids],
    ])
  if (invoices.length) await invoices.button_cancel()
}

/** Cancelled and sent orders become quotations again; the others stay what they are. */
export async function backToDraft(orders: Orders): Promise<true> {
  const now = await loadStates(orders)
  const back = now.filter((row) => row.state === 'cancel' || row.state === 'sent').map((row) => row.id)
  if (back.length)
    await orders.browse(back).write({ state: 'draft', signature: false, signed_by: false, signed_on: false })
  return true
}

export async function lock(orders: Orders, locked: boolean): Promise<null> {
  await loadStates(orders)
  await orders.write({ locked })
  return null
}

/** Throws UserError for orders that were sent or confirmed. */
export async function assertRemovable(orders: Orders): Promise<void> {
  const now = await orders.sudo().load(['state'])
  if (now.some((row) => row.state !== 'draft' && row.state !== 'cancel'))
    await refuse(
      orders,
      'unlink',
      'A quotation that was sent and a confirmed order cannot be deleted: cancel them first.',
    )
}
