// Goods of orders that are paid: what was sold leaves, what was refunded comes back, what is shipped later
// waits; at once, or when the session closes.
import type { Environment, Vals } from '#models'
import { addDecimals } from '../../../kit/rounding.ts'
import { idList, sql } from '../../../sql/index.ts'
import { confirmMoves, makeMoves, moveNow } from '../../stock/index.ts'

/** A product that leaves or comes back with an order; with a session where it closes. */
interface Goods {
  readonly order: number | null
  readonly session: number
  readonly name: string
  readonly partner: number | null
  readonly shipping: string | null
  readonly product: number
  readonly unit: number
  readonly qty: number
  readonly type: number
  readonly source: number
  readonly destination: number
  readonly company: number
}

type Where = { readonly orders: readonly number[] } | { readonly session: number }

/**
 * Goods in the products' own units; services and combos move nothing, lines of settled quotations are theirs
 * as much as any.
 */
async function goodsOf(env: Environment, where: Where): Promise<Goods[]> {
  const which =
    'orders' in where
      ? sql`o.id = ANY(${idList([...where.orders])}) AND (NOT COALESCE(s.update_stock_at_closing, FALSE) OR o.to_invoice OR o.shipping_date IS NOT NULL)`
      : sql`o.session_id = ${where.session}::int AND o.state IN ('paid', 'done') AND NOT EXISTS (SELECT FROM stock_picking k WHERE k.pos_order_id = o.id)`
  const rows =
    await env.query(sql`SELECT o.id, s.id, o.name, o.partner_id, to_char(o.shipping_date, 'YYYY-MM-DD'), l.product_id, t.uom_id,
      sum(l.qty)::float8, p.id, COALESCE(p.default_location_src_id, w.lot_stock_id), p.default_location_dest_id, o.company_id
    FROM pos_order o JOIN pos_session s ON s.id = o.session_id JOIN pos_config c ON c.id = o.config_id
    JOIN stock_picking_type p ON p.id = c.picking_type_id JOIN stock_warehouse w ON w.id = p.warehouse_id
    JOIN pos_order_line l ON l.order_id = o.id JOIN product_product v ON v.id = l.product_id
    JOIN product_template t ON t.id = v.product_tmpl_id AND t.type = 'consu'
    WHERE ${which} GROUP BY o.id, s.id, p.id, w.id, l.product_id, t.uom_id, l.qty > 0 HAVING sum(l.qty) <> 0 ORDER BY o.id, min(l.id)`)
  return rows.map((row) => {
    const [order, session, name, partner, shipping, product, unit, qty, type, source, destination, company] =
      row as [
        number,
        number,
        string,
        number | null,
        string | null,
        number,
        number,
        number,
        number,
        number,
        number,
        number,
      ]
    return { order, session, name, partner, shipping, product, unit, qty, type, source, destination, company }
  })
}

/** Goods that travel together: one transfer for what leaves, one for what comes back. */
const bundleOf = (one: Goods) => JSON.stringify([one.session, one.order, one.type, one.qty < 0, one.shipping])

function pickingVals([first]: readonly Goods[]): Vals<'stock.picking'> {
  const { type, partner, name, order, session, qty, source, destination, shipping, company } = first as Goods
  return {
    picking_type_id: type,
    partner_id: partner ?? false,
    origin: name,
    pos_order_id: order ?? false,
    pos_session_id: session,
    company_id: company,
    location_id: qty > 0 ? source : destination,
    location_dest_id: qty > 0 ? destination : source,
    ...(shipping ? { scheduled_date: `${shipping} 00:00:00` } : {}),
  }
}

const moveOf = (
  picking_id: number,
  { product, unit, qty, source, destination, company, shipping }: Goods,
) => ({
  picking_id,
  product_id: product,
  product_uom: unit,
  product_uom_qty: Math.abs(qty),
  company_id: company,
  location_id: qty > 0 ? source : destination,
  location_dest_id: qty > 0 ? destination : source,
  ...(shipping ? { date: `${shipping} 00:00:00` } : {}),
})

/**
 * Makes the transfers, in a fixed number of statements: goods go at once, whatever there is; what is shipped
 * later is reserved.
 */
async function move(env: Environment, goods: readonly Goods[]): Promise<void> {
  if (goods.length === 0) return
  const su = env.sudo()
  const bundles = [...Map.groupBy(goods, bundleOf).values()]
  const pickings = await su.model('stock.picking').create(bundles.map(pickingVals))
  const specs = bundles.flatMap((bundle, i) =>
    bundle.map((one) => ({ one, vals: moveOf(pickings.ids[i] as number, one) })),
  )
  const later = specs.filter(({ one }) => one.shipping && one.qty > 0)
  const now = specs.filter((spec) => !later.includes(spec))
  if (now.length)
    await moveNow(
      su,
      now.map(({ vals }) => vals),
    )
  if (later.length) {
    const ids = await makeMoves(
      su,
      later.map(({ vals }) => vals),
    )
    await confirmMoves(su, ids, { merge: false, assign: true })
  }
}

/** Moves the goods of orders that were paid just now, unless their session does so when it is closed. */
export const movePaid = async (env: Environment, orders: readonly number[]): Promise<void> =>
  move(env, await goodsOf(env, { orders }))

/** Moves what is left of a session that moves goods when it is closed: all of its orders together. */
export async function moveSession(env: Environment, session: number, name: string): Promise<void> {
  const goods = await goodsOf(env, { session })
  const together = Map.groupBy(goods, (one) => JSON.stringify([one.product, one.qty < 0]))
  await move(
    env,
    [...together.values()].map((same) => ({
      ...(same[0] as Goods),
      order: null,
      partner: null,
      shipping: null,
      name,
      qty: same.reduce((sum, { qty }) => addDecimals(sum, qty), 0),
    })),
  )
}
