// Goods that orders sold and took back: where they leave from, in one statement, and their lots, if any, in
// another.
import type { Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'

/** A product that leaves or comes back with an order; with a session where it closes. */
export interface Goods {
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
  /** Whether it moves by lots; each of them one piece where `serial`. */
  readonly tracked: boolean
  readonly serial: boolean
  readonly lots: readonly LotSold[]
}

/** A lot that the till sent, and its quantity. */
export interface LotSold {
  readonly name: string
  readonly quantity: number
}

/** Goods as they were sold, before their lots are known. */
type Sold = Omit<Goods, 'lots'> & { readonly lines: readonly number[] }

type Where =
  | { readonly orders: readonly number[] }
  /** Orders of open sessions that move goods when they close, and that moved none yet. */
  | { readonly early: readonly number[] }
  | { readonly session: number }

const unmoved = sql`NOT EXISTS (SELECT FROM stock_picking k WHERE k.pos_order_id = o.id)`

const tracked = sql`COALESCE(t.tracking, 'none') <> 'none' AND (p.use_create_lots OR p.use_existing_lots)`

/**
 * Goods in the products' own units; services and combos move nothing, lines of settled quotations are theirs
 * as much as any. Kinds of operations that know no lots move without them.
 * Lines are read first, and by their orders: a shop of few products has no statistics of them, and PostgreSQL
 * would go through all that was ever sold of each.
 */
export async function goodsOf(env: Environment, where: Where): Promise<Goods[]> {
  const [row] = await env.rows(
    sql`WITH sold AS MATERIALIZED (
    SELECT o.id, o.session_id, o.config_id, o.name, o.partner_id, o.shipping_date, o.company_id, l.id AS line, l.product_id, l.qty
    FROM pos_order o JOIN pos_session s ON s.id = o.session_id JOIN pos_order_line l ON l.order_id = o.id
    WHERE ${
      'orders' in where
        ? sql`o.id = ANY(${idList([...where.orders])})
      AND (NOT COALESCE(s.update_stock_at_closing, FALSE) OR o.to_invoice OR o.shipping_date IS NOT NULL)`
        : 'early' in where
          ? sql`o.id = ANY(${idList([...where.early])}) AND s.update_stock_at_closing AND s.state <> 'closed' AND ${unmoved}`
          : sql`o.session_id = ${where.session}::int AND o.state IN ('paid', 'done') AND ${unmoved}`
    }) SELECT jsonb_agg(to_jsonb(g) ORDER BY g."order", g.line) FROM (
    SELECT o.id AS "order", o.session_id AS session, o.name, o.partner_id AS partner, to_char(o.shipping_date, 'YYYY-MM-DD') AS shipping,
      o.product_id AS product, t.uom_id AS unit, sum(o.qty)::float8 AS qty, p.id AS type,
      COALESCE(p.default_location_src_id, w.lot_stock_id) AS source, p.default_location_dest_id AS destination, o.company_id AS company,
      ${tracked} AS tracked, t.tracking = 'serial' AS serial, min(o.line) AS line, array_agg(o.line) AS lines
    FROM sold o JOIN pos_config c ON c.id = o.config_id
    JOIN stock_picking_type p ON p.id = c.picking_type_id JOIN stock_warehouse w ON w.id = p.warehouse_id
    JOIN product_product v ON v.id = o.product_id JOIN product_template t ON t.id = v.product_tmpl_id AND t.type = 'consu'
    GROUP BY o.id, o.session_id, o.name, o.partner_id, o.shipping_date, o.company_id, p.id, w.id, o.product_id, t.uom_id, t.tracking, o.qty > 0
    HAVING sum(o.qty) <> 0) AS g`,
    {
      reads: [
        'pos.order.line',
        'pos.order',
        'pos.session',
        'pos.config',
        'stock.picking.type',
        'stock.warehouse',
        'product.product',
        'product.template',
        'stock.picking',
      ],
      row: ['text?'],
    },
  )
  const sold = JSON.parse(row?.[0] ?? '[]') as Sold[]
  const lots = await lotsOf(env, sold)
  return sold.map((goods, i) => ({ ...goods, lots: lots.get(i) ?? [] }))
}

/**
 * Lots of goods that have some, by place: pieces one by one; of others each line's quantity, shared among the
 * lots that it has.
 */
async function lotsOf(env: Environment, sold: readonly Sold[]): Promise<Map<number, LotSold[]>> {
  const lines = sold.flatMap(({ tracked, serial, lines }, at) =>
    tracked ? lines.map((line) => ({ at, line, serial })) : [],
  )
  if (lines.length === 0) return new Map()
  const rows = await env.rows(
    sql`SELECT g.at, x.lot_name, sum(CASE WHEN g.serial THEN 1
        ELSE abs(y.qty) / (SELECT count(*) FROM pos_pack_operation_lot z WHERE z.pos_order_line_id = y.id AND z.lot_name <> '') END)::float8
    FROM jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) AS g(at int, line int, serial bool)
    JOIN pos_order_line y ON y.id = g.line JOIN pos_pack_operation_lot x ON x.pos_order_line_id = y.id
    WHERE x.lot_name <> '' GROUP BY g.at, x.lot_name ORDER BY min(x.id)`,
    { reads: ['pos.pack.operation.lot', 'pos.order.line'], row: ['int', 'text', 'float'] },
  )
  const lots = Map.groupBy(rows, ([at]) => at)
  return new Map([...lots].map(([at, of]) => [at, of.map(([, name, quantity]) => ({ name, quantity }))]))
}
