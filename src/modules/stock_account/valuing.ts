// Moves that are done are valued: goods that come into places of the company, goods that leave them; those
// that move within keep their value.

import type { Environment, Vals } from '#models'
import { present } from '../../kit/present.ts'
import { idList, sql } from '../../sql/index.ts'
import { type Held, heldKey, lockBalances, quantitiesHeld, storeBalances } from './balance.ts'
import { type Book, deliver, type Layer, receive } from './costing.ts'
import { type Posting, postEntries } from './entries.ts'
import { silently } from './silence.ts'
import { type Terms, termsOf } from './terms.ts'

const paths = [
  'company_id',
  'product_id.product_tmpl_id.is_storable',
  'product_id.product_tmpl_id.uom_id.factor',
  'product_uom.factor',
  'location_id.usage',
  'location_dest_id.usage',
  'price_unit',
  'date',
  'reference',
  'origin_returned_move_id.value',
  'origin_returned_move_id.valued_qty',
  'move_line_ids.quantity_product_uom',
  'move_line_ids.owner_id',
] as const

const load = (env: Environment, ids: readonly number[]) =>
  env
    .sudo()
    .model('stock.move')
    .browse([...ids])
    .load([...paths])
type Move = Awaited<ReturnType<typeof load>>[number]

/** Places whose goods are the company's own. */
const isOwn = (usage: string | null) => usage === 'internal' || usage === 'transit'

interface Valued extends Held {
  readonly move: Move
  readonly comes: boolean
  readonly quantity: number
}

/**
 * Moves across the border of what is the company's own, with what of them is its own: goods of others are not
 * valued.
 */
function crossing(moves: readonly Move[]): Valued[] {
  return moves.flatMap((move) => {
    const [from, to] = [isOwn(move.location_id.usage), isOwn(move.location_dest_id.usage)]
    if (from === to || !move.product_id.product_tmpl_id.is_storable) return []
    const quantity = move.move_line_ids.reduce(
      (sum, line) => sum + (line.owner_id ? 0 : line.quantity_product_uom),
      0,
    )
    const own = {
      move,
      comes: to,
      quantity: Number(quantity.toFixed(6)),
      product: move.product_id.id,
      company: move.company_id.id,
    }
    return quantity > 0 ? [own] : []
  })
}

/**
 * Values moves that are being done, before the ledger of goods hears of them: a fixed number of statements
 * for each company.
 */
export async function valueMoves(env: Environment, ids: readonly number[]): Promise<void> {
  const valued = crossing(await load(env, ids)).toSorted((a, b) => a.move.id - b.move.id)
  if (valued.length === 0) return
  const su = env.sudo()
  const books = await openBooks(su, valued)
  const changes = new Map<number, Vals<'stock.move'>>()
  const postings: (Posting & { readonly move: number })[] = []
  const corrections: Vals<'product.value'>[] = []
  for (const one of valued) {
    const { book, terms } = present(books.get(heldKey(one)))
    const { id, date, reference } = one.move
    const text = reference ?? 'Stock move'
    const { value, correction } = one.comes
      ? receive(book, id, one.quantity, unitCost(one, book))
      : { value: deliver(book, one.quantity), correction: 0 }
    changes.set(id, { value, valued_qty: one.quantity, remaining_qty: 0, remaining_value: 0 })
    if (terms.booked) {
      const amount = (one.comes ? value : -value) + correction
      const { product, company } = one
      postings.push({
        move: id,
        product,
        company,
        amount,
        booked: terms.booked,
        text,
        document: text,
        day: date.slice(0, 10),
      })
    }
    if (correction !== 0)
      corrections.push({
        product_id: one.product,
        company_id: one.company,
        move_id: id,
        delta: correction,
        value: book.cost,
        date,
        description: 'Goods that had left before they came',
      })
  }
  const entries = await postEntries(su, postings)
  for (const [i, { move }] of postings.entries()) {
    const entry = entries[i]
    if (entry) changes.set(move, { ...changes.get(move), account_move_id: entry })
  }
  await store(su, books, changes)
  if (corrections.length) await su.model('product.value').create(corrections)
}

/** What one of the product's unit costs as it comes in. */
function unitCost({ move }: Valued, book: Book): number {
  const origin = move.origin_returned_move_id
  if (origin && origin.valued_qty > 0) return origin.value / origin.valued_qty
  return move.price_unit > 0 ? move.price_unit : book.cost
}

interface OpenBook extends Held {
  readonly book: Book
  readonly terms: Terms
  readonly cost: number
}

async function openBooks(env: Environment, list: readonly Held[]): Promise<Map<string, OpenBook>> {
  const values = await lockBalances(env, list)
  const terms = await termsOf(env, list)
  const quantities = await quantitiesHeld(env, list)
  const layers = await layersOf(
    env,
    list.filter((one) => terms.get(heldKey(one))?.method === 'fifo'),
  )
  return new Map(
    list.flatMap(({ product, company }) => {
      const key = heldKey({ product, company })
      const own = terms.get(key)
      if (!own) return []
      const book = {
        method: own.method,
        rounding: own.rounding,
        cost: own.cost,
        quantity: quantities.get(key) ?? 0,
        value: values.get(key) ?? 0,
        layers: layers.get(key) ?? [],
      }
      return [[key, { product, company, book, terms: own, cost: own.cost }] as const]
    }),
  )
}

/** Receipts of which something is left, the oldest first. */
async function layersOf(env: Environment, list: readonly Held[]): Promise<Map<string, Layer[]>> {
  if (list.length === 0) return new Map()
  const products = [...new Set(list.map((one) => one.product))]
  const rows = await env.rows(
    sql`SELECT id, product_id, company_id, remaining_qty::float8, COALESCE(remaining_value, 0)::float8 FROM stock_move
    WHERE product_id = ANY(${idList(products)}) AND remaining_qty > 0 AND state = 'done' ORDER BY date, id`,
    { reads: ['stock.move'], row: ['int', 'int', 'int', 'float', 'float'] },
  )
  const layers = new Map<string, Layer[]>()
  for (const [move, product, company, quantity, value] of rows) {
    const key = heldKey({ product, company })
    layers.set(key, [...(layers.get(key) ?? []), { move, quantity, value }])
  }
  return layers
}

/** Stores what was found: values of moves, what is left of receipts, balances, costs. */
async function store(
  env: Environment,
  books: ReadonlyMap<string, OpenBook>,
  changes: Map<number, Vals<'stock.move'>>,
): Promise<void> {
  for (const { book } of books.values())
    for (const layer of book.layers)
      changes.set(layer.move, {
        ...changes.get(layer.move),
        remaining_qty: layer.quantity,
        remaining_value: layer.value,
      })
  const all = [...books.values()]
  await silently(env, async () => {
    await env.model('stock.move').writeEach(changes)
    for (const [company, group] of Map.groupBy(all, (one) => one.company)) {
      const changed = group.filter((one) => one.book.method !== 'standard' && one.book.cost !== one.cost)
      if (changed.length === 0) continue
      await env
        .withCompany(company)
        .model('product.product')
        .browse(changed.map((one) => one.product))
        .writeEach(new Map(changed.map((one) => [one.product, { standard_price: one.book.cost }])))
    }
  })
  await storeBalances(
    env,
    all.map(({ product, company, book }) => ({ product, company, value: book.value })),
  )
}
