// Documents say something else of goods that came: the value of their moves follows, and what one costs.

import type { Environment, Vals } from '#models'
import { present } from '../../kit/present.ts'
import { addDecimals, roundHalfUp } from '../../kit/rounding.ts'
import { idList, sql } from '../../sql/index.ts'
import { type Held, heldKey } from './balance.ts'
import { type OpenBook, openBooks, storeBooks } from './books.ts'
import { averageAfter, followLayers, type Step, worthOfBook } from './costing.ts'
import { documentValues } from './valuing.ts'

const load = (env: Environment, ids: readonly number[]) =>
  env
    .model('stock.move')
    .browse([...ids])
    .load(['product_id.product_tmpl_id.is_storable', 'company_id', 'value', 'valued_qty', 'value_change'])
type Move = Awaited<ReturnType<typeof load>>[number]

/** The last correction of each move (product.value), which stands above its documents. */
async function correctedValues(
  env: Environment,
  ids: readonly number[],
): Promise<readonly (readonly [number, number])[]> {
  return env.rows(
    sql`SELECT DISTINCT ON (move_id) move_id, value::float8 FROM product_value WHERE move_id = ANY(${idList(ids)})
      ORDER BY move_id, date DESC, id DESC`,
    { reads: ['product.value'], row: ['int', 'float'] },
  )
}

/**
 * Values done moves anew by what documents and corrections say now; a fixed number of statements for each
 * company.
 */
export async function followDocuments(env: Environment, ids: readonly number[]): Promise<void> {
  const su = env.sudo()
  const moves = (await load(su, ids)).filter((row) => row.valued_qty > 0).toSorted((a, b) => a.id - b.id)
  const documentValueOf = new Map([
    ...(await documentValues(
      su,
      moves.map((move) => ({ move, quantity: move.valued_qty })),
    )),
    ...(await correctedValues(
      su,
      moves.map(({ id }) => id),
    )),
  ])
  const valued = moves.filter((move) => documentValueOf.has(move.id))
  if (valued.length === 0) return
  const books = await openBooks(
    su,
    valued.map((move) => ({ product: move.product_id.id, company: move.company_id.id })),
  )
  const changes = new Map<number, Vals<'stock.move'>>()
  for (const [key, { book, ...held }] of books) {
    const productMoves = valued.filter(
      (move) => heldKey({ product: move.product_id.id, company: move.company_id.id }) === key,
    )
    const values = new Map(
      productMoves.map((productMove) => [
        productMove.id,
        roundHalfUp(present(documentValueOf.get(productMove.id)), book.rounding),
      ]),
    )
    const changed = productMoves.filter((productMove) => values.get(productMove.id) !== productMove.value)
    for (const change of changed) changes.set(change.id, { value: present(values.get(change.id)) })
    const [first] = changed.filter((change) => change.product_id.product_tmpl_id.is_storable)
    if (!first) continue
    const before = worthOfBook(book)
    await followValues(su, { book, ...held }, changed, values)
    const more = addDecimals(worthOfBook(book), -before)
    changes.set(first.id, { ...changes.get(first.id), value_change: addDecimals(first.value_change, more) })
  }
  if (changes.size) await storeBooks(su, books, changes)
}

/** Brings a book in line with other values of receipts. */
async function followValues(
  env: Environment,
  { book, ...held }: OpenBook,
  moves: readonly Move[],
  values: ReadonlyMap<number, number>,
): Promise<void> {
  if (book.method === 'fifo') {
    for (const layer of book.layers) {
      const move = moves.find((move) => move.id === layer.move)
      if (move) layer.each = present(values.get(move.id)) / move.valued_qty
    }
    const last = moves.at(-1)
    followLayers(book, last ? present(values.get(last.id)) / last.valued_qty : 0)
  }
  if (book.method === 'average') book.cost = await averageAgain(env, held, book.quantity, book.cost, values)
}

/** The average cost by all that came and went: values that are given stand for those that were. */
async function averageAgain(
  env: Environment,
  { product, company }: Held,
  quantity: number,
  cost: number,
  values: ReadonlyMap<number, number>,
): Promise<number> {
  const rows = await env.rows(
    sql`SELECT m.id, m.date, m.valued_qty::float8, m.value::float8, (d.usage IN ('internal', 'transit')), 1 AS rank FROM stock_move m
      JOIN stock_location d ON d.id = m.location_dest_id
      WHERE m.product_id = ANY(${idList([product])}) AND m.company_id = ${company}::int AND m.state = 'done' AND m.valued_qty > 0
    UNION ALL SELECT v.id, v.date, 0, v.value::float8, false, 0 FROM product_value v
      WHERE v.product_id = ANY(${idList([product])}) AND v.company_id = ${company}::int AND v.move_id IS NULL
    ORDER BY 2, 6 DESC, 1`,
    {
      reads: ['stock.move', 'stock.location', 'product.value'],
      row: ['int', 'text', 'float', 'float', 'bool', 'int'],
    },
  )
  const steps = rows.map(([id, , moved, value, comes, rank]): Step => {
    if (rank === 0) return { cost: value }
    return comes ? { comes, quantity: moved, value: values.get(id) ?? value } : { comes, quantity: moved }
  })
  const moved = rows.reduce((sum, [, , of, , comes]) => sum + (comes ? of : -of), 0)
  return averageAfter(steps, Number((quantity - moved).toFixed(6)), cost)
}
