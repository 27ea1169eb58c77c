// The valuation books of products: read and locked before a change of the value of goods, stored after it.

import { atOnce, type Environment, type Vals } from '#models'
import { idList, sql } from '../../sql/index.ts'
import { type Held, heldKey, lockBalances, storeBalances } from './balance.ts'
import { asCostUpdate } from './cost-updates.ts'
import { type Book, completeLayers, type Layer, worthOfBook } from './costing.ts'
import { type Terms, termsOf } from './terms.ts'

export interface OpenBook extends Held {
  readonly book: Book
  readonly terms: Terms
  /** The cost of one when the book was opened. */
  readonly cost: number
  /** The worth of all goods when the book was opened, as it is stored. */
  readonly value: number
  /** The cost before any goods came or left. */
  readonly initialCost: number
}

/**
 * Returns the books of products, locked until the call ends. A fixed number of statements per company, none
 * if the books are open and nothing changed since.
 */
export async function openBooks(env: Environment, list: readonly Held[]): Promise<Map<string, OpenBook>> {
  const [standings, terms] = await atOnce(
    env,
    () => lockBalances(env, list),
    () => termsOf(env, list),
  )
  const layers = await layersOf(
    env,
    list.filter((item) => terms.get(heldKey(item))?.method === 'fifo'),
  )
  return new Map(
    list.flatMap(({ product, company }) => {
      const key = heldKey({ product, company })
      const productTerms = terms.get(key)
      if (!productTerms) return []
      const { method, rounding, cost } = productTerms
      const { quantity, value, initialCost } = standings.get(key) ?? {
        quantity: 0,
        value: 0,
        initialCost: null,
      }
      const productLayers =
        method === 'fifo' ? completeLayers(layers.get(key) ?? [], { quantity, value }, rounding) : []
      const book = { method, rounding, cost, quantity, layers: productLayers }
      const before = { cost, value, initialCost: initialCost ?? cost }
      return [[key, { product, company, book, terms: productTerms, ...before }] as const]
    }),
  )
}

/** Receipts with a remaining quantity, oldest first. */
async function layersOf(env: Environment, list: readonly Held[]): Promise<Map<string, Layer[]>> {
  if (list.length === 0) return new Map()
  const products = [...new Set(list.map((item) => item.product))]
  const rows = await env.rows(
    sql`SELECT id, product_id, company_id, remaining_qty::float8, (value / NULLIF(valued_qty, 0))::float8 FROM stock_move
    WHERE product_id = ANY(${idList(products)}) AND remaining_qty > 0 AND state = 'done' ORDER BY date, id`,
    { reads: ['stock.move'], row: ['int', 'int', 'int', 'float', 'float?'] },
  )
  const layers = new Map<string, Layer[]>()
  for (const [move, product, company, quantity, each] of rows) {
    const key = heldKey({ product, company })
    layers.set(key, [...(layers.get(key) ?? []), { move, quantity, each: each ?? 0 }])
  }
  return layers
}

/** Stores the results: values of moves, remaining quantities of receipts, balances, costs. */
export async function storeBooks(
  env: Environment,
  books: ReadonlyMap<string, OpenBook>,
  changes: Map<number, Vals<'stock.move'>>,
): Promise<void> {
  for (const { book } of books.values())
    for (const { move, quantity } of book.layers)
      if (move !== null) changes.set(move, { ...changes.get(move), remaining_qty: quantity })
  const all = [...books.values()]
  await asCostUpdate(env, async () => {
    await env.model('stock.move').writeEach(changes)
    for (const [company, group] of Map.groupBy(all, (row) => row.company)) {
      const changed = group.filter(
        (member) => member.book.method !== 'standard' && member.book.cost !== member.cost,
      )
      if (changed.length === 0) continue
      await env
        .withCompany(company)
        .model('product.product')
        .browse(changed.map((change) => change.product))
        .writeEach(new Map(changed.map((change) => [change.product, { standard_price: change.book.cost }])))
    }
  })
  storeBalances(
    env,
    all.map(({ product, company, book }) => ({ product, company, value: worthOfBook(book) })),
  )
}
