// Many products at once, made by the database itself: each with one variant, a reference, a barcode, a
// category and a price of its own.
import type { Environment } from '../../src/models/index.ts'
import { raw, sql } from '../../src/sql/index.ts'

/** Names of records that the cases ask about. */
export interface FilledProducts {
  readonly template: number
  readonly variant: number
  /** A category that few products have. */
  readonly category: number
  /** Ids of variants all over the table. */
  readonly ids: readonly number[]
}

/** Makes `count` products. Gathers statistics. */
export async function fillProducts(env: Environment, count: number): Promise<FilledProducts> {
  const categories = await env
    .model('product.category')
    .create([...Array.from({ length: 20 }, (_, i) => ({ name: `Common ${i}` })), { name: 'Rare' }])
  const rare = categories.ids.at(-1) as number
  const [unit] = (await env.model('uom.uom').search([], { limit: 1 })).ids as [number]
  const [pricelist] = (await env.model('product.pricelist').create([{ name: 'Explained' }])).ids as [number]
  const [[start]] = (await env.query(
    sql`SELECT GREATEST((SELECT max("id") FROM product_template), (SELECT max("id") FROM product_product), 0) + 1`,
  )) as [[number]]
  const numbers = sql`generate_series(${start}::int, ${start + count - 1}::int) AS n`
  await env.query(sql`INSERT INTO product_template ("id", name, type, service_tracking, uom_id, categ_id, list_price, sale_ok, purchase_ok, active, is_favorite, default_code)
    SELECT n, jsonb_build_object('en_US', substr(md5(n::text), 1, 8)), 'consu', 'no', ${unit}::int,
      CASE WHEN n % 4000 = 7 THEN ${rare}::int ELSE (${categories.ids.slice(0, 20)}::int[])[1 + n % 20] END, n % 500, true, true, n % 10 <> 3, n % 100 = 0, 'T' || n
    FROM ${numbers}`)
  await env.query(sql`INSERT INTO product_product ("id", product_tmpl_id, active, barcode, default_code, combination_indices)
    SELECT n, n, n % 10 <> 3, 'b' || n, 'T' || n, '' FROM ${numbers}`)
  await env.query(sql`INSERT INTO product_pricelist_item (pricelist_id, product_tmpl_id, applied_on, compute_price, base, fixed_price, min_quantity)
    SELECT ${pricelist}::int, n, '1_product', 'fixed', 'list_price', n % 90, 0 FROM ${numbers}`)
  await env.query(raw('ANALYZE'))
  const middle = start + Math.floor(count / 2)
  return {
    template: middle,
    variant: middle,
    category: rare,
    ids: Array.from({ length: 80 }, (_, i) => start + Math.floor((i * count) / 80)),
  }
}
