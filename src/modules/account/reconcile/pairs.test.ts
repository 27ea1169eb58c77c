// What settles what: amounts of items in any currencies, and what is left of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OpenItem, pairUp } from './pairs.ts'

const company = { currency: 1, step: 0.01 }
const rates: Readonly<Record<number, number>> = { 1: 1, 2: 1.2345, 3: 0.3 }

const item = (id: number, currency: number, residual: number, residualCurrency: number): OpenItem => ({
  id,
  currency,
  step: currency === 2 ? 0.05 : 0.01,
  rate: rates[currency] as number,
  rateOf: (other) => rates[other] as number,
  due: '2025-01-01',
  residual,
  residualCurrency,
  company,
})

test('what is paid in a third currency but for less than its own currency can say is settled, and the rest booked', () => {
  for (const sign of [1, -1]) {
    const invoice = item(1, 2, sign * 446.62, sign * 551.35)
    const payment = item(2, 3, -sign * 446.61, -sign * 133.98)
    const [pair, ...more] = pairUp([invoice, payment])
    assert.deepEqual(more, [])
    const { amount, debitCurrency, creditCurrency, difference } = pair as NonNullable<typeof pair>
    assert.equal(amount, 446.61)
    assert.deepEqual([debitCurrency, creditCurrency].toSorted(), [133.98, 551.35])
    assert.equal(difference, sign * 0.01)
  }
})

test('in the company’s currency an item has one amount: what rates differ by is apart from it', () => {
  const invoice = item(1, 2, 100, 123.45)
  const later = (currency: number) => (currency === 2 ? 1 : 0.3)
  const payment = { ...item(2, 1, -123.45, -123.45), rateOf: later }
  assert.deepEqual(pairUp([invoice, payment]), [
    { debit: 1, credit: 2, amount: 100, debitCurrency: 123.45, creditCurrency: 100, difference: -23.45 },
  ])
})
