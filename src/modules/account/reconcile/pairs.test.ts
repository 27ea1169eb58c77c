// Pairs of debits and credits: amounts of items in any currencies, and their rest.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { addDecimals } from '../../../kit/rounding.ts'
import { type OpenItem, pairUp } from './pairs.ts'

const company = { currency: 1, step: 0.01 }
const rates: Readonly<Record<number, number>> = { 1: 1, 2: 1.2345, 3: 0.3 }

const item = (
  id: number,
  currency: number,
  residual: number,
  residualCurrency: number,
  more: Partial<OpenItem> = {},
): OpenItem => ({
  id,
  currency,
  step: currency === 2 ? 0.05 : 0.01,
  due: '2025-01-01',
  balance: residual,
  amountCurrency: residualCurrency,
  residual,
  residualCurrency,
  company,
  isPayment: false,
  isOwedByPartner: true,
  rateOf: (other) => rates[other] as number,
  ...more,
})
const payment = { isPayment: true }

test('pairUp: items in two foreign currencies settle each other in that of the company', () => {
  for (const sign of [1, -1]) {
    const invoice = item(1, 2, sign * 446.62, sign * 551.35)
    const money = item(2, 3, -sign * 446.61, -sign * 133.98, payment)
    const [pair, ...more] = pairUp([invoice, money])
    assert.deepEqual(more, [])
    const { amount, debitCurrency, creditCurrency } = pair as NonNullable<typeof pair>
    assert.equal(amount, 446.61)
    assert.deepEqual([debitCurrency, creditCurrency].toSorted(), [133.98, 551.35])
    // The rest is less than the invoice's currency can say.
    const leftover = sign > 0 ? pair?.debitLeftover : pair?.creditLeftover
    assert.deepEqual(leftover, { company: sign * 0.01, currency: 0 })
  }
})

test('pairUp: a payment in the company’s currency settles a foreign invoice at the rate of its day', () => {
  const invoice = item(1, 2, 100, 123.45)
  const rateOf = (currency: number) => (currency === 2 ? 1 : 0.3)
  const money = item(2, 1, -123.45, -123.45, { ...payment, rateOf })
  assert.deepEqual(pairUp([invoice, money]), [
    {
      debit: 1,
      credit: 2,
      amount: 100,
      debitCurrency: 123.45,
      creditCurrency: 100,
      debitLeftover: null,
      creditLeftover: { company: -23.45, currency: -23.45 },
    },
  ])
})

test('pairUp: what is owed in the company’s currency is settled in it by money that was exchanged', () => {
  const invoice = item(1, 1, 100, 100)
  const money = item(2, 3, -380.98, -212, payment)
  assert.deepEqual(pairUp([invoice, money]), [
    {
      debit: 1,
      credit: 2,
      amount: 100,
      debitCurrency: 100,
      creditCurrency: 55.65,
      debitLeftover: null,
      creditLeftover: null,
    },
  ])
})

test('pairUp: each side of a match in a foreign currency is worth what the rate of its item says', () => {
  const invoice = item(1, 3, 3846.18, 1442.3, { balance: 3846.18, amountCurrency: 1442.3 })
  const money = item(2, 3, -243.13, -377.97, payment)
  const [pair] = pairUp([invoice, money])
  assert.equal(pair?.amount, 243.13)
  assert.deepEqual([pair?.debitCurrency, pair?.creditCurrency], [377.97, 377.97])
  // 377.97 of the invoice were 1,007.93.
  assert.deepEqual(pair?.debitLeftover, { company: 764.8, currency: 0 })
  assert.equal(pair?.creditLeftover, null)
})

test('pairUp: sides that differ by less than the foreign currency is rounded by have no difference of rates', () => {
  const step = { step: 1 }
  const [first, second] = [item(1, 2, 64.69, 72, step), item(2, 2, 150.93, 167, step)]
  const pairs = pairUp([first, second, item(3, 2, -215.8, -239, { ...step, ...payment })])
  assert.deepEqual(
    pairs.map(({ amount, debitLeftover, creditLeftover }) => [amount, debitLeftover, creditLeftover]),
    [
      [64.69, null, null],
      [150.93, null, { company: -0.18, currency: 0 }],
    ],
  )
})

test('pairUp: what is settled in the currency of an item is settled in that of the company', () => {
  const amounts = fc.record({
    currency: fc.constantFrom(1, 2, 3),
    units: fc.integer({ min: 1, max: 90_000 }),
    rate: fc.integer({ min: 30, max: 400 }),
    sign: fc.constantFrom(1, -1),
    isPayment: fc.boolean(),
  })
  const round = (value: number, step: number) => Number((Math.round(value / step) * step).toFixed(2))
  fc.assert(
    fc.property(fc.array(amounts, { minLength: 2, maxLength: 6 }), (drawn) => {
      const items = drawn.map(({ currency, units, rate, sign, isPayment }, i) => {
        const step = currency === 2 ? 0.05 : 0.01
        const amount = round(units * step, step)
        const company = currency === 1 ? amount : Math.max(0.01, round((amount * 100) / rate, 0.01))
        return item(i + 1, currency, sign * company, sign * amount, { isPayment })
      })
      const left = new Map(items.map((item) => [item.id, [item.residual, item.residualCurrency]]))
      const take = (id: number, sign: number, company: number, currency: number) => {
        const [a = 0, b = 0] = left.get(id) ?? []
        left.set(id, [addDecimals(a, -sign * company), addDecimals(b, -sign * currency)])
      }
      for (const pair of pairUp(items)) {
        take(pair.debit, 1, pair.amount, pair.debitCurrency)
        take(pair.credit, -1, pair.amount, pair.creditCurrency)
        take(pair.debit, 1, pair.debitLeftover?.company ?? 0, pair.debitLeftover?.currency ?? 0)
        take(pair.credit, 1, pair.creditLeftover?.company ?? 0, pair.creditLeftover?.currency ?? 0)
      }
      for (const item of items) {
        const [company = 0, currency = 0] = left.get(item.id) ?? []
        assert.ok(currency !== 0 || company === 0, `${item.id}: ${company} left of nothing`)
        // Nothing is taken twice.
        assert.ok(Math.sign(item.residual) * company >= 0 && Math.sign(item.residual) * currency >= 0)
        if (item.currency === 1) assert.equal(company, currency)
      }
    }),
    { numRuns: 300 },
  )
})
