// Shares of a combo's price: even where choices are worth nothing, and exact to the last cent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { shareOut } from './line-combo.ts'

test('choices share the price by what they are worth; the last takes what rounding leaves', () => {
  const shares = shareOut(
    10,
    [1, 2, 3].map((id) => ({ id, base: 1 })),
    0.01,
  )
  assert.deepEqual([...shares.values()], [3.33, 3.33, 3.34])
  assert.deepEqual(
    [
      ...shareOut(
        11,
        [
          { id: 1, base: 8 },
          { id: 2, base: 4 },
        ],
        0.01,
      ),
    ],
    [
      [1, 7.33],
      [2, 3.67],
    ],
  )
  assert.deepEqual(
    [
      ...shareOut(
        9,
        [
          { id: 1, base: 0 },
          { id: 2, base: 0 },
        ],
        0.01,
      ).values(),
    ],
    [4.5, 4.5],
  )
  assert.deepEqual([...shareOut(9, [], 0.01)], [])
})

test('shares of a combo add up to its price', () => {
  const choices = fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000 }), choices, (cents, bases) => {
      const shares = shareOut(
        cents / 100,
        bases.map((base, id) => ({ id, base: base / 100 })),
        0.01,
      )
      assert.equal(Math.round([...shares.values()].reduce((sum, share) => sum + share * 100, 0)), cents)
    }),
  )
})
