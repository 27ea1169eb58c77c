// Value of goods as they come and go: at a fixed cost, on average, first in first out. Pure arithmetic
// over one product of one company. Recorded: the value of goods on hand follows from their quantity and
// their cost; only first in, first out reads the receipts. Sums are rounded at the end.
import { roundHalfUp } from '../../kit/rounding.ts'

export type Method = 'standard' | 'average' | 'fifo'

/** Goods of one receipt that are still there; of none: goods from before receipts were kept apart. */
export interface Layer {
  readonly move: number | null
  quantity: number
  /** The worth of one of them when it came; not rounded. */
  each: number
}

/**
 * Quantities and values of a product. Quantities are in its unit, amounts in the currency of the
 * company.
 */
export interface Book {
  readonly method: Method
  /** The step that amounts are rounded to. */
  readonly rounding: number
  /** The cost of one; not rounded. */
  cost: number
  quantity: number
  /** The oldest first; of goods that leave in the order in which they came. */
  readonly layers: Layer[]
}

const settled = (quantity: number) => Number(quantity.toFixed(6))

/** The worth of goods on hand; missing goods that leave in order are worth nothing. */
export function worthOfBook(book: Book): number {
  const exact =
    book.method === 'fifo'
      ? book.layers.reduce((sum, layer) => sum + layer.quantity * layer.each, 0)
      : book.quantity * book.cost
  return roundHalfUp(exact, book.rounding)
}

/**
 * Layers of goods that are worth `value` together. Goods that no receipt accounts for, as they came while
 * costs had another method, are the oldest, and worth the rest. Receipts that account for more are those
 * of an earlier time: nothing is left of them.
 */
export function completeLayers(
  layers: readonly Layer[],
  { quantity, value }: { readonly quantity: number; readonly value: number },
  rounding: number,
): Layer[] {
  const missing = settled(layers.reduce((rest, layer) => rest - layer.quantity, Math.max(0, quantity)))
  const worth = layers.reduce((rest, layer) => rest - layer.quantity * layer.each, value)
  if (missing === 0 && Math.abs(worth) < rounding) return [...layers]
  if (missing > 0 && worth > -rounding)
    return [{ move: null, quantity: missing, each: Math.max(0, worth) / missing }, ...layers]
  const emptied = layers.map((layer) => ({ ...layer, quantity: 0 }))
  return quantity > 0 ? [{ move: null, quantity, each: Math.max(0, value) / quantity }, ...emptied] : emptied
}

/** Takes in goods that are worth `value` together. */
export function receive(book: Book, move: number, quantity: number, value: number): void {
  if (quantity <= 0) return
  const before = book.quantity
  book.quantity = settled(before + quantity)
  if (book.method === 'average')
    // Goods that come where none were, or fewer, say alone what one costs.
    book.cost = before > 0 ? (before * book.cost + value) / book.quantity : value / quantity
  if (book.method !== 'fifo') return
  const left = Math.min(quantity, Math.max(0, book.quantity))
  if (left > 0) book.layers.push({ move, quantity: left, each: value / quantity })
  followLayers(book, value / quantity)
}

/** Lets goods go. Answers what they are worth; layers that they come from are left with what remains. */
export function deliver(book: Book, quantity: number): number {
  const round = (amount: number) => roundHalfUp(amount, book.rounding)
  if (book.method !== 'fifo') {
    book.quantity = settled(book.quantity - quantity)
    return round(quantity * book.cost)
  }
  const last = book.layers.findLast((layer) => layer.quantity > 0)
  const value = round(takeOldest(book, quantity))
  book.quantity = settled(book.quantity - quantity)
  followLayers(book, last?.each ?? 0)
  return value
}

/**
 * The cost of goods that leave in order is the mean of those that are there, of none that of the last that
 * came.
 */
export function followLayers(book: Book, last: number): void {
  if (book.quantity > 0) book.cost = worthOfBook(book) / book.quantity
  else if (last !== 0) book.cost = last
}

function takeOldest(book: Book, quantity: number): number {
  let [left, value] = [quantity, 0]
  for (const layer of book.layers) {
    if (left <= 0) break
    const taken = Math.min(layer.quantity, left)
    layer.quantity = settled(layer.quantity - taken)
    left = settled(left - taken)
    value += taken * layer.each
  }
  return value + left * book.cost
}

/** The worth of goods that come: together, for each, as goods of an earlier move were, or what one costs. */
export type Worth =
  | { readonly value: number }
  | { readonly each: number }
  | { readonly like: number }
  | { readonly atCost: true }

interface MoveStep {
  readonly move: number
  readonly quantity: number
}
/**
 * One event of a product: goods that came or went, or a cost that somebody set. Goods that pass by are worth
 * what they would be if they came, and change no book.
 */
export type Step =
  | (MoveStep & { readonly comes: true; readonly worth: Worth; readonly passes?: boolean })
  | (MoveStep & { readonly comes: false })
  | { readonly cost: number }

/** Carries out events in a book. Gives the value of each move, and the worth of the book after each. */
export function replay(book: Book, steps: readonly Step[]) {
  const values = new Map<number, number>()
  const eaches = new Map<number, number>()
  const worths = steps.map((step) => {
    if ('cost' in step) book.cost = step.cost
    else {
      const value = carryOut(book, step, eaches)
      values.set(step.move, value)
      if (step.quantity > 0) eaches.set(step.move, value / step.quantity)
    }
    return worthOfBook(book)
  })
  return { values, worths }
}

/** Carries out one move: gives what its goods are worth. `eaches`: the worth of one of earlier moves. */
export function carryOut(
  book: Book,
  step: Exclude<Step, { readonly cost: number }>,
  eaches: ReadonlyMap<number, number> = new Map(),
): number {
  const { move, quantity } = step
  if (quantity <= 0) return 0
  if (!step.comes) return deliver(book, quantity)
  const value = roundHalfUp(worthOf(step.worth, quantity, book.cost, eaches), book.rounding)
  if (!step.passes) receive(book, move, quantity, value)
  return value
}

function worthOf(worth: Worth, quantity: number, cost: number, eaches: ReadonlyMap<number, number>): number {
  if ('value' in worth) return worth.value
  if ('each' in worth) return quantity * worth.each
  return quantity * ('like' in worth ? (eaches.get(worth.like) ?? cost) : cost)
}
