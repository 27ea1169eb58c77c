// Taxes of one line: kinds, chains, prices that hold their taxes, reverse charges.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyDocument, included, line, tax } from '../../../../test/support/taxes.ts'
import { exact, toNumber } from './exact.ts'
import { computeLine, type TaxedLine } from './line.ts'

/** Untaxed, then amount and base of each tax, then the total. */
function amounts(input: TaxedLine) {
  const { untaxed, taxes, total } = computeLine(input)
  return [toNumber(untaxed), ...taxes.map((t) => [toNumber(t.amount), toNumber(t.base)]), toNumber(total)]
}

test('percent, division and money per unit, on top of the price and in it', () => {
  assert.deepEqual(amounts(line(80, 2, tax(1, 12.5))), [160, [20, 160], 180])
  assert.deepEqual(amounts(line(112.5, 2, tax(1, 12.5, included))), [200, [25, 200], 225])
  assert.deepEqual(amounts(line(75, 1, tax(1, 25, { amountType: 'division' }))), [75, [25, 75], 100])
  assert.deepEqual(amounts(line(100, 1, tax(1, 25, { amountType: 'division', ...included }))), [
    75,
    [25, 75],
    100,
  ])
  assert.deepEqual(amounts(line(3, 5, tax(1, 0.4, { amountType: 'fixed' }))), [15, [2, 15], 17])
  assert.deepEqual(amounts(line(3, 5, tax(1, 0.4, { amountType: 'fixed', ...included }))), [13, [2, 13], 15])
  assert.deepEqual(amounts(line(7, 3)), [21, 21])
})

test('a division by the whole price equals it, a percentage that takes the whole price leaves no base to tax', () => {
  assert.deepEqual(amounts(line(40, 1, tax(1, 100, { amountType: 'division' }))), [40, [40, 40], 80])
  assert.deepEqual(amounts(line(40, 1, tax(1, -100, included))), [40, [0, 40], 40])
})

test('money per unit follows the signs of price and quantity', () => {
  const eco = tax(1, 0.4, { amountType: 'fixed' })
  assert.deepEqual(amounts(line(3, -5, eco)), [-15, [-2, -15], -17])
  assert.deepEqual(amounts(line(-3, 5, eco)), [-15, [-2, -15], -17])
  assert.deepEqual(amounts(line(-3, -5, eco)), [15, [2, 15], 17])
  assert.deepEqual(amounts(line(0, 5, eco)), [0, [2, 0], 2])
})

test('a tax that joins the base raises later ones that accept it, and only those', () => {
  const first = tax(1, 10, { includeBaseAmount: true })
  assert.deepEqual(amounts(line(200, 1, first, tax(2, 5))), [200, [20, 200], [11, 220], 231])
  assert.deepEqual(amounts(line(200, 1, first, tax(2, 5, { isBaseAffected: false }))), [
    200,
    [20, 200],
    [10, 200],
    230,
  ])
  // Two that join and build on one another are no batch.
  assert.deepEqual(amounts(line(200, 1, first, { ...first, id: 2 })), [200, [20, 200], [22, 220], 242])
  assert.deepEqual(amounts(line(200, 1, first, { ...first, id: 2, isBaseAffected: false })), [
    200,
    [20, 200],
    [20, 200],
    240,
  ])
})

test('included taxes side by side share one base, and one that later taxes build on stays in theirs', () => {
  assert.deepEqual(amounts(line(125, 1, tax(1, 20, included), tax(2, 5, included))), [
    100,
    [20, 100],
    [5, 100],
    125,
  ])
  const inner = tax(1, 25, { ...included, includeBaseAmount: true })
  assert.deepEqual(amounts(line(125, 1, inner, tax(2, 8))), [100, [25, 100], [10, 125], 135])
  assert.deepEqual(amounts(line(125, 1, inner, tax(2, 8, { isBaseAffected: false }))), [
    100,
    [25, 100],
    [8, 100],
    133,
  ])
})

test('a reverse charge is owed and taken back; what joins the base or is in the price does so once', () => {
  const reversed = tax(1, 21, { hasNegativeFactor: true })
  assert.deepEqual(amounts(line(100, 1, reversed, tax(2, 10))), [100, [21, 100], [-21, 100], [10, 100], 110])
  const joining = { ...reversed, includeBaseAmount: true }
  assert.deepEqual(amounts(line(100, 1, joining, tax(2, 10))), [
    100,
    [21, 100],
    [-21, 100],
    [12.1, 121],
    112.1,
  ])
})

