// Moves that are done are valued: goods that come into places of the company, goods that leave them; those
// that move within keep their value. Goods that come are worth what bills and orders say (recorded: at a
// fixed cost too), goods that leave what they cost.

import type { Environment, Vals } from '#models'
import { present } from '../../kit/present.ts'
import { addDecimals } from '../../kit/rounding.ts'
import { type Held, heldKey } from './balance.ts'
import { openBooks, storeBooks } from './books.ts'
import { type Book, carryOut, type Worth, worthOfBook } from './costing.ts'

const paths = [
  'company_id',
  'product_id.product_tmpl_id.is_storable',
  'product_id.product_tmpl_id.uom_id.factor',
  'product_uom.factor',
  'location_id.usage',
  'location_dest_id.usage',
  'price_unit',
  'valued_qty',
  'origin_returned_move_id.value',
  'origin_returned_move_id.valued_qty',
  'move_line_ids.quantity_product_uom',
  'move_line_ids.owner_id',
] as const

export const loadValued = (env: Environment, ids: readonly number[]) =>
  env
    .sudo()
    .model('stock.move')
    .browse([...ids])
    .load([...paths])
type Move = Awaited<ReturnType<typeof loadValued>>[number]

/** Places whose goods are the company's own. */
const isOwn = (usage: string | null) => usage === 'internal' || usage === 'transit'

interface Valued extends Held {
  readonly move: Move
  /** Worth what documents say: goods that come in, and those that pass the company by. */
  readonly comes: boolean
  /** Kept in stock: the value of what is there follows. */
  readonly stored: boolean
  readonly quantity: number
}

/** Goods go from a vendor to a customer, or back, and never are in stock. */
export function passesBy({ location_id: source, location_dest_id: target }: Route): boolean {
  const ends = [source.usage, target.usage]
  return ends.includes('supplier') && ends.includes('customer')
}
type Route = Pick<Move, 'location_id' | 'location_dest_id'>

/**
 * Moves across the border of what is the company's own, with what of them is its own: goods of others are not
 * valued. Goods that are not kept in stock are where they come from a vendor, or go back; so are those that
 * vendors send to customers.
 */
export function crossing(moves: readonly Move[]): Valued[] {
  return moves.flatMap((move) => {
    const [from, to] = [isOwn(move.location_id.usage), isOwn(move.location_dest_id.usage)]
    const passes = passesBy(move)
    const stored = move.product_id.product_tmpl_id.is_storable && !passes
    const isBought = [move.location_id.usage, move.location_dest_id.usage].includes('supplier')
    if (!passes && (from === to || (!stored && !isBought))) return []
    const quantity = move.move_line_ids.reduce(
      (sum, line) => sum + (line.owner_id ? 0 : line.quantity_product_uom),
      0,
    )
    const valued = {
      move,
      comes: to || passes,
      stored,
      quantity: Number(quantity.toFixed(6)),
      product: move.product_id.id,
      company: move.company_id.id,
    }
    return [valued]
  })
}

/**
 * Values moves that are being done, before the ledger of goods changes: a fixed number of statements for
 * each company.
 */
export async function valueMoves(env: Environment, ids: readonly number[]): Promise<void> {
  const valued = crossing(await loadValued(env, ids))
    .filter(({ quantity }) => quantity > 0)
    .toSorted((a, b) => a.move.id - b.move.id)
  if (valued.length === 0) return
  const su = env.sudo()
  const coming = valued.filter((one) => one.comes)
  const documentValueOf = await documentValues(su, coming)
  const books = await openBooks(su, valued)
  const changes = new Map<number, Vals<'stock.move'>>()
  /** Worths of all goods of products after the moves so far. */
  const worths = new Map<string, number>()
  for (const entry of valued) {
    const { book, value: standing } = present(books.get(heldKey(entry)))
    const before = worths.get(heldKey(entry)) ?? (entry.stored ? standing : 0)
    const value = enter(entry, book, documentValueOf.get(entry.move.id))
    const after = entry.stored ? worthOfBook(book) : 0
    worths.set(heldKey(entry), after)
    changes.set(entry.move.id, {
      value,
      valued_qty: entry.quantity,
      value_change: addDecimals(after, -before),
      remaining_qty: 0,
    })
  }
  await storeBooks(su, books, changes)
}

/** Values of goods by their documents, by move. */
export async function documentValues(
  env: Environment,
  moves: readonly { readonly move: { readonly id: number }; readonly quantity: number }[],
): Promise<ReadonlyMap<number, number>> {
  if (moves.length === 0) return new Map()
  return (await env
    .model('stock.move')
    .browse(moves.map(({ move }) => move.id))
    .invoke('document_values', {
      quantities: new Map(moves.map((move) => [move.move.id, move.quantity])),
    })) as ReadonlyMap<number, number>
}

/** Enters a move in its book, where its goods are stored, and answers what they are worth. */
function enter({ move, stored, comes, quantity }: Valued, book: Book, documentValue?: number): number {
  const ledger: Book = stored ? book : { ...book, method: 'standard', layers: [] }
  if (!comes) return carryOut(ledger, { move: move.id, quantity, comes })
  const worth = documentValue === undefined ? worthWithoutDocument(move) : { value: documentValue }
  return carryOut(ledger, { move: move.id, quantity, comes, worth })
}

/** The worth of goods that come in without a document: as they left, at their price, or their cost. */
function worthWithoutDocument(move: Move): Worth {
  const origin = move.origin_returned_move_id
  if (origin && origin.valued_qty > 0) return { each: origin.value / origin.valued_qty }
  return move.price_unit > 0 ? { each: move.price_unit } : { atCost: true }
}
