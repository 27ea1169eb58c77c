// Histories of products: moves that were valued and costs that were set, the first first.
import type { Environment } from '#models'
import { idList, sql } from '../../sql/index.ts'
import { type Held, heldKey } from './balance.ts'
import type { OpenBook } from './books.ts'
import type { Book, Step, Worth } from './costing.ts'

/** A move that was valued: its goods, as they are stored. */
export interface PastMove {
  readonly move: number
  readonly comes: boolean
  /** Goods from a vendor to a customer, or back: they come, and the stock stays as it is. */
  readonly passes: boolean
  readonly quantity: number
  readonly value: number
  /** Change of the worth of all goods on hand. */
  readonly change: number
  readonly remaining: number
  readonly price: number
  readonly origin: number | null
}
/** A cost that was set: the record that says so. */
export interface PastCost {
  readonly record: number
  readonly cost: number
  readonly change: number
}
export type Past = PastMove | PastCost

/**
 * Histories of products, in one statement. Moves of the same second follow their ids; `also`: moves without
 * a valued quantity.
 */
export async function historiesOf(
  env: Environment,
  list: readonly Held[],
  also: readonly number[] = [],
): Promise<Map<string, Past[]>> {
  const products = idList([...new Set(list.map(({ product }) => product))])
  const companies = idList([...new Set(list.map(({ company }) => company))])
  const rows = await env.rows(
    sql`SELECT m.product_id, m.company_id, m.id, m.date, 1 AS rank, m.valued_qty::float8, m.value::float8,
      COALESCE(m.value_change, CASE WHEN g.comes THEN m.value ELSE -m.value END, 0)::float8, m.remaining_qty::float8,
      COALESCE(m.price_unit, 0)::float8, m.origin_returned_move_id, g.comes, g.passes
      FROM stock_move m JOIN stock_location s ON s.id = m.location_id JOIN stock_location d ON d.id = m.location_dest_id
      CROSS JOIN LATERAL (SELECT (s.usage, d.usage) IN (('supplier', 'customer'), ('customer', 'supplier')) AS passes) p
      CROSS JOIN LATERAL (SELECT p.passes, p.passes OR d.usage IN ('internal', 'transit') AS comes) g
      WHERE m.product_id = ANY(${products}) AND m.company_id = ANY(${companies}) AND m.state = 'done'
        AND (m.valued_qty > 0 OR m.id = ANY(${idList([...also])}))
    UNION ALL SELECT v.product_id, v.company_id, v.id, v.date, 0, 0, v.value::float8, COALESCE(v.delta, 0)::float8, 0, 0, NULL, false, false
      FROM product_value v WHERE v.product_id = ANY(${products}) AND v.company_id = ANY(${companies}) AND v.move_id IS NULL
    ORDER BY 4, 5 DESC, 3`,
    {
      reads: ['stock.move', 'stock.location', 'product.value'],
      row: [
        ...(['int', 'int', 'int', 'text', 'int', 'float?', 'float?', 'float'] as const),
        ...(['float?', 'float', 'int?', 'bool', 'bool'] as const),
      ],
    },
  )
  const histories = new Map<string, Past[]>()
  for (const [
    product,
    company,
    id,
    ,
    rank,
    quantity,
    value,
    change,
    remaining,
    price,
    origin,
    comes,
    passes,
  ] of rows) {
    const key = heldKey({ product, company })
    const history = histories.get(key) ?? []
    histories.set(key, history)
    const amounts = { quantity: quantity ?? 0, value: value ?? 0, remaining: remaining ?? 0 }
    history.push(
      rank === 0
        ? { record: id, cost: amounts.value, change }
        : { move: id, comes, passes, ...amounts, change, price, origin },
    )
  }
  return histories
}

const signed = (past: Past): number =>
  'cost' in past || past.passes ? 0 : past.comes ? past.quantity : -past.quantity

/**
 * The book of a product before its history, of which the open one is the end; `more`: what came before it
 * besides.
 */
export function bookBefore({ book, initialCost }: OpenBook, history: readonly Past[], more = 0): Book {
  const moved = history.reduce((sum, past) => sum + signed(past), 0)
  const quantity = Number((book.quantity - moved + more).toFixed(6))
  const layers = quantity > 0 && book.method === 'fifo' ? [{ move: null, quantity, each: initialCost }] : []
  return { ...book, cost: initialCost, quantity, layers }
}

/** The events of a history; `worthOf` says what goods were worth that came. */
export const stepsOf = (history: readonly Past[], worthOf: (past: PastMove) => Worth): Step[] =>
  history.map((past) => {
    if ('cost' in past) return { cost: past.cost }
    const { move, quantity, comes, passes } = past
    return comes ? { move, quantity, comes, passes, worth: worthOf(past) } : { move, quantity, comes: false }
  })
