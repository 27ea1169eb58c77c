// The arithmetic of costs: examples by hand, and what holds whatever comes and goes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Book, deliver, type Method, receive } from './costing.ts'

const book = (method: Method, cost = 0): Book => ({
  method,
  rounding: 0.01,
  cost,
  quantity: 0,
  value: 0,
  layers: [],
})

test('on average: ten at 2 and ten at 4 cost 3 each, and what leaves takes them along', () => {
  const own = book('average')
  receive(own, 1, 10, 2)
  receive(own, 2, 10, 4)
  assert.deepEqual([own.cost, own.value], [3, 60])
  assert.equal(deliver(own, 5), 15)
  assert.deepEqual([own.cost, own.value, own.quantity], [3, 45, 15])
})

test('first in, first out: the oldest leave first', () => {
  const own = book('fifo')
  receive(own, 1, 10, 2)
  receive(own, 2, 10, 4)
  assert.equal(deliver(own, 12), 28)
  assert.deepEqual([own.value, own.cost, own.layers.map((layer) => layer.quantity)], [32, 4, [0, 8]])
})

test('at a fixed cost, receipts count at it whatever they cost', () => {
  const own = book('standard', 5)
  assert.equal(receive(own, 1, 3, 9).value, 15)
  assert.deepEqual([deliver(own, 1), own.value], [5, 10])
})

test('goods that leave before they come are corrected when their cost is known', () => {
  for (const method of ['average', 'fifo'] as const) {
    const own = book(method, 2)
    assert.equal(deliver(own, 4), 8)
    const { value, correction } = receive(own, 1, 10, 3)
    assert.deepEqual([value, correction, own.value, own.quantity, own.cost], [30, -4, 18, 6, 3], method)
  }
})

test('values add up to the cent, and nothing stays behind when nothing is left', () => {
  let seed = 7
  const next = () => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed / 2_147_483_647
  }
  for (let round = 0; round < 200; round++) {
    const own = book(round % 2 ? 'average' : 'fifo')
    let balance = 0
    for (let step = 0; step < 12; step++) {
      const quantity = 1 + Math.floor(next() * 9)
      if (next() < 0.5) {
        const { value, correction } = receive(own, step, quantity, Math.round(next() * 1000) / 100)
        balance += value + correction
      } else balance -= deliver(own, quantity)
      assert.ok(Math.abs(own.value - balance) < 1e-6)
    }
    if (own.quantity > 0) deliver(own, own.quantity)
    else receive(own, 99, -own.quantity, 1)
    assert.ok(Math.abs(own.value) < 0.005, `${round}: ${own.value}`)
  }
})
