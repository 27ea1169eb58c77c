// Spreading differences: whole steps that add up, most to the largest, and fair shares for the others.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { exact, toNumber, total } from './exact.ts'
import { spread } from './spread.ts'

const shares = (difference: number, weights: readonly number[], step = 0.01) =>
  spread(exact(difference), weights.map(exact), exact(step)).map(toNumber)

test('the largest gets the first step, equal ones take turns in their order', () => {
  assert.deepEqual(shares(0.01, [1, 5, 3]), [0, 0.01, 0])
  assert.deepEqual(shares(-0.02, [2, 2, 2]), [-0.01, -0.01, 0])
  assert.deepEqual(shares(0.1, [1, 3]), [0.02, 0.08])
  assert.deepEqual(shares(0.05, [-1, 4], 0.05), [0, 0.05])
  assert.deepEqual(shares(0.03, [0, 0]), [0.02, 0.01])
  assert.deepEqual(shares(1, []), [])
})

test('the shares add up to the difference, in whole steps of its sign', () => {
  const weights = fc.array(fc.integer({ min: -500, max: 500 }), { minLength: 1, maxLength: 12 })
  const steps = fc.constantFrom(0.01, 0.05, 1, 10, 0.001)
  fc.assert(
    fc.property(fc.integer({ min: -40, max: 40 }), weights, steps, (units, weights, step) => {
      const difference = exact(units).times(exact(step))
      const shares = spread(difference, weights.map(exact), exact(step))
      assert.ok(total(shares).equals(difference))
      assert.ok(
        shares.every(
          (share) =>
            share.div(exact(step)).decimalPlaces() === 0 && share.times(difference).comparedTo(0) >= 0,
        ),
      )
    }),
  )
})
