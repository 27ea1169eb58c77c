// Prices as pure functions: recorded figures, exactness against whole-number arithmetic, and the index of
// rules against trying them one by one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type PriceBook, type PricedProduct, priceOf } from './price.ts'
import { compareRules, concerns, type Rule, RuleIndex, type Target } from './rules.ts'

const unit = { id: 1, factor: 1 }
const six = { id: 2, factor: 6 }
const [USD, YEN] = [1, 2]

const product: PricedProduct = {
  variant: 11,
  template: 1,
  categories: [5, 6],
  unit,
  listPrice: 87.4,
  listCurrency: USD,
  cost: 50,
  costCurrency: USD,
}

const rule = (changes: Partial<Rule> = {}): Rule => ({
  id: 1,
  level: '3_global',
  variant: null,
  template: null,
  category: null,
  categoryName: '',
  minQuantity: 0,
  kind: 'formula',
  base: 'list_price',
  baseList: null,
  fixed: 0,
  percent: 0,
  discount: 0,
  round: 0,
  surcharge: 0,
  minMargin: 0,
  maxMargin: 0,
  ...changes,
})

const book = (lists: Readonly<Record<number, readonly Rule[]>>, currency = USD, rate = 4): PriceBook => ({
  lists: new Map(
    Object.entries(lists).map(([id, rules]) => [Number(id), { currency, rules: new RuleIndex(rules) }]),
  ),
  rate: (from, to) => (from === to ? 1 : to === YEN ? rate : 1 / rate),
})

const price = (rules: readonly Rule[], quantity = 1, unitOf = unit, of = product) =>
  priceOf(book({ 1: rules }), 1, { product: of, quantity, unit: unitOf }, USD).price

test('quantities in other units are rounded up to as many decimals as quantities have', () => {
  const gram = { id: 3, factor: 0.001 }
  const rules = { 1: [rule({ kind: 'fixed', fixed: 7, minQuantity: 0.01 })] }
  const grams = (quantity: number, digits?: number) =>
    priceOf(
      { ...book(rules), ...(digits === undefined ? {} : { digits }) },
      1,
      { product, quantity, unit: gram },
      USD,
    ).rule
  assert.deepEqual([grams(4), grams(4, 3), grams(10, 3)], [1, null, 1])
})

test('discount, rounding, surcharge and margins come in this order', () => {
  assert.equal(price([rule({ discount: 15 })]), 74.29)
  assert.equal(price([rule({ discount: 15, round: 10 })]), 70)
  assert.equal(price([rule({ discount: 15, round: 10, surcharge: -0.01 })]), 69.99)
  assert.equal(
    price([rule({ discount: 15, round: 10, surcharge: -0.01, minMargin: -5, maxMargin: 10 })]),
    82.4,
  )
  assert.equal(price([rule({ base: 'standard_price', discount: -40, surcharge: 2 })]), 72)
  assert.equal(price([rule({ base: 'standard_price', discount: -40, surcharge: 2, maxMargin: 15 })]), 65)
  assert.equal(price([rule({ base: 'standard_price', discount: -33.3, round: 0.05 })]), 66.65)
})

test('without a rule the price is the sales price, in the unit and currency asked for', () => {
  const none = book({ 1: [] })
  assert.deepEqual(priceOf(none, null, { product, quantity: 1, unit: six }, USD), {
    price: 524.4,
    rule: null,
    before: 524.4,
  })
  assert.equal(priceOf(none, 1, { product, quantity: 1, unit, extra: 2.6 }, YEN).price, 360)
  assert.equal(priceOf(none, 99, { product, quantity: 1, unit }, USD).price, 87.4, 'a list that is not there')
})

test('fixed prices, surcharges and margins are for one of the product and grow with the unit', () => {
  assert.equal(price([rule({ kind: 'fixed', fixed: 0.45 })], 2, six), 2.7)
  assert.equal(price([rule({ surcharge: 1.1 })], 1, six), 531)
  assert.equal(price([rule({ discount: 50, minMargin: -10 })], 1, six), 464.4)
})

test('minimum quantities count in the unit of the product', () => {
  const rules = [
    rule({ id: 1, kind: 'fixed', fixed: 4, minQuantity: 24 }),
    rule({ id: 2, kind: 'fixed', fixed: 5, minQuantity: 6 }),
  ]
  assert.equal(price(rules, 5.99), 87.4)
  assert.equal(price(rules, 1, six), 30)
  assert.equal(price(rules, 4, six), 24)
  assert.equal(price([rule({ kind: 'fixed', fixed: 1, minQuantity: -1 })], 0), 1)
  assert.equal(price([rule({ kind: 'fixed', fixed: 1, minQuantity: 0 })], -3), 1, 'refunds')
})

