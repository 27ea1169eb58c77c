// The ledger of goods: what every place holds and what is reserved of it, changed in one statement for all
// rows of a call.
import { changed, type Environment } from '#models'
import { today } from '../../../kit/dates.ts'
import { type Sql, sql } from '../../../sql/index.ts'
import { watchMinimums } from '../rules/shortages.ts'
import { nextCountAfter } from './count-dates.ts'

/** Which goods where: a row of the ledger. */
export interface QuantKey {
  readonly product: number
  readonly location: number
  readonly lot: number | null
  readonly package: number | null
  readonly owner: number | null
}

/** The id of a row and its key, as statements give them: product, location, lot, package, owner. */
export const quantRow = ['int', 'int', 'int', 'int?', 'int?', 'int?'] as const

/** Change of a row, in the product's unit; negative where goods leave. */
export interface QuantChange extends QuantKey {
  readonly quantity: number
  readonly reserved: number
  /** When goods came in, for those that leave by age: `YYYY-MM-DD HH:MM:SS`. */
  readonly since?: string | null
  /** Rows of the same goods they were moved from: goods that move within the company keep their age. */
  readonly origins?: readonly { readonly location: number; readonly package: number | null }[]
}

export const keyOf = (key: QuantKey): string =>
  `${key.product}/${key.location}/${key.lot ?? 0}/${key.package ?? 0}/${key.owner ?? 0}`

/** Quantities have few decimals: sums of them are exact once the error of binary fractions is cut off. */
export const settled = (quantity: number): number => Number(quantity.toFixed(6)) + 0

/** Changes of one row become one; those that come to nothing fall away, unless `withEmpty`. */
export function merged(changes: readonly QuantChange[], withEmpty = false): QuantChange[] {
  const rows = new Map<string, QuantChange>()
  for (const change of changes) {
    const key = keyOf(change)
    const before = rows.get(key)
    const since = [before?.since, change.since].filter((one) => one).sort()[0] ?? null
    const origins = [...(before?.origins ?? []), ...(change.origins ?? [])]
    rows.set(key, {
      ...change,
      ...(origins.length ? { origins } : {}),
      quantity: settled((before?.quantity ?? 0) + change.quantity),
      reserved: settled((before?.reserved ?? 0) + change.reserved),
      since,
    })
  }
  return [...rows.values()].filter((row) => withEmpty || row.quantity !== 0 || row.reserved !== 0)
}

/**
 * Adds changes to the ledger. Rows are locked in the order of their keys, so that calls that change the
 * same rows wait for each other without a deadlock; a call that read a row before another changed it
 * starts over (the engine repeats the call). Empty rows stay until they are swept, as the recordings
 * show; `withEmpty` creates rows, too, for goods that came and went in one call.
 * New rows get their ids in the order of the changes, not of their keys: goods that came in the same
 * second leave in the order in which they came (recorded stories of serial numbers).
 */
export async function changeQuants(
  env: Environment,
  changes: readonly QuantChange[],
  withEmpty = false,
): Promise<void> {
  const rows = merged(changes, withEmpty)
  if (rows.length === 0) return
  notifyQuantities(env, rows)
  env.unit.turns.note(
    'goods',
    rows.map(({ product }) => product),
  )
  const dueCount = nextCountAfter(today(env.tz, env.now()))
  env.unit.send(sql`WITH x AS MATERIALIZED (
      SELECT nextval(pg_get_serial_sequence('stock_quant', 'id')::regclass)::int AS id, given.*
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS given(product int, location int, lot int, package int,
        owner int, quantity numeric, reserved numeric, since timestamp, origins jsonb))
    INSERT INTO stock_quant (id, product_id, location_id, lot_id, package_id, owner_id, company_id, quantity, reserved_quantity, in_date,
      inventory_date, create_uid, create_date, write_uid, write_date)
    SELECT x.id, x.product, x.location, x.lot, x.package, x.owner, l.company_id, x.quantity, x.reserved,
      COALESCE((SELECT min(s.in_date) FROM jsonb_to_recordset(x.origins) AS o(location int, package int)
        JOIN stock_quant s ON s.product_id = x.product AND s.location_id = o.location AND s.lot_id IS NOT DISTINCT FROM x.lot
          AND s.package_id IS NOT DISTINCT FROM o.package AND s.owner_id IS NOT DISTINCT FROM x.owner AND s.quantity > 0),
        x.since, now() AT TIME ZONE 'UTC'),
      ${dueCount}, ${env.uid}::int, now() AT TIME ZONE 'UTC', ${env.uid}::int, now() AT TIME ZONE 'UTC'
    FROM x JOIN stock_location l ON l.id = x.location
    ORDER BY x.product, x.location, COALESCE(x.lot, 0), COALESCE(x.package, 0), COALESCE(x.owner, 0)
    ON CONFLICT (product_id, location_id, COALESCE(lot_id, 0), COALESCE(package_id, 0), COALESCE(owner_id, 0)) DO UPDATE SET
      quantity = COALESCE(stock_quant.quantity, 0) + EXCLUDED.quantity,
      reserved_quantity = COALESCE(stock_quant.reserved_quantity, 0) + EXCLUDED.reserved_quantity,
      in_date = CASE WHEN EXCLUDED.quantity > 0 AND stock_quant.quantity > 0 THEN LEAST(stock_quant.in_date, EXCLUDED.in_date)
        WHEN EXCLUDED.quantity > 0 THEN EXCLUDED.in_date ELSE stock_quant.in_date END,
      inventory_date = COALESCE(stock_quant.inventory_date, EXCLUDED.inventory_date),
      write_uid = EXCLUDED.write_uid, write_date = EXCLUDED.write_date`)
  forgetQuants(env)
}

