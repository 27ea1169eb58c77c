// From request for quotation to order and back: sent, confirmed, approved, locked, cancelled, and what is
// refused where.
import type { Environment, Records } from '#models'
import { MissingError, UserError } from '../../errors.ts'
import { nowUtc } from '../../kit/dates.ts'
import { addDecimals, roundHalfUp } from '../../kit/rounding.ts'
import { assertAllowed, refuse } from '../base/index.ts'
import { rememberVendors } from './new-offers.ts'

type Orders = Records<'purchase.order'>

const MANAGER = 'purchase.group_purchase_manager'

/**
 * Orders as they stand, under the caller's rights. Throws AccessError for hidden ones, MissingError when one
 * is gone.
 */
export async function loadStates(orders: Orders) {
  const now = await orders.load(['state', 'locked'])
  if (now.length < new Set(orders.ids).size)
    throw new MissingError('A purchase order does not exist any more.')
  return now
}

/** The ids of those in one of the states. */
const inStates = (now: Awaited<ReturnType<typeof loadStates>>, ...states: readonly string[]) =>
  now.filter((row) => states.includes(row.state ?? '')).map((row) => row.id)

export async function markSent(orders: Orders): Promise<object> {
  const drafts = inStates(await loadStates(orders), 'draft')
  if (drafts.length) await orders.browse(drafts).write({ state: 'sent' })
  return {
    type: 'ir.actions.report',
    report_name: 'purchase.report_purchasequotation',
    report_type: 'qweb-pdf',
    context: { active_model: 'purchase.order', active_ids: orders.ids },
  }
}

/**
 * Confirms what is asked for but not ordered yet; what the caller may not approve waits for somebody who may.
 */
export async function confirm(orders: Orders): Promise<true> {
  const open = orders.browse(inStates(await loadStates(orders), 'draft', 'sent'))
  if (open.length === 0) return true
  await assertComplete(open)
  await assertAllowed(open, 'write')
  await rememberVendors(open)
  const allowed = await approvable(open)
  const waiting = open.ids.filter((id) => !allowed.has(id))
  if (waiting.length) await orders.browse(waiting).write({ state: 'to approve' })
  if (allowed.size) await orders.browse([...allowed]).button_approve()
  return true
}

/** Throws UserError for lines that buy nothing. */
async function assertComplete(orders: Orders): Promise<void> {
  const nameless = await orders
    .sudo()
    .env.model('purchase.order.line')
    .searchCount([
      ['order_id', 'in', orders.ids],
      ['display_type', '=', false],
      ['is_downpayment', '=', false],
      ['product_id', '=', false],
    ])
  if (nameless) throw new UserError('Some lines have no product: choose one, or make them notes.')
}

/** Sums that the limit of approval is compared with. */
const sums = ['amount_total', 'order_line.price_total'] as const

/**
 * The amount that an order binds to: its total, or, where lines are below nothing, what the others come to,
 * as those may be billed alone.
 */
function boundTo(record: {
  readonly amount_total: number
  readonly order_line: readonly { readonly price_total: number }[]
}): number {
  const above = record.order_line.map(({ price_total }) => price_total).filter((total) => total > 0)
  return above.length === record.order_line.length
    ? record.amount_total
    : Math.max(record.amount_total, above.reduce(addDecimals, 0))
}

/**
 * Orders that the caller may approve: managers all, others where their company asks for one step, or the
 * total is below its limit.
 */
async function approvable(orders: Orders): Promise<Set<number>> {
  const { env } = orders
  if (env.su || env.hasGroup(MANAGER)) return new Set(orders.ids)
  const rows = await orders
    .sudo()
    .load([...sums, 'currency_rate', 'currency_id.rounding', 'company_id.po_double_validation'])
  const limits = await limitsOf(env, [...new Set(rows.map((row) => row.company_id.id))])
  const small = (row: (typeof rows)[number]) =>
    boundTo(row) <
    roundHalfUp((limits.get(row.company_id.id) ?? 0) * (row.currency_rate || 1), row.currency_id.rounding)
  return new Set(
    rows
      .filter((row) => row.company_id.po_double_validation !== 'two_step' || small(row))
      .map((row) => row.id),
  )
}

async function limitsOf(env: Environment, companies: readonly number[]): Promise<Map<number, number>> {
  const rows = await env.sudo().model('res.company').browse(companies).load(['po_double_validation_amount'])
  return new Map(rows.map((row) => [row.id, row.po_double_validation_amount]))
}

