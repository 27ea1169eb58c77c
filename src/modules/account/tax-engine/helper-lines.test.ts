// Helper lines: what is asked for is reached to the cent, and what was billed is what is deducted.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { tax } from '../../../../test/support/taxes.ts'
import { documentTotals, type RoundingMethod } from './document.ts'
import { exact, toNumber } from './exact.ts'
import { fixedFor, fixedOf, type HelperLine, helperLines } from './helper-lines.ts'
import type { TaxedLine } from './line.ts'
import type { Tax } from './tax.ts'

const [ten, within, eco] = [
  tax(1, 10),
  tax(2, 21, { priceInclude: true }),
  tax(3, 1, { amountType: 'fixed' }),
] as const
const sets = [[ten], [within], [ten, within], [eco, ten], [eco, within]] as const

const cents = (most: number) => fc.integer({ min: 1, max: most }).map((n) => n / 100)
const line = (taxes: fc.Arbitrary<readonly Tax[]>): fc.Arbitrary<TaxedLine> =>
  fc.record({
    priceUnit: cents(20000),
    quantity: fc.constantFrom(1, 2, 3, 7, 2.5),
    discount: fc.constantFrom(0, 0, 5, 33.33),
    taxes,
  })
const lines = fc.array(line(fc.constantFrom(...sets)), { minLength: 1, maxLength: 5 })
const linesOfAllKinds = fc.array(line(fc.constantFrom(...sets, [])), { minLength: 1, maxLength: 5 })
const methods = fc.constantFrom<RoundingMethod>('round_globally', 'round_per_line')

/** Helper lines as lines of a document, `quantity` of each. */
const asLines = (helpers: readonly HelperLine[], all: readonly TaxedLine[], quantity: number): TaxedLine[] =>
  helpers.map(({ priceUnit, fixed, first }) => ({
    priceUnit,
    quantity,
    taxes: (all[first]?.taxes ?? []).filter((tax) => tax.amountType !== 'fixed'),
    fixed: fixedFor(fixedOf(JSON.parse(JSON.stringify(fixed))), { priceUnit, quantity, discount: 0 }),
  }))
const sum = (...amounts: number[]) => toNumber(amounts.reduce((all, amount) => all.plus(amount), exact(0)))

test('a requested sum is reached to the cent, whatever taxes the lines have', () =>
  fc.assert(
    fc.property(lines, methods, cents(9000), (all, method, discounts) => {
      const rounding = { rounding: 0.01, method }
      const helpers = asLines(helperLines(all, { sum: discounts }, rounding), all, 1)
      assert.equal(documentTotals(helpers, rounding).total, discounts)
    }),
    { numRuns: 200 },
  ))

test('a discount of the whole leaves nothing but the taxes for each piece', () =>
  fc.assert(
    fc.property(lines, methods, (all, method) => {
      const rounding = { rounding: 0.01, method }
      const discounts = asLines(helperLines(all, { share: -1 }, rounding), all, 1)
      const before = documentTotals(all, rounding)
      const perPiece = before.taxes.filter(({ taxId }) => taxId === eco.id).map(({ amount }) => amount)
      assert.equal(documentTotals([...all, ...discounts], rounding).total, sum(...perPiece))
    }),
    { numRuns: 200 },
  ))

test('deposits and the final invoice come to the order, for any split', () =>
  fc.assert(
    fc.property(
      linesOfAllKinds,
      methods,
      fc.array(cents(45), { minLength: 1, maxLength: 3 }),
      (all, method, split) => {
        const rounding = { rounding: 0.01, method }
        const deposits = split.map((share) => helperLines(all, { share }, rounding))
        const billed = deposits.map((deposit) => documentTotals(asLines(deposit, all, 1), rounding).total)
        const deductions = deposits.flatMap((deposit) => asLines(deposit, all, -1))
        const final = documentTotals([...all, ...deductions], rounding).total
        assert.equal(sum(final, ...billed), documentTotals(all, rounding).total)
      },
    ),
    { numRuns: 200 },
  ))

test('amounts count no more once the price or the quantity of a helper line changed', () => {
  const [helper] = helperLines(
    [{ priceUnit: 74.34, quantity: 1, taxes: [ten, within] }],
    { share: 0.5 },
    {
      rounding: 0.01,
      method: 'round_globally',
    },
  )
  assert.ok(helper)
  const { priceUnit, fixed } = helper
  assert.ok(fixedFor(fixed, { priceUnit, quantity: -1, discount: 0 }))
  assert.equal(fixedFor(fixed, { priceUnit: priceUnit + 1, quantity: 1, discount: 0 }), null)
  assert.equal(fixedFor(fixed, { priceUnit, quantity: 2, discount: 0 }), null)
  assert.equal(fixedFor(fixed, { priceUnit, quantity: 1, discount: 5 }), null)
})
