// Demonstration receipts: half of the orders were received, and some of them are billed.
import type { Environment } from '#models'
import { addDays, today } from '../../kit/dates.ts'

async function received(env: Environment): Promise<null> {
  const receipts = await env.model('stock.picking').search(
    [
      ['purchase_id', '!=', false],
      ['state', '=', 'assigned'],
    ],
    { order: 'id' },
  )
  const arrived = receipts.browse(receipts.ids.filter((_, n) => n % 2 === 0))
  if (arrived.length === 0) return null
  await arrived.button_validate()
  const orders = [
    ...new Set((await arrived.load(['purchase_id'])).flatMap((picking) => picking.purchase_id?.id ?? [])),
  ]
  await env.model('purchase.order').browse(orders.slice(1)).action_create_invoice()
  const bills = await env.model('account.move').search(
    [
      ['move_type', '=', 'in_invoice'],
      ['state', '=', 'draft'],
    ],
    { order: 'id' },
  )
  const posted = bills.browse(bills.ids.filter((_, n) => n % 2 === 0))
  if (posted.length === 0) return null
  await posted.write({ invoice_date: addDays(today(env.tz, env.now()), -9).slice(0, 10) })
  await posted.action_post()
  return null
}

export const demo = [received] as const
