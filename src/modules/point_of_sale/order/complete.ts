// Steps after orders are paid: limits of cashiers are checked, goods leave, invoices are made. In sets.
import { recordAudit } from '#engine'
import type { Environment } from '#models'
import { invoiceOrders } from '../invoicing/invoice.ts'
import { assertWithinLimits } from '../limits/enforce.ts'
import { movePaid } from '../stock/goods.ts'

/** An order that was paid just now. */
interface Paid {
  readonly id: number
  /** The name that people know it by. */
  readonly name: string
  readonly total: number
  readonly toInvoice: boolean
  /** The order whose goods it takes back. */
  readonly refunds: number | null
  /** Whether its point of sale limits orders of cashiers. */
  readonly isLimited: boolean
}

/** Takes these steps for orders that were paid just now. Throws UserError if an approval is missing. */
export async function completePaid(env: Environment, orders: readonly Paid[]): Promise<void> {
  if (orders.length === 0) return
  const ids = orders.map(({ id }) => id)
  await assertWithinLimits(
    env,
    orders.filter(({ isLimited }) => isLimited).map(({ id }) => id),
  )
  const all = env.model('pos.order')
  await all.sudo().browse(ids).after_payment()
  all.browse(ids).emit('paid')
  all.browse([...new Set(orders.flatMap(({ refunds }) => refunds ?? []))]).emit('refunded')
  for (const { id: record, name, total: amount_total } of orders)
    recordAudit(env, { event: 'pos.paid', model: 'pos.order', record, name, detail: { amount_total } })
  await movePaid(env, ids)
  const invoiced = orders.filter(({ toInvoice }) => toInvoice).map(({ id }) => id)
  if (invoiced.length) await invoiceOrders(env, invoiced)
}
