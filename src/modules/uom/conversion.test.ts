// Quantities and prices in other units: recorded figures, and properties.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { convertPrice, convertQuantity } from './conversion.ts'

const unit = { id: 1, factor: 1 }
const six = { id: 2, factor: 6 }
const dozen = { id: 3, factor: 12 }

test('quantities: up by default, half up or not at all when asked', () => {
  assert.equal(convertQuantity(3, six, unit), 18)
  assert.equal(convertQuantity(1, unit, six), 0.17)
  assert.equal(convertQuantity(1, unit, six, 'half-up'), 0.17)
  assert.equal(convertQuantity(7, unit, dozen, 'half-up'), 0.58)
  assert.equal(convertQuantity(7, unit, dozen), 0.59)
  assert.equal(convertQuantity(7, unit, dozen, 'up', 3), 0.584)
  assert.equal(convertQuantity(9, unit, dozen, 'none'), 0.75)
  assert.equal(convertQuantity(1.005, unit, unit), 1.01)
})

test('prices go the other way and are not rounded', () => {
  assert.equal(convertPrice(0.35, unit, { id: 4, factor: 24 }), 8.4)
  assert.equal(convertPrice(9.9, six, unit), 1.65)
  assert.equal(convertPrice(0.45, unit, six), 2.7)
})

test('what is worth something in one unit is worth the same in another', () => {
  const factor = fc.integer({ min: 1, max: 1000 })
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1e6 }),
      fc.integer({ min: 0, max: 1e4 }),
      factor,
      factor,
      (cents, count, a, b) => {
        const [from, to] = [
          { id: 1, factor: a },
          { id: 2, factor: b },
        ]
        const [price, quantity] = [cents / 100, count]
        const value = convertPrice(price, from, to) * convertQuantity(quantity, from, to, 'none')
        assert.ok(
          Math.abs(value - price * quantity) <= 1e-9 * Math.max(1, price * quantity),
          `${value} is not ${price * quantity}`,
        )
        assert.ok(convertQuantity(quantity, from, to) >= convertQuantity(quantity, from, to, 'half-up'))
      },
    ),
  )
})
