// Quantities of products: on hand, free, coming, going, in places and at moments; for any number of products
// in two statements.

import type { Environment } from '#models'
import { isInteger } from '../../../kit/present.ts'
import { and, idList, type Sql, sql } from '../../../sql/index.ts'
import { settled } from '../quants/ledger.ts'

/** Quantities of a product, in its unit. */
export interface Quantities {
  readonly onHand: number
  readonly free: number
  readonly incoming: number
  readonly outgoing: number
  readonly forecast: number
}

export const NOTHING: Quantities = { onHand: 0, free: 0, incoming: 0, outgoing: 0, forecast: 0 }

/** Context keys that select quantities: places, warehouses, goods, moments. */
export const contextKeys = [
  'location',
  'warehouse_id',
  'warehouse',
  'lot_id',
  'owner_id',
  'package_id',
  'from_date',
  'to_date',
  'allowed_company_ids',
] as const

const idsIn = (value: unknown): number[] =>
  (Array.isArray(value) ? value : [value]).filter((item): item is number => isInteger(item) && item > 0)
const namesIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter(
    (item) => typeof item === 'string' && item !== '',
  ) as string[]
const MOMENT = /^\d{4}-\d{2}-\d{2}( \d{2}:\d{2}:\d{2})?$/
const momentIn = (value: unknown, time: string): string | null =>
  typeof value === 'string' && MOMENT.test(value) && !Number.isNaN(Date.parse(value))
    ? value.length === 10
      ? `${value} ${time}`
      : value
    : null

/**
 * The places that the context asks for, those of all warehouses of the companies unless it says otherwise.
 */
function placesSql({ context, companyIds }: Environment): Sql {
  const houses = idsIn(context.warehouse_id ?? context.warehouse)
  const roots = idsIn(context.location)
  const names = namesIn(context.location)
  const within = houses.length
    ? sql`EXISTS (SELECT FROM stock_warehouse w JOIN stock_location v ON v.id = w.view_location_id
        WHERE w.id = ANY(${idList(houses)}) AND starts_with(l.parent_path, v.parent_path))`
    : null
  const below = roots.length
    ? sql`EXISTS (SELECT FROM stock_location v WHERE v.id = ANY(${idList(roots)}) AND starts_with(l.parent_path, v.parent_path))`
    : names.length
      ? sql`EXISTS (SELECT FROM stock_location v WHERE v.complete_name ILIKE ANY(${names.map((name) => `%${name.replaceAll(/[\\%_]/g, '\\$&')}%`)}::text[])
          AND starts_with(l.parent_path, v.parent_path))`
      : null
  if (within || below)
    return sql`SELECT l.id FROM stock_location l WHERE ${and([within, below].filter((one) => one !== null))}`
  return sql`SELECT l.id FROM stock_warehouse w JOIN stock_location v ON v.id = w.view_location_id
    JOIN stock_location l ON starts_with(l.parent_path, v.parent_path)
    WHERE w.company_id = ANY(${idList([...companyIds])}) AND l.usage IN ('internal', 'transit', 'view')`
}

/** Conditions on goods: of a lot, an owner, a package. */
function goodsSql({ context }: Environment, alias: string): Sql {
  const columns = {
    lot_id: idsIn(context.lot_id),
    owner_id: idsIn(context.owner_id),
    package_id: idsIn(context.package_id),
  }
  const table = alias === 'q' ? sql`q` : sql`l`
  return and(
    Object.entries(columns).flatMap(([column, ids]) =>
      ids.length ? [sql`${table}.${columnOf(column)} = ANY(${idList(ids)})`] : [],
    ),
  )
}
const columnOf = (name: string): Sql =>
  name === 'lot_id' ? sql`lot_id` : name === 'owner_id' ? sql`owner_id` : sql`package_id`

const OPEN = sql`('waiting', 'confirmed', 'assigned', 'partially_available')`

/**
 * One row a product that has anything: product, on hand, reserved, incoming, outgoing. `products` null stands
 * for all. With a moment of the past what was moved since is taken back; with one of the future what is to be
 * moved until then counts.
 */
