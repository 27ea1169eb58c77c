// Shares of a tax by repartition line: which of them gets the odd cent, and that nothing is lost.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { exact, roundTo, toNumber, total } from './exact.ts'
import { shareOut } from './share.ts'

const amounts = (amount: number, factors: readonly number[], step = 0.01) =>
  shareOut(
    exact(amount),
    factors.map((factor_percent) => ({ factor_percent })),
    false,
    exact(step),
  ).map((one) => toNumber(one.amount))

test('the odd cent goes to the largest rounded share, the first of equal ones', () => {
  const thirds = [33.33, 33.33, 33.34]
  assert.deepEqual(amounts(2.41, thirds), [0.81, 0.8, 0.8])
  assert.deepEqual(amounts(0.01, thirds), [0.01, 0, 0])
  assert.deepEqual(amounts(38.57, thirds), [12.85, 12.86, 12.86])
  assert.deepEqual(amounts(0.35, [50, 50], 0.05), [0.15, 0.2])
})

test('shares of either sign add up to the amount, in whole steps', () => {
  const factors = fc.constantFrom<readonly number[]>(
    [100],
    [60, 40],
    [50, 50],
    [33.33, 33.33, 33.34],
    [100, -60, -40],
  )
  const amount = fc.integer({ min: -1_000_000, max: 1_000_000 }).map((n) => n / 1000)
  fc.assert(
    fc.property(factors, amount, fc.constantFrom(0.01, 0.05, 1), (percents, value, step) => {
      const parts = percents.map((factor_percent) => ({ factor_percent }))
      for (const reverseCharge of percents.includes(-60) ? [false, true] : [false]) {
        const shared = shareOut(exact(value), parts, reverseCharge, exact(step))
        const sum = total(shared.map((part) => part.amount))
        assert.equal(toNumber(sum), toNumber(roundTo(exact(value), exact(step))))
        for (const part of shared) assert.equal(part.amount.div(exact(step)).decimalPlaces(), 0)
      }
    }),
    { numRuns: 200 },
  )
})