test('lists on top of lists: currencies on the way, the percentage of the lowest list is what was taken off', () => {
  const lists: PriceBook = {
    ...book({ 1: [], 2: [], 3: [] }),
    lists: new Map([
      [1, { currency: USD, rules: new RuleIndex([rule({ kind: 'percentage', percent: 10 })]) }],
      [
        2,
        {
          currency: USD,
          rules: new RuleIndex([
            rule({ id: 2, kind: 'percentage', percent: 50, base: 'pricelist', baseList: 1 }),
          ]),
        },
      ],
      [
        3,
        {
          currency: YEN,
          rules: new RuleIndex([rule({ id: 3, base: 'pricelist', baseList: 2, surcharge: 1 })]),
        },
      ],
    ]),
  }
  const ask = { product, quantity: 1, unit }
  assert.deepEqual(priceOf(lists, 2, ask, USD), { price: 39.33, rule: 2, before: 87.4 })
  assert.deepEqual(priceOf(lists, 3, ask, YEN), { price: 158.32, rule: 3, before: 158.32 })
})

test('lists in a circle come to an end', () => {
  const round = book({
    1: [rule({ base: 'pricelist', baseList: 2, discount: 10 })],
    2: [rule({ base: 'pricelist', baseList: 1 })],
  })
  assert.equal(priceOf(round, 1, { product, quantity: 1, unit }, USD).price, 78.66)
})

test('decimal prices and percentages give the exact decimal', () => {
  const cents = fc.integer({ min: 0, max: 10_000_000 })
  const tenths = fc.integer({ min: -1000, max: 1000 })
  fc.assert(
    fc.property(
      cents,
      tenths,
      fc.integer({ min: 1, max: 144 }),
      fc.integer({ min: -500, max: 500 }),
      (list, percent, factor, surcharge) => {
        const of = { ...product, listPrice: list / 100 }
        const asUnit = factor === 1 ? unit : { id: 9, factor }
        // In hundred-thousandths: cents times a factor, less so many thousandths of it.
        const exact = BigInt(list) * BigInt(factor) * BigInt(1000 - percent)
        assert.equal(
          price([rule({ kind: 'percentage', percent: percent / 10 })], 1, asUnit, of),
          Number(`${exact}e-5`),
        )
        const more = exact + BigInt(surcharge) * BigInt(factor) * 1000n
        assert.equal(
          price([rule({ discount: percent / 10, surcharge: surcharge / 100 })], 1, asUnit, of),
          Number(`${more}e-5`),
        )
      },
    ),
  )
})

test('a formula keeps between its margins, and its rounding gives multiples', () => {
  const cents = fc.integer({ min: 0, max: 1_000_000 }).map((n) => n / 100)
  const margin = fc.integer({ min: -5000, max: 5000 }).map((n) => n / 100)
  fc.assert(
    fc.property(cents, margin, margin, fc.integer({ min: -90, max: 90 }), (list, first, second, discount) => {
      const [minMargin, maxMargin] = [Math.min(first, second), Math.max(first, second)]
      const of = { ...product, listPrice: list }
      const result = price([rule({ discount, minMargin, maxMargin })], 1, unit, of)
      if (minMargin !== 0)
        assert.ok(result >= list + minMargin - 1e-9 || result === price([rule({ maxMargin })], 1, unit, of))
      if (maxMargin !== 0) assert.ok(result <= list + maxMargin + 1e-9)
      const rounded = price([rule({ discount, round: 0.05 })], 1, unit, of)
      assert.equal(Math.round(rounded * 20) / 20, rounded)
    }),
  )
})

test('the index finds what trying all rules in order finds', () => {
  const id = fc.integer({ min: 1, max: 3 })
  const rules = fc.array(
    fc.record({
      level: fc.constantFrom(
        '0_product_variant',
        '1_product',
        '2_product_category',
        '3_global',
      ) as fc.Arbitrary<Rule['level']>,
      about: id,
      minQuantity: fc.integer({ min: -1, max: 4 }),
    }),
    { maxLength: 25 },
  )
  const target = fc.record({ variant: fc.option(id), template: id, categories: fc.subarray([3, 2, 1]) })
  fc.assert(
    fc.property(rules, target, fc.integer({ min: -2, max: 5 }), (input, aim: Target, quantity) => {
      const all = input.map(({ level, about, minQuantity }, i) =>
        rule({
          id: i + 1,
          level,
          variant: about,
          template: about,
          category: about,
          categoryName: `/${about}`.repeat(about),
          minQuantity,
        }),
      )
      const naive = [...all]
        .sort(compareRules)
        .find((row) => concerns(row, aim) && (row.minQuantity === 0 || quantity >= row.minQuantity))
      assert.equal(new RuleIndex(all).find(aim, quantity)?.id, naive?.id)
    }),
  )
})