export function quantitiesSql(env: Environment, products: Sql | null): Sql {
  const until = momentIn(env.context.to_date, '23:59:59')
  const from = momentIn(env.context.from_date, '00:00:00')
  const past = until !== null && until < env.now().toISOString().slice(0, 19).replace('T', ' ')
  const of = (column: Sql) => (products ? sql`${column} = ANY(${products})` : sql`TRUE`)
  const dates = and([
    until ? sql`m.date <= ${until}::timestamp` : sql`TRUE`,
    from ? sql`m.date >= ${from}::timestamp` : sql`TRUE`,
  ])
  const moved = past
    ? sql`UNION ALL SELECT l.product_id, sum(CASE WHEN l.location_dest_id IN (SELECT id FROM places) THEN -l.quantity_product_uom ELSE 0 END
          + CASE WHEN l.location_id IN (SELECT id FROM places) THEN l.quantity_product_uom ELSE 0 END), 0, 0, 0
        FROM stock_move_line l JOIN product_product p ON p.id = l.product_id JOIN product_template t ON t.id = p.product_tmpl_id AND t.is_storable
        WHERE ${of(sql`l.product_id`)} AND l.state = 'done' AND l.date > ${until}::timestamp AND ${goodsSql(env, 'l')} GROUP BY 1`
    : sql``
  return sql`WITH places AS MATERIALIZED (${placesSql(env)}), parts(product, held, reserved, incoming, outgoing) AS (
      SELECT q.product_id, sum(q.quantity), sum(q.reserved_quantity), 0, 0 FROM stock_quant q
      WHERE ${of(sql`q.product_id`)} AND q.location_id IN (SELECT id FROM places) AND ${goodsSql(env, 'q')} GROUP BY 1
      UNION ALL SELECT m.product_id, 0, 0,
        sum(CASE WHEN m.location_dest_id IN (SELECT id FROM places) AND m.location_id NOT IN (SELECT id FROM places) THEN m.product_qty ELSE 0 END),
        sum(CASE WHEN m.location_id IN (SELECT id FROM places) AND m.location_dest_id NOT IN (SELECT id FROM places) THEN m.product_qty ELSE 0 END)
      FROM stock_move m WHERE ${of(sql`m.product_id`)} AND m.state IN ${OPEN} AND ${dates} GROUP BY 1
      ${moved})
    SELECT product, COALESCE(sum(held), 0)::float8 AS held, COALESCE(sum(reserved), 0)::float8 AS reserved,
      COALESCE(sum(incoming), 0)::float8 AS incoming, COALESCE(sum(outgoing), 0)::float8 AS outgoing
    FROM parts GROUP BY 1`
}

/** Moves and lines that wait are computed before what was read last is looked at. */
export const flushMoves = (env: Environment): Promise<void> =>
  env.unit.registry.engine.flush(
    env,
    ({ model }) => model.name === 'stock.move' || model.name === 'stock.move.line',
  )

/** Tables that `quantitiesSql` reads. */
export const quantityTables = [
  'stock.quant',
  'stock.move',
  'stock.move.line',
  'stock.location',
  'stock.warehouse',
  'product.product',
  'product.template',
] as const

interface Memo {
  readonly key: string
  /** Statements that the unit had sent by then. */
  readonly statements: number
  readonly found: Map<number, Quantities>
}

/**
 * Last quantities read: code reads the figures of products one after the other, and one statement
 * answers them all.
 */
const memos = new WeakMap<Environment['unit'], Memo>()

/** Quantities are read anew: moves or the ledger change. */
export const forgetQuantities = ({ unit }: Environment): void => void memos.delete(unit)

/**
 * Quantities of products in the places and at the moment of the context; products without any are left out.
 */
export async function quantitiesOf(
  env: Environment,
  products: readonly number[],
): Promise<Map<number, Quantities>> {
  if (products.length === 0) return new Map()
  await flushMoves(env)
  const key = JSON.stringify([products, env.companyIds, contextKeys.map((name) => env.context[name])])
  const memo = memos.get(env.unit)
  if (memo?.key === key && memo.statements === env.unit.usage.statements) return memo.found
  const rows = await env.rows(quantitiesSql(env, idList(products)), {
    reads: quantityTables,
    row: ['int', 'float', 'float', 'float', 'float'],
  })
  const quantityOf = new Map(
    rows.map((row) => {
      const [product, held, reserved, incoming, outgoing] = row
      const forecast = settled(held + incoming - outgoing)
      return [
        product,
        { onHand: settled(held), free: settled(held - reserved), incoming, outgoing, forecast },
      ]
    }),
  )
  memos.set(env.unit, { key, statements: env.unit.usage.statements, found: quantityOf })
  return quantityOf
}

/** Free quantity of products at or below places, by `product/location`; never negative. */
export async function freeIn(
  env: Environment,
  asks: readonly { readonly product: number; readonly location: number }[],
): Promise<Map<string, number>> {
  const rows = await env.rows(
    sql`SELECT x.product, x.location, COALESCE(sum(q.quantity - q.reserved_quantity), 0)::float8
    FROM (SELECT DISTINCT product, location FROM jsonb_to_recordset(${JSON.stringify(asks)}::jsonb) AS y(product int, location int)) AS x
    JOIN stock_location root ON root.id = x.location JOIN stock_quant q ON q.product_id = x.product
    JOIN stock_location l ON l.id = q.location_id AND starts_with(l.parent_path, root.parent_path) GROUP BY 1, 2`,
    { reads: ['stock.location', 'stock.quant'], row: ['int', 'int', 'float'] },
  )
  return new Map(rows.map((row) => [`${row[0]}/${row[1]}`, Math.max(0, row[2])]))
}
