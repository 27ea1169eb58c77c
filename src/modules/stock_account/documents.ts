// Documents say something else of goods that came: the value of their moves follows, and what one costs.

import type { Environment, Vals } from '#models'
import { present } from '../../kit/present.ts'
import { addDecimals, roundHalfUp } from '../../kit/rounding.ts'
import { idList, sql } from '../../sql/index.ts'
import { heldKey } from './balance.ts'
import { type OpenBook, openBooks, storeBooks } from './books.ts'
import { followLayers, replay, worthOfBook } from './costing.ts'
import { bookBefore, historiesOf, type Past, stepsOf } from './history.ts'
import { documentValues, passesBy } from './valuing.ts'

const load = (env: Environment, ids: readonly number[]) =>
  env
    .model('stock.move')
    .browse([...ids])
    .load([
      'product_id.product_tmpl_id.is_storable',
      'company_id',
      'location_id.usage',
      'location_dest_id.usage',
      'value',
      'valued_qty',
      'value_change',
    ])
type Move = Awaited<ReturnType<typeof load>>[number]
const heldBy = (move: Move) => ({ product: move.product_id.id, company: move.company_id.id })

/** The last correction of each move (product.value), which stands above its documents. */
export async function correctedValues(
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
  const books = await openBooks(su, valued.map(heldBy))
  const valueByDocuments = ({ id }: Move, { book }: OpenBook) =>
    roundHalfUp(present(documentValueOf.get(id)), book.rounding)
  const changed = [...Map.groupBy(valued, (move) => heldKey(heldBy(move)))].flatMap(([key, sameGoods]) => {
    const opened = books.get(key)
    const list = opened ? sameGoods.filter((move) => valueByDocuments(move, opened) !== move.value) : []
    return opened && list.length ? [{ key, opened, list }] : []
  })
  if (changed.length === 0) return
  const averaged = changed.flatMap(({ opened }) => (opened.book.method === 'average' ? [opened] : []))
  const histories = averaged.length ? await historiesOf(su, averaged) : undefined
  const changes = new Map<number, Vals<'stock.move'>>()
  for (const { key, opened, list } of changed) {
    const values = new Map(list.map((move) => [move.id, valueByDocuments(move, opened)]))
    for (const [id, value] of values) changes.set(id, { value })
    const kept = list.filter((move) => move.product_id.product_tmpl_id.is_storable && !passesBy(move))
    const [first] = kept
    if (!first) continue
    followValues(opened, histories?.get(key) ?? [], kept, values)
    const more = addDecimals(worthOfBook(opened.book), -opened.value)
    changes.set(first.id, { ...changes.get(first.id), value_change: addDecimals(first.value_change, more) })
  }
  await storeBooks(su, books, changes)
}

/** Brings a book in line with other values of receipts. Values of goods that left stay (recorded). */
function followValues(
  opened: OpenBook,
  history: readonly Past[],
  moves: readonly Move[],
  values: ReadonlyMap<number, number>,
): void {
  const { book } = opened
  if (book.method === 'fifo') {
    for (const layer of book.layers) {
      const move = moves.find((move) => move.id === layer.move)
      if (move) layer.each = present(values.get(move.id)) / move.valued_qty
    }
    const last = moves.at(-1)
    followLayers(book, last ? present(values.get(last.id)) / last.valued_qty : 0)
  }
  if (book.method !== 'average') return
  // The average by all that came and went: values of documents stand for those that were.
  const again = bookBefore(opened, history)
  replay(
    again,
    stepsOf(history, ({ move, value }) => ({ value: values.get(move) ?? value })),
  )
  book.cost = again.cost
}
