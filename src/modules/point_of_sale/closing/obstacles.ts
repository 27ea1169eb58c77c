// Obstacles to closing a session, checked by every step on the way there.
import type { Environment } from '#models'
import { sql } from '../../../sql/index.ts'

export interface Obstacle {
  readonly message: string
  readonly orders: readonly number[]
}

/** Obstacles to closing: draft orders, and draft invoices of orders. */
export async function obstacles(env: Environment, id: number): Promise<Obstacle | null> {
  const drafts = await env.rows(
    sql`SELECT id FROM pos_order WHERE session_id = ${id}::int AND state = 'draft' ORDER BY id LIMIT 1000`,
    { reads: ['pos.order'], row: ['int'] },
  )
  if (drafts.length)
    return {
      message: 'The session has unpaid orders: pay, cancel or delete them first.',
      orders: drafts.map((row) => row[0]),
    }
  const invoices = await env.rows(
    sql`SELECT o.id FROM pos_order o JOIN account_move m ON m.id = o.account_move
    WHERE o.session_id = ${id}::int AND m.state = 'draft' ORDER BY o.id LIMIT 1000`,
    { reads: ['pos.order', 'account.move'], row: ['int'] },
  )
  if (invoices.length)
    return {
      message: 'The session has orders with unposted invoices: post these invoices first.',
      orders: invoices.map((row) => row[0]),
    }
  return null
}

/** The obstacle as an answer to the till. */
export const refusalFor = ({ message, orders }: Obstacle) => ({
  successful: false,
  message,
  redirect: false,
  open_order_ids: orders,
})
