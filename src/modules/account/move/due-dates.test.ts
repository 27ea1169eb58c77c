// Instalments that are paid in coins, and the day that a bill counts on.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { exact, toNumber } from '../tax-engine/index.ts'
import { instalments, type TermLine } from './due-dates.ts'
import { billDate } from './from-partner.ts'

const line = (value_amount: number, nb_days: number): TermLine => ({
  value: 'percent',
  value_amount,
  delay_type: 'days_after',
  nb_days,
  days_next_month: '0',
})

const amounts = (total: number, shares: readonly number[], rounding: number, rounding_method: string) =>
  instalments(
    { currency: exact(total), company: exact(total) },
    shares.map((share, i) => line(share, i * 30)),
    '2025-02-12',
    { currency: exact(0.01), company: exact(0.01), rate: exact(1), coins: { rounding, rounding_method } },
  ).map((instalment) => toNumber(instalment.currency))

test('instalments in coins: each is rounded the way of the document, the last takes the rest', () => {
  assert.deepEqual(amounts(868.35, [33, 67], 0.05, 'HALF-UP'), [286.55, 581.8])
  assert.deepEqual(amounts(101, [50, 50], 1, 'DOWN'), [50, 51])
  assert.deepEqual(amounts(-101, [50, 50], 1, 'DOWN'), [-50, -51])
  assert.deepEqual(amounts(111075.5, [12.5, 87.5], 0.5, 'UP'), [13884.5, 97191])
})

test('instalments of a total in coins can be paid in coins, and add up to it', () => {
  const shares = fc.constantFrom([50, 50], [33.33, 33.33, 33.34], [1, 99], [12.5, 87.5])
  const methods = fc.constantFrom('UP', 'DOWN', 'HALF-UP')
  fc.assert(
    fc.property(fc.integer({ min: -90000, max: 90000 }), shares, methods, (coins, percents, method) => {
      const parts = amounts(coins / 20, percents, 0.05, method).map((amount) => Math.round(amount * 100))
      for (const cents of parts) assert.equal(Math.abs(cents % 5), 0)
      assert.equal(
        parts.reduce((sum, cents) => sum + cents, 0),
        coins * 5,
      )
    }),
    { numRuns: 200 },
  )
})

test('a bill of this month counts today, one of a month that is over on its last day', () => {
  assert.equal(billDate('2025-02-03', '2025-04-20'), '2025-02-28')
  assert.equal(billDate('2024-12-31', '2025-01-01'), '2024-12-31')
  assert.equal(billDate('2025-04-03', '2025-04-20'), '2025-04-20')
  assert.equal(billDate('2025-05-03', '2025-04-20'), '2025-05-03')
})
