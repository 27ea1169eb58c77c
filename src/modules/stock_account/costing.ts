// What goods are worth as they come and go: at a fixed cost, on average, first in first out. Pure arithmetic
// over one product of one company.
import { roundHalfUp } from '../../kit/rounding.ts'

export type Method = 'standard' | 'average' | 'fifo'

/** Goods of one receipt that are still there. */
export interface Layer {
  readonly move: number
  quantity: number
  value: number
}

/** How a product stands. Quantities are in its unit, amounts in the currency of the company. */
export interface Book {
  readonly method: Method
  /** The step that amounts are rounded to. */
  readonly rounding: number
  /** What one costs. */
  cost: number
  quantity: number
  value: number
  /** The oldest first; of goods that leave in the order in which they came. */
  readonly layers: Layer[]
}

export interface Received {
  readonly value: number
  /**
   * What goods that had left before they came turn out to cost beyond what was counted for them; it leaves
   * the value.
   */
  readonly correction: number
}

const settled = (quantity: number) => Number(quantity.toFixed(6))

/** Takes in goods that cost `unit` each. */
export function receive(book: Book, move: number, quantity: number, unit: number): Received {
  const round = (amount: number) => roundHalfUp(amount, book.rounding)
  const each = book.method === 'standard' ? book.cost : unit
  const owed = Math.max(0, -book.quantity)
  const value = round(quantity * each)
  book.quantity = settled(book.quantity + quantity)
  book.value = round(book.value + value)
  let correction = 0
  if (owed > 0 && book.method !== 'standard') {
    const worth = round(book.quantity * each)
    correction = round(worth - book.value)
    book.value = worth
  }
  const left = Math.min(quantity, Math.max(0, book.quantity))
  if (book.method === 'fifo' && left > 0)
    book.layers.push({ move, quantity: left, value: round(left * each) })
  if (book.method !== 'standard') book.cost = book.quantity > 0 ? book.value / book.quantity : each
  return { value, correction }
}

/** Lets goods go. Answers what they are worth; the layers that they come from are left with what remains. */
export function deliver(book: Book, quantity: number): number {
  const round = (amount: number) => roundHalfUp(amount, book.rounding)
  const there = Math.min(quantity, Math.max(0, book.quantity))
  const beyond = settled(quantity - there)
  const value = round(worthOf(book, there) + beyond * book.cost)
  book.quantity = settled(book.quantity - quantity)
  book.value = round(book.value - value)
  if (book.method === 'fifo' && book.quantity > 0) book.cost = book.value / book.quantity
  return value
}

/** The value of goods that are there, before they leave. */
function worthOf(book: Book, quantity: number): number {
  if (quantity === 0) return 0
  if (book.method === 'standard') return quantity * book.cost
  // The last ones take what is left: no cents stay behind.
  if (book.method === 'average')
    return quantity === book.quantity ? book.value : (book.value * quantity) / book.quantity
  return takeOldest(book, quantity)
}

function takeOldest(book: Book, quantity: number): number {
  let [left, value] = [quantity, 0]
  for (const layer of book.layers) {
    if (left <= 0) break
    if (layer.quantity <= 0) continue
    const taken = Math.min(layer.quantity, left)
    const worth =
      taken === layer.quantity
        ? layer.value
        : roundHalfUp((layer.value * taken) / layer.quantity, book.rounding)
    layer.quantity = settled(layer.quantity - taken)
    layer.value = roundHalfUp(layer.value - worth, book.rounding)
    left = settled(left - taken)
    value += worth
  }
  return value + left * book.cost
}
