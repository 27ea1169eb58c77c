// Quantities of done moves that somebody corrects: the move, all that was valued after it, and what is on
// hand are worth what they would be had the quantity been right at once. History is carried out twice, as it
// was and as it is, and values that differ follow. Values of goods that left before documents changed stay
// (recorded); they follow in proportion.
import type { Environment, Vals } from '#models'
import { present } from '../../kit/present.ts'
import { addDecimals, roundHalfUp } from '../../kit/rounding.ts'
import { heldKey } from './balance.ts'
import { type OpenBook, openBooks, storeBooks } from './books.ts'
import { type Book, replay, type Worth, worthOfBook } from './costing.ts'
import { correctedValues } from './documents.ts'
import { bookBefore, historiesOf, type Past, type PastMove, stepsOf } from './history.ts'
import { crossing, documentValues, loadValued } from './valuing.ts'

/** Corrected quantities, by move; worths of goods that came, as stored and with these quantities. */
interface Correction {
  readonly quantities: ReadonlyMap<number, number>
  was(past: PastMove): Worth
  is(past: PastMove): Worth
}

/**
 * Follows quantities of done moves, before the ledger of goods does: a fixed number of statements for each
 * company. `changes`: of their quantities.
 */
export async function followQuantities(
  env: Environment,
  changes: ReadonlyMap<number, number>,
): Promise<void> {
  const su = env.sudo()
  const corrected = crossing(await loadValued(su, [...changes.keys()])).filter(
    ({ move, quantity }) => quantity !== move.valued_qty && changes.get(move.id) !== 0,
  )
  if (corrected.length === 0) return
  const books = await openBooks(su, corrected)
  // Goods that moved before goods were valued are among those that history begins with.
  const isEarly = ({ move, quantity }: (typeof corrected)[number]) =>
    move.valued_qty === 0 && quantity !== changes.get(move.id)
  const early = new Map<string, number>()
  for (const entry of corrected.filter((entry) => entry.stored && isEarly(entry))) {
    const more = changes.get(entry.move.id) ?? 0
    early.set(heldKey(entry), (early.get(heldKey(entry)) ?? 0) + (entry.comes ? more : -more))
  }
  const quantities = new Map(
    corrected.flatMap((entry) => (isEarly(entry) ? [] : [[entry.move.id, entry.quantity] as const])),
  )
  const histories = await historiesOf(su, corrected, [...quantities.keys()])
  const correction = await correctionOf(su, [...histories.values()].flat(), quantities)
  const unstored = new Set(
    corrected.flatMap((entry) => (entry.move.product_id.product_tmpl_id.is_storable ? [] : [heldKey(entry)])),
  )
  const moves = new Map<number, Vals<'stock.move'>>()
  const costs = new Map<number, Vals<'product.value'>>()
  for (const [key, opened] of books) {
    const stored = !unstored.has(key)
    for (const past of carryOutAgain(
      stored ? opened : asUnstored(opened),
      histories.get(key) ?? [],
      correction,
      early.get(key),
    ))
      if ('cost' in past) {
        if (stored) costs.set(past.record, { delta: past.change })
      } else
        moves.set(past.move, {
          value: past.value,
          valued_qty: past.quantity,
          remaining_qty: past.remaining,
          ...(stored ? { value_change: past.change } : {}),
        })
  }
  if (costs.size) await su.model('product.value').writeEach(costs)
  await storeBooks(su, books, moves)
}

/**
 * Worths of goods that came: by documents, with the quantities of now those that share documents with
 * a corrected move; as somebody set it; as goods of an earlier move; at their price; else at cost.
 */
