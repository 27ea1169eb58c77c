// Whether open moves will have their goods: from what is free now, else from what is expected, in the order
// in which they are wanted.
import { computedFields, type Environment } from '#models'
import { idList, sql } from '../../../sql/index.ts'
import { move } from './move.contract.ts'

/** Expected arrivals of products in warehouses, by day. */
interface Expected {
  readonly date: string
  quantity: number
}

/** Free quantity by product; negative where more is promised than there is. */
async function outlook(env: Environment, products: readonly number[], companies: readonly number[]) {
  const free = await env.rows(
    sql`SELECT q.product_id, COALESCE(sum(q.quantity - q.reserved_quantity), 0)::float8 FROM stock_quant q
    JOIN stock_location l ON l.id = q.location_id
    WHERE q.product_id = ANY(${idList(products)}) AND l.usage = 'internal' AND q.company_id = ANY(${idList(companies)}) GROUP BY 1`,
    { reads: ['stock.quant', 'stock.location'], row: ['int', 'float'] },
  )
  const coming = await env.rows(
    sql`SELECT m.product_id, to_char(m.date, 'YYYY-MM-DD HH24:MI:SS'), COALESCE(m.product_qty, 0)::float8 FROM stock_move m
    JOIN stock_location s ON s.id = m.location_id JOIN stock_location d ON d.id = m.location_dest_id
    WHERE m.product_id = ANY(${idList(products)}) AND m.company_id = ANY(${idList(companies)})
      AND m.state IN ('waiting', 'confirmed', 'partially_available', 'assigned')
      AND d.usage IN ('internal', 'transit') AND s.usage NOT IN ('internal', 'transit') ORDER BY m.date, m.id`,
    { reads: ['stock.move', 'stock.location'], row: ['int', 'text', 'float'] },
  )
  const expected = new Map<number, Expected[]>()
  for (const [product, date, quantity] of coming)
    expected.set(product, [...(expected.get(product) ?? []), { date, quantity }])
  return { free: new Map(free.map((row) => [row[0], row[1]])), expected }
}

const OPEN: readonly (string | null)[] = ['confirmed', 'waiting', 'partially_available', 'assigned']

export const forecastOf = computedFields(
  move,
  ['forecast_availability', 'forecast_expected_date'],
  [
    'state',
    'date',
    'product_qty',
    'product_uom_qty',
    'quantity',
    'product_id',
    'company_id',
    'location_id.usage',
    'product_id.product_tmpl_id.is_storable',
  ],
  async (moves, env) => {
    const su = env.sudo()
    const waiting = moves.filter(
      (move) =>
        OPEN.includes(move.state) &&
        move.product_id.product_tmpl_id.is_storable &&
        (move.location_id.usage === 'internal' || move.location_id.usage === 'transit') &&
        move.quantity < move.product_uom_qty,
    )
    const short = new Set(waiting.map(({ id }) => id))
    const outlooks = waiting.length
      ? await outlook(
          su,
          [...new Set(waiting.map((move) => move.product_id.id))],
          [...new Set(waiting.map((move) => move.company_id.id))],
        )
      : { free: new Map<number, number>(), expected: new Map<number, Expected[]>() }
    return new Map(
      moves
        .toSorted((a, b) => a.date.localeCompare(b.date) || a.id - b.id)
        .map((move) => {
          if (!short.has(move.id))
            return [move.id, { forecast_availability: move.product_qty, forecast_expected_date: null }]
          const reserved = (move.product_qty * move.quantity) / (move.product_uom_qty || 1)
          let missing = move.product_qty - reserved
          const free = Math.min(missing, Math.max(0, outlooks.free.get(move.product_id.id) ?? 0))
          outlooks.free.set(move.product_id.id, (outlooks.free.get(move.product_id.id) ?? 0) - free)
          missing -= free
          let last: string | null = null
          for (const arrival of outlooks.expected.get(move.product_id.id) ?? []) {
            if (missing <= 0) break
            const taken = Math.min(missing, arrival.quantity)
            if (taken <= 0) continue
            arrival.quantity -= taken
            missing -= taken
            last = arrival.date
          }
          const availability = missing > 0 ? -missing : move.product_qty
          return [
            move.id,
            {
              forecast_availability: Number(availability.toFixed(2)),
              forecast_expected_date: missing > 0 ? null : last,
            },
          ]
        }),
    )
  },
)
