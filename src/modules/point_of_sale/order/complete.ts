// What follows once orders are paid: goods leave, invoices are made. In sets.
import type { Environment } from '#models'
import { invoiceOrders } from '../invoicing/invoice.ts'
import { movePaid } from '../stock/goods.ts'

/** Orders that were paid just now. */
export async function completePaid(
  env: Environment,
  orders: readonly { readonly id: number; readonly toInvoice: boolean }[],
): Promise<void> {
  if (orders.length === 0) return
  const ids = orders.map(({ id }) => id)
  await env.sudo().model('pos.order').browse(ids).after_payment()
  await tell(env, ids)
  await movePaid(env, ids)
  const invoiced = orders.filter(({ toInvoice }) => toInvoice).map(({ id }) => id)
  if (invoiced.length) await invoiceOrders(env, invoiced)
}

async function tell(env: Environment, ids: readonly number[]): Promise<void> {
  if (!env.unit.changes) return
  const orders = env.model('pos.order')
  orders.browse(ids).emit('paid')
  const rows = await orders.sudo().browse(ids).load(['is_refund', 'refunded_order_id'])
  const refunded = rows.flatMap((one) => (one.is_refund ? (one.refunded_order_id?.id ?? []) : []))
  orders.browse([...new Set(refunded)]).emit('refunded')
}