async function correctionOf(
  env: Environment,
  history: readonly Past[],
  quantities: ReadonlyMap<number, number>,
): Promise<Correction> {
  const coming = history.filter((past): past is PastMove => 'move' in past && past.comes)
  const ids = coming.map(({ move }) => move)
  const documentValueOf = await documentValues(
    env,
    coming.map(({ move, quantity }) => ({ move: { id: move }, quantity: quantities.get(move) ?? quantity })),
  )
  const setValueOf = new Map(await correctedValues(env, ids))
  const sharing = new Set(
    (await env
      .model('stock.move')
      .browse([...quantities.keys()])
      .invoke('sharing_documents', {})) as readonly number[],
  )
  const valued = new Set(history.flatMap((past) => ('move' in past ? [past.move] : [])))
  const withoutDocument = ({ origin, price }: PastMove): Worth => {
    if (origin !== null && valued.has(origin)) return { like: origin }
    return price > 0 ? { each: price } : { atCost: true }
  }
  const isFixed = ({ move }: PastMove) => documentValueOf.has(move) || setValueOf.has(move)
  return {
    quantities,
    was: (past) => (isFixed(past) ? { value: past.value } : withoutDocument(past)),
    is: (past) => {
      if (!isFixed(past)) return withoutDocument(past)
      const documentValue = sharing.has(past.move) ? documentValueOf.get(past.move) : undefined
      return { value: setValueOf.get(past.move) ?? documentValue ?? past.value }
    },
  }
}

/** Goods that are not kept in stock are worth their cost; no book is kept of them. */
const asUnstored = (opened: OpenBook): OpenBook => ({
  ...opened,
  book: { ...opened.book, method: 'standard', layers: [] },
})

/** Brings a book in line with corrected quantities. Gives what differs of its history, as it is now. */
function carryOutAgain(
  opened: OpenBook,
  history: readonly Past[],
  { quantities, was, is }: Correction,
  early: number | undefined,
): Past[] {
  const { book } = opened
  const corrected = history.map((past) =>
    'cost' in past ? past : { ...past, quantity: quantities.get(past.move) ?? past.quantity },
  )
  const [former, again] = [bookBefore(opened, history), bookBefore(opened, history, early)]
  const before = replay(former, stepsOf(history, was))
  const after = replay(again, stepsOf(corrected, is))
  follow(book, again)
  /** Growth of the worth of all goods, up to the event of an index. */
  const more = (i: number) => addDecimals(after.worths[i] ?? 0, -(before.worths[i] ?? 0))
  const first = Math.max(
    0,
    history.findIndex((past) => 'move' in past && quantities.has(past.move)),
  )
  // A difference that the stored worth had from its history stays with the corrected move.
  const rest = addDecimals(addDecimals(worthOfBook(book), -opened.value), -more(history.length - 1))
  const changeOf = (i: number) => addDecimals(addDecimals(more(i), -more(i - 1)), i === first ? rest : 0)
  return corrected.flatMap((past, i): Past[] => {
    const stored = present(history[i])
    const change = addDecimals(stored.change, changeOf(i))
    if ('cost' in past || 'cost' in stored) return change === stored.change ? [] : [{ ...past, change }]
    const [was, is] = [before.values.get(past.move) ?? 0, after.values.get(past.move) ?? 0]
    const value = roundHalfUp(valueAgain(stored, past.quantity, was, is), book.rounding)
    const now = { ...past, value, change, remaining: remainingOf(book, past) }
    return keys.some((key) => now[key] !== stored[key]) ? [now] : []
  })
}

const keys = ['quantity', 'value', 'change', 'remaining'] as const

/** The value of a move that was worth `was` by its history, and is worth `is`. */
function valueAgain({ value, quantity }: PastMove, now: number, was: number, is: number): number {
  if (value === was || quantity === 0) return is
  return value * (was === 0 ? now / quantity : is / was)
}

const remainingOf = ({ method, layers }: Book, { move, remaining }: PastMove): number =>
  method === 'fifo' ? (layers.find((layer) => layer.move === move)?.quantity ?? 0) : remaining

/** Takes over what history leaves; a fixed cost stays as it is. */
function follow(book: Book, again: Book): void {
  book.quantity = again.quantity
  if (book.method !== 'standard') book.cost = again.cost
  book.layers.splice(0, book.layers.length, ...again.layers.filter(({ quantity }) => quantity > 0))
}