test('reverse charges: of an included one, the charge is a share of the whole price; later taxes see the rest', () => {
  const held = tax(2, 21, { hasNegativeFactor: true, ...included })
  assert.deepEqual(amounts(line(100, 1, held)), [100, [21, 100], [-21, 100], 100])
  assert.deepEqual(amounts(line(100, 1, tax(1, 10), held)), [79, [10, 79], [21, 100], [-21, 100], 89])
  assert.deepEqual(amounts(line(100, 1, { ...held, id: 1 }, tax(2, 10))), [
    100,
    [21, 100],
    [-21, 100],
    [7.9, 79],
    107.9,
  ])
})

test('reverse charges: an included one counts among the rates of its batch, and is computed on the whole price', () => {
  const held = tax(3, 12, { hasNegativeFactor: true, ...included })
  assert.deepEqual(amounts(line(147, 100, tax(1, 15, included), tax(2, 20, included), held)), [
    11200,
    [1500, 11200],
    [2000, 11200],
    [1764, 14700],
    [-1764, 14700],
    14700,
  ])
})

test('money per unit that is taken back is out of the price before shares of it are computed', () => {
  const held = tax(2, -0.5, { amountType: 'fixed', hasNegativeFactor: true, ...included })
  assert.deepEqual(amounts(line(14, 2, tax(1, 10), held)), [29, [2.9, 29], [-1, 28], [1, 28], 31.9])
})

test('divisions side by side are reckoned with together, taken back or not', () => {
  const division = tax(1, 50, { amountType: 'division', hasNegativeFactor: true, includeBaseAmount: true })
  assert.deepEqual(amounts(line(100, 1, division, tax(2, 10))), [
    100,
    [100, 100],
    [-100, 100],
    [20, 200],
    120,
  ])
})

test('a price discounted to nothing has no sign that money per unit could follow', () => {
  const eco = tax(1, 0.4, { amountType: 'fixed' })
  assert.deepEqual(amounts({ ...line(-3, 5, eco), discount: 100 }), [0, [2, 0], 2])
  assert.deepEqual(amounts({ ...line(-3, 5, eco), discount: 50 }), [-7.5, [-2, -7.5], -9.5])
})

test('priceMode: a price without taxes, or with all of them, overrides what the taxes say', () => {
  const taxes = [tax(1, 25, included), tax(2, 10)]
  assert.deepEqual(amounts({ priceUnit: 100, quantity: 1, taxes, priceMode: 'untaxed' }), [
    100,
    [25, 100],
    [10, 100],
    135,
  ])
  assert.deepEqual(amounts({ priceUnit: 135, quantity: 1, taxes, priceMode: 'total' }), [
    100,
    [25, 100],
    [10, 100],
    135,
  ])
})

test('rounding per line rounds the price, then each tax', () => {
  const inputLine = line(4.115, 3, tax(1, 9.25))
  const sums = ({ untaxed, total }: ReturnType<typeof computeLine>) => [toNumber(untaxed), toNumber(total)]
  assert.deepEqual(sums(computeLine(inputLine)), [12.345, 13.4869125])
  assert.deepEqual(sums(computeLine(inputLine, exact(0.01))), [12.35, 13.49])
})

/**
 * Taxes side by side, or each built on those before it. A mix of both is computed as recorded, from the
 * outside in, and has no way back; nor has what is owed and taken back: it is a share of the price that it is
 * in, with or without the other taxes.
 */
const alike = fc
  .boolean()
  .chain((includeBaseAmount) =>
    anyDocument(
      { amountType: 'percent', isBaseAffected: true, includeBaseAmount, hasNegativeFactor: false },
      1,
    ),
  )

test('what a total holds is what its untaxed amount makes again', () => {
  fc.assert(
    fc.property(alike, ([line]) => {
      const { taxes } = line as TaxedLine
      const put = computeLine({ ...(line as TaxedLine), priceMode: 'untaxed' })
      const taken = computeLine({ priceUnit: put.total, quantity: 1, taxes, priceMode: 'total' })
      assert.ok(
        taken.untaxed.minus(put.untaxed).abs().lessThan(1e-18),
        `${taken.untaxed} is not ${put.untaxed}`,
      )
      assert.ok(taken.total.minus(put.total).abs().lessThan(1e-18))
    }),
    { numRuns: 150 },
  )
})