/** Rows that hold nothing, have nothing reserved and are not being counted go. */
export function sweepLedger(env: Environment): void {
  env.unit.send(sql`DELETE FROM stock_quant WHERE quantity = 0 AND COALESCE(reserved_quantity, 0) = 0
    AND inventory_quantity_set IS NOT TRUE AND user_id IS NULL`)
  forgetQuants(env)
}

/** Reports changed quantities of products to their subscribers. */
function notifyQuantities(env: Environment, rows: readonly QuantChange[]): void {
  const products = (some: readonly QuantChange[]) => [...new Set(some.map(({ product }) => product))]
  const moved = products(rows.filter(({ quantity }) => quantity !== 0))
  changed(env, 'product.product', moved, ['qty_available', 'virtual_available', 'free_qty'])
  changed(env, 'product.product', products(rows.filter(({ quantity }) => quantity === 0)), ['free_qty'])
  watchMinimums(env, rows)
}

/** Clears cached rows of the ledger, and all that is computed from them. */
export function forgetQuants(env: Environment): void {
  const { cache } = env.unit
  for (const field of env.def('stock.quant').fields.values()) cache.forget(field)
  cache.forgetDerived()
  // Subscribers of the ledger only learn that it changed: the ids of these rows are not known here.
  changed(env, 'stock.quant', [], [])
}

/**
 * Calls that change what there is of a product go one after the other; say so before the ledger is read, and
 * better before anything is. Products, or a query of them.
 */
export const takeTurns = (env: Environment, products: readonly number[] | Sql): Promise<void> =>
  env.unit.turns.take('goods', products)

/** A row of the ledger as reservations see it. */
export interface Held extends QuantKey {
  readonly id: number
  readonly quantity: number
  readonly reserved: number
  readonly since: string | null
  /** The `parent_path` of its place. */
  readonly path: string
}

/** Goods of products wanted at or below places. */
export interface Wanted {
  readonly product: number
  readonly location: number
}

/**
 * Rows of the ledger that hold goods of products at or below places, locked in the order of their keys: what
 * is free stays free until the call ends. The answer is in that order.
 */
export async function lockHeld(env: Environment, wanted: readonly Wanted[]): Promise<Held[]> {
  if (wanted.length === 0) return []
  const pairs = [
    ...new Map(
      wanted.map((need) => [
        `${need.product}/${need.location}`,
        { product: need.product, location: need.location },
      ]),
    ).values(),
  ]
  await takeTurns(
    env,
    pairs.map((pair) => pair.product),
  )
  const rows = await env.rows(
    sql`SELECT q.id, q.product_id, q.location_id, q.lot_id, q.package_id, q.owner_id, q.quantity::float8,
      q.reserved_quantity::float8, to_char(q.in_date, 'YYYY-MM-DD HH24:MI:SS'), l.parent_path
    FROM stock_quant q JOIN stock_location l ON l.id = q.location_id
    WHERE q.id IN (SELECT q2.id FROM jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) AS x(product int, location int)
        JOIN stock_location root ON root.id = x.location
        JOIN stock_quant q2 ON q2.product_id = x.product
        JOIN stock_location l2 ON l2.id = q2.location_id AND starts_with(l2.parent_path, root.parent_path)
        WHERE l2.usage IN ('internal', 'transit'))
    ORDER BY q.product_id, q.location_id, COALESCE(q.lot_id, 0), COALESCE(q.package_id, 0), COALESCE(q.owner_id, 0)
    FOR UPDATE OF q`,
    { reads: ['stock.quant', 'stock.location'], row: [...quantRow, 'float', 'float', 'text?', 'text'] },
  )
  return rows.map((row) => ({
    id: row[0],
    product: row[1],
    location: row[2],
    lot: row[3],
    package: row[4],
    owner: row[5],
    quantity: row[6],
    reserved: row[7],
    since: row[8],
    path: row[9],
  }))
}
