// Putting away: goods that arrive where put-away rules hold are reserved for the place that these say.
import type { Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { holdsGoods } from '../places/usages.ts'
import type { LineVals, MoveRow } from './load.ts'

/** A product that arrives in a place, and where it is stored. */
type Stored = ReadonlyMap<string, number>

const key = (product: number, place: number, company: number) => `${product}/${place}/${company}`

/**
 * Places by product, place of arrival and company. A rule for the product comes before one for its category,
 * the nearest one first, and that before one for everything; of the same kind, the one with the smaller
 * number. A rule for types of packages waits for packages. Of a storage category, the first place in it below
 * is taken; or the one where the product was put last.
 */
async function storedIn(env: Environment, moves: readonly MoveRow[]): Promise<Stored> {
  const rows = await env.rows(
    sql`SELECT DISTINCT ON (p.id, r.location_in_id, r.company_id) p.id, r.location_in_id, r.company_id,
      COALESCE((SELECT l.id FROM stock_location l WHERE l.active AND l.usage = 'internal' AND starts_with(l.parent_path, o.parent_path)
          AND r.sublocation IN ('last_used', 'closest_location')
          AND (r.storage_category_id IS NULL OR l.storage_category_id = r.storage_category_id)
          AND (r.sublocation <> 'last_used' OR EXISTS (SELECT FROM stock_quant q WHERE q.location_id = l.id AND q.product_id = p.id))
        ORDER BY (SELECT max(q.in_date) FROM stock_quant q WHERE q.location_id = l.id AND q.product_id = p.id AND r.sublocation = 'last_used') DESC NULLS LAST,
          l.complete_name, l.id LIMIT 1), r.location_out_id)
    FROM product_product p JOIN product_template t ON t.id = p.product_tmpl_id
    JOIN stock_putaway_rule r ON r.active AND r.location_in_id = ANY(${idList([...new Set(moves.map((move) => move.location_dest_id.id))])})
      AND (r.product_id IS NULL OR r.product_id = p.id)
      AND NOT EXISTS (SELECT FROM stock_package_type_stock_putaway_rule_rel x WHERE x.stock_putaway_rule_id = r.id)
    JOIN stock_location o ON o.id = r.location_out_id AND o.active
    LEFT JOIN product_category c ON c.id = r.category_id LEFT JOIN product_category own ON own.id = t.categ_id
    WHERE p.id = ANY(${idList([...new Set(moves.map((move) => move.product_id.id))])})
      AND (r.category_id IS NULL OR starts_with(own.parent_path, c.parent_path))
    ORDER BY p.id, r.location_in_id, r.company_id, r.product_id NULLS LAST, length(c.parent_path) DESC NULLS LAST, r.sequence NULLS FIRST, r.id`,
    {
      reads: [
        'product.product',
        'product.template',
        'product.category',
        'stock.putaway.rule',
        'stock.location',
        'stock.quant',
      ],
      row: ['int', 'int', 'int', 'int'],
    },
  )
  return new Map(rows.map(([product, place, company, stored]) => [key(product, place, company), stored]))
}

/**
 * Sends new lines to the place of a put-away rule; deliveries and products that are not counted have no
 * rules.
 */
export async function putAway(
  env: Environment,
  moves: readonly MoveRow[],
  lines: readonly LineVals[],
): Promise<void> {
  const lined = new Set(lines.map((line) => line.move_id))
  const arriving = moves.filter(
    (move) =>
      move.product_id.product_tmpl_id.is_storable &&
      holdsGoods(move.location_dest_id.usage) &&
      lined.has(move.id),
  )
  if (arriving.length === 0) return
  const stored = await storedIn(env, arriving)
  const byMove = new Map(
    arriving.map((move) => [
      move.id,
      stored.get(key(move.product_id.id, move.location_dest_id.id, move.company_id.id)),
    ]),
  )
  for (const line of lines) {
    const place = byMove.get(line.move_id as number)
    if (place !== undefined) Object.assign(line, { location_dest_id: place })
  }
}
