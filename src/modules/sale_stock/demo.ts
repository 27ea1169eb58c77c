// Deliveries of the shop to look at: most of what is there left, some of it in part, a little came back.
import type { Environment } from '#models'

/** Deliveries of orders that have all they want, the oldest first. */
async function delivered(env: Environment): Promise<null> {
  const ready = await env.model('stock.picking').search(
    [
      ['sale_id', '!=', false],
      ['state', '=', 'assigned'],
    ],
    { order: 'id' },
  )
  if (ready.length < 6) return null
  const rows = await ready.load(['move_ids.quantity', 'move_ids.product_uom_qty'])
  const of = (part: number) => rows.filter((_, n) => n % 3 === part)
  const leaving = env.withContext({ skip_backorder: true }).model('stock.picking')
  const whole = of(0).map(({ id }) => id)
  // Of some the first goods leave alone: the rest is a delivery of its own.
  const parts = of(1).filter((one) => one.move_ids.length > 1)
  const first = parts.flatMap((part) => part.move_ids.find((move) => move.quantity > 0)?.id ?? [])
  if (first.length) await env.model('stock.move').browse(first).write({ picked: true })
  await leaving.browse([...whole, ...parts.map(({ id }) => id)]).button_validate()
  await returned(env, whole.slice(0, 2))
  return null
}

/** One of each comes back. */
async function returned(env: Environment, pickings: readonly number[]): Promise<void> {
  const forms = await env.model('stock.return.picking').create(pickings.map((picking_id) => ({ picking_id })))
  for (const form of await forms.load(['product_return_moves'])) {
    const [line] = form.product_return_moves
    if (!line) continue
    await env.model('stock.return.picking.line').browse([line.id]).write({ quantity: 1 })
    await env.model('stock.return.picking').browse([form.id]).action_create_returns()
  }
}

export const demo = [delivered] as const