/**
 * Approves orders, of those that are open or wait for approval, which the caller may approve; locks them
 * where the company says so.
 */
export async function approve(orders: Orders): Promise<object> {
  const open = orders.browse(inStates(await loadStates(orders), 'draft', 'sent', 'to approve'))
  const allowed = open.length ? orders.browse([...(await approvable(open))]) : open
  if (allowed.length === 0) return {}
  await assertComplete(allowed)
  const rows = await allowed.sudo().load(['company_id.po_lock'])
  const locks = rows.filter((row) => row.company_id.po_lock === 'lock').map((row) => row.id)
  const vals = { state: 'purchase', date_approve: nowUtc(orders.env.now()) } as const
  await allowed.writeEach(
    new Map(allowed.ids.map((id) => [id, locks.includes(id) ? { ...vals, locked: true } : vals])),
  )
  return {}
}

/**
 * Throws UserError for orders that somebody else has to approve, whichever way they are to be confirmed;
 * those that are confirmed already stay so.
 */
export async function assertApproved(orders: Orders, isCreated = false): Promise<void> {
  const allowed = await approvable(orders)
  const others = orders.browse(orders.ids.filter((id) => !allowed.has(id)))
  if (others.length === 0) return
  if (isCreated || (await others.sudo().load(['state'])).some(({ state }) => state !== 'purchase'))
    throw new UserError('The total reaches the limit of the company: a manager approves the order.')
}

/**
 * Does `work` on orders or their lines. Throws UserError where a confirmed order then comes to more than
 * before and to the limit of the company: it would have needed a manager. The totals decide, whatever was
 * written.
 */
export async function withinApproval<T>(
  env: Environment,
  ordersConcerned: () => Promise<readonly number[]>,
  work: () => Promise<T>,
): Promise<T> {
  if (env.su || env.hasGroup(MANAGER)) return work()
  const orders = env.model('purchase.order').browse([...new Set(await ordersConcerned())])
  const su = orders.sudo()
  const rows = await su.load(['state'])
  const confirmed = su.browse(rows.filter(({ state }) => state === 'purchase').map(({ id }) => id))
  if (confirmed.length === 0) return work()
  const totals = async () => (await confirmed.load(sums)).map((order) => [order.id, boundTo(order)] as const)
  const before = new Map(await totals())
  const result = await work()
  const risen = (await totals()).filter(([id, amount]) => amount > (before.get(id) ?? 0))
  const grown = orders.browse(risen.map(([id]) => id))
  if (grown.length && (await approvable(grown)).size < grown.length)
    throw new UserError(
      'The total reaches the approval limit of the company: ask a manager to change the order, or create another order for the rest.',
    )
  return result
}

/** Throws UserError for locked orders, and for orders with bills that are not cancelled or drafts. */
export async function cancel(orders: Orders): Promise<null> {
  const now = await loadStates(orders)
  if (now.some((row) => row.locked))
    throw new UserError('A locked order cannot be cancelled: unlock it first.')
  const billed = await orders
    .sudo()
    .env.model('account.move')
    .searchCount([
      ['state', '=', 'posted'],
      ['line_ids.purchase_line_id.order_id', 'in', orders.ids],
    ])
  if (billed) throw new UserError('An order with posted bills cannot be cancelled: cancel its bills first.')
  await orders.write({ state: 'cancel' })
  return null
}

/**
 * Orders that are not confirmed become requests for quotation again; confirmed orders keep their state.
 */
export async function backToDraft(orders: Orders): Promise<true> {
  const back = inStates(await loadStates(orders), 'sent', 'to approve', 'cancel')
  if (back.length) await orders.browse(back).write({ state: 'draft', date_approve: false })
  return true
}

/** Throws UserError for locks on orders that are not confirmed: a manager may still have to approve them. */
export async function lock(orders: Orders, locked: boolean): Promise<null> {
  const now = await loadStates(orders)
  if (locked && now.some((row) => row.state !== 'purchase'))
    throw new UserError('Only confirmed orders can be locked: confirm the order, or have it approved, first.')
  await orders.write({ locked })
  return null
}

/** Throws UserError for orders that were not cancelled. */
export async function assertRemovable(orders: Orders): Promise<void> {
  const now = await orders.sudo().load(['state'])
  if (now.some((row) => row.state !== 'cancel'))
    await refuse(orders, 'unlink', 'An order cannot be deleted before it is cancelled.')
}
