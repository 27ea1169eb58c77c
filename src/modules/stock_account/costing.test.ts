// The arithmetic of costs: examples by hand, and what holds whatever comes and goes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Book, completeLayers, deliver, type Method, receive, replay, worthOfBook } from './costing.ts'

const book = (method: Method, cost = 0): Book => ({ method, rounding: 0.01, cost, quantity: 0, layers: [] })

test('on average: ten at 2 and ten at 4 cost 3 each, and what leaves takes them along', () => {
  const average = book('average')
  receive(average, 1, 10, 20)
  receive(average, 2, 10, 40)
  assert.deepEqual([average.cost, worthOfBook(average)], [3, 60])
  assert.equal(deliver(average, 5), 15)
  assert.deepEqual([average.cost, worthOfBook(average), average.quantity], [3, 45, 15])
})

test('first in, first out: the oldest leave first', () => {
  const fifo = book('fifo')
  receive(fifo, 1, 10, 20)
  receive(fifo, 2, 10, 40)
  assert.equal(deliver(fifo, 12), 28)
  assert.deepEqual(
    [worthOfBook(fifo), fifo.cost, fifo.layers.map((layer) => layer.quantity)],
    [32, 4, [0, 8]],
  )
})

test('at a fixed cost, goods that are there are worth it whatever they cost', () => {
  const standard = book('standard', 5)
  receive(standard, 1, 3, 27)
  assert.equal(worthOfBook(standard), 15)
  assert.deepEqual([deliver(standard, 1), worthOfBook(standard)], [5, 10])
})

test('goods that leave before they come: those that are there then cost what they came for', () => {
  for (const method of ['average', 'fifo'] as const) {
    const anyBook = book(method, 2)
    assert.equal(deliver(anyBook, 4), 8)
    receive(anyBook, 1, 10, 30)
    assert.deepEqual([worthOfBook(anyBook), anyBook.quantity, anyBook.cost], [18, 6, 3], method)
  }
})

test('parts of a receipt are not rounded before they are added (recorded: 5.5 of 7 for 233.03 are worth 183.10)', () => {
  const fifo = book('fifo')
  receive(fifo, 1, 7, 233.03)
  assert.deepEqual([deliver(fifo, 1), deliver(fifo, 0.5)], [33.29, 16.65])
  assert.equal(worthOfBook(fifo), 183.1)
  assert.ok(Math.abs(fifo.cost - 183.1 / 5.5) < 1e-9)
})

const quantity = fc.integer({ min: 1, max: 400 }).map((n) => n / 4)
const step = fc.oneof(
  fc.record({ comes: fc.constant(true as const), quantity, value: fc.integer({ min: 0, max: 90_000 }) }),
  fc.record({ comes: fc.constant(false as const), quantity }),
)
type Step = { comes: true; quantity: number; value: number } | { comes: false; quantity: number }
const inCents = (step: Step): Step => (step.comes ? { ...step, value: step.value / 100 } : step)

test('what is there is worth what remains of receipts, or its quantity at its cost; nothing where nothing is', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<Method>('standard', 'average', 'fifo'),
      fc.array(step, { maxLength: 12 }),
      (method, steps) => {
        const anyBook = book(method, 7)
        for (const [i, step] of steps.map(inCents).entries()) {
          if (step.comes) receive(anyBook, i, step.quantity, step.value)
          else deliver(anyBook, step.quantity)
          const remaining = anyBook.layers.reduce((sum, layer) => sum + layer.quantity, 0)
          if (method === 'fifo') assert.ok(Math.abs(remaining - Math.max(0, anyBook.quantity)) < 1e-6)
          if (anyBook.quantity > 0)
            assert.ok(Math.abs(worthOfBook(anyBook) - anyBook.quantity * anyBook.cost) < 0.0051)
          if (anyBook.quantity === 0) assert.equal(worthOfBook(anyBook), 0)
        }
      },
    ),
    { numRuns: 200 },
  )
})

test('layers: goods that no receipt accounts for are the oldest, and worth the rest', () => {
  const layer = (move: number | null, quantity: number, each: number) => ({ move, quantity, each })
  const kept = [layer(1, 4, 2), layer(2, 6, 3)]
  assert.deepEqual(completeLayers(kept, { quantity: 10, value: 26 }, 0.01), kept)
  assert.deepEqual(completeLayers(kept, { quantity: 12, value: 36 }, 0.01), [layer(null, 2, 5), ...kept])
  assert.deepEqual(completeLayers([], { quantity: 20, value: 120 }, 0.01), [layer(null, 20, 6)])
  const emptied = [layer(1, 0, 2), layer(2, 0, 3)]
  assert.deepEqual(completeLayers(kept, { quantity: 8, value: 40 }, 0.01), [layer(null, 8, 5), ...emptied])
  assert.deepEqual(completeLayers(kept, { quantity: -1, value: 0 }, 0.01), emptied)
})

test('replay: gives values and the book that goods had as they came and went', () => {
  fc.assert(
    fc.property(
      fc.constantFrom<Method>('standard', 'average', 'fifo'),
      fc.array(step, { maxLength: 12 }),
      (method, all) => {
        const [anyBook, again] = [book(method, 7), book(method, 7)]
        const steps = all.map(inCents)
        const values = steps.map((step, move) => {
          if (!step.comes) return deliver(anyBook, step.quantity)
          receive(anyBook, move, step.quantity, step.value)
          return step.value
        })
        const answer = replay(
          again,
          steps.map((step, move) =>
            step.comes
              ? { move, comes: true, quantity: step.quantity, worth: { value: step.value } }
              : { move, comes: false, quantity: step.quantity },
          ),
        )
        assert.deepEqual([...answer.values.values()], values)
        assert.equal(answer.worths.at(-1) ?? 0, worthOfBook(anyBook))
        assert.deepEqual(again, anyBook)
      },
    ),
    { numRuns: 200 },
  )
})

test('first in, first out: goods that leave where none are cost what the last cost that came', () => {
  const fifo = book('fifo', 2)
  receive(fifo, 1, 4, 12)
  deliver(fifo, 10)
  assert.equal(fifo.cost, 3)
  receive(fifo, 2, 5, 25)
  assert.deepEqual([deliver(fifo, 1), deliver(fifo, 1), fifo.cost], [5, 5, 5])
})

test('replay: goods that come back are worth what they left for, others without a price their cost', () => {
  const average = book('average', 2)
  const { values } = replay(average, [
    { move: 1, comes: true, quantity: 10, worth: { atCost: true } },
    { move: 2, comes: false, quantity: 4 },
    { cost: 5 },
    { move: 3, comes: true, quantity: 1, worth: { like: 2 } },
    { move: 4, comes: true, quantity: 2, worth: { each: 3 } },
    { move: 5, comes: false, quantity: 0 },
  ])
  assert.deepEqual([...values.values()], [20, 8, 2, 6, 0])
})
