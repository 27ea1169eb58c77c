// Documents: what lines show, what they count for, and laws that hold whatever the taxes, the currency and
// the way of rounding. COMPTOIR_TEST_DOCUMENTS says over how many.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { documents } from '../../../../test/properties/holds.ts'
import { anyDocument, anyMethod, anyStep, included, line, tax } from '../../../../test/support/taxes.ts'
import { type DocumentTotals, documentTotals } from './document.ts'
import { exact, roundTo, toNumber, total } from './exact.ts'
import { computeLine, priceOf, type TaxedLine } from './line.ts'

const cents = { rounding: 0.01, method: 'round_globally' } as const
const sums = ({ untaxed, tax: taxes, total: sum }: DocumentTotals) => [untaxed, taxes, sum]
const add = (values: readonly number[]) => toNumber(total(values.map(exact)))
const runs = { numRuns: documents(150) }

test('globally a tax is rounded once, per line on every line; a line shows the same either way', () => {
  const lines = Array.from({ length: 7 }, () => line(0.43, 1, tax(1, 6.6)))
  const globally = documentTotals(lines, cents)
  const perLine = documentTotals(lines, { ...cents, method: 'round_per_line' })
  assert.deepEqual(sums(globally), [3.01, 0.2, 3.21])
  assert.deepEqual(sums(perLine), [3.01, 0.21, 3.22])
  for (const { lines: shown } of [globally, perLine])
    assert.deepEqual([shown[0]?.untaxed, shown[0]?.tax, shown[0]?.total], [0.43, 0.03, 0.46])
  assert.deepEqual(
    globally.lines.map((l) => l.settled.taxes[0]?.amount),
    [0.02, 0.03, 0.03, 0.03, 0.03, 0.03, 0.03],
  )
})

test('when all prices hold their taxes the sum of prices is kept; one that does not and the untaxed amount is', () => {
  const held = [
    line(3.33, 1, tax(1, 17, included)),
    line(3.33, 1, tax(1, 17, included)),
    line(3.33, 1, tax(1, 17, included)),
  ]
  assert.deepEqual(sums(documentTotals(held, cents)), [8.54, 1.45, 9.99])
  const mixed = documentTotals([...held, line(1, 1, tax(2, 5))], cents)
  assert.deepEqual(sums(mixed), [9.54, 1.5, 11.04])
})

test('exact half cents go away from zero, where binary fractions fall below the half', () => {
  const of = (price: number, rate: number, quantity = 1) =>
    sums(documentTotals([line(price, quantity, tax(1, rate))], cents))
  assert.deepEqual(of(1.005, 0), [1.01, 0, 1.01])
  assert.deepEqual(of(2.9, 5), [2.9, 0.15, 3.05])
  assert.deepEqual(of(-2.9, 5), [-2.9, -0.15, -3.05])
  assert.deepEqual(of(0.145, 10, 7), [1.02, 0.1, 1.12])
})

test('the base of a tax that prices hold is what the tax leaves of base and tax together', () => {
  const [computed] = documentTotals([line(9.99, 3, tax(1, 20, included))], cents).taxes
  assert.deepEqual([computed?.base, computed?.amount], [24.97, 5])
  const reversed = tax(1, 33.33, { ...included, hasNegativeFactor: true })
  const taken = documentTotals([line(15.9246, 1, reversed), line(134.4419, 1, reversed)], cents)
  assert.deepEqual(
    taken.taxes.map((t) => [t.base, t.amount]),
    [
      [150.37, 50.12],
      [150.37, -50.12],
    ],
  )
})

test('tax documents: with a reverse charge, the untaxed amount is kept, not the sum of prices', () => {
  const held = [
    tax(1, 15, included),
    tax(2, 20, included),
    tax(3, 12, { ...included, hasNegativeFactor: true }),
  ]
  const lines = [line(3323.73913, 1, ...held), line(127.45277, 1)]
  assert.deepEqual(sums(documentTotals(lines, cents)), [2659.83, 791.37, 3451.2])
})

test('totals by tax and by group; a line with two taxes of a group counts once for its base', () => {
  const [a, b] = [tax(1, 10, { taxGroupId: 7 }), tax(2, 5, { taxGroupId: 7 })]
  const { taxes, groups } = documentTotals([line(100, 1, a, b), line(50, 2, a), line(9, 1)], cents)
  assert.deepEqual(
    taxes.map((t) => [t.taxId, t.base, t.amount, t.reverseCharge]),
    [
      [1, 200, 20, false],
      [2, 100, 5, false],
    ],
  )
  assert.deepEqual(groups, [{ taxGroupId: 7, base: 200, amount: 25 }])
})

test('an empty document is nothing, and numbers that are none are refused', () => {
  assert.deepEqual(sums(documentTotals([], cents)), [0, 0, 0])
  assert.throws(() => documentTotals([line(Number.NaN, 1)], cents), RangeError)
  assert.throws(() => documentTotals([line(1, 1)], { ...cents, rounding: 0 }), RangeError)
})

test('everything adds up, to the step: lines, taxes and groups to the totals, in every currency', () => {
  fc.assert(
    fc.property(anyDocument(), anyStep, anyMethod, (lines, rounding, method) => {
      const totals = documentTotals(lines, { rounding, method })
      const parts = totals.lines.flatMap((l) => l.settled.taxes.map((t) => t.amount))
      assert.equal(add([totals.untaxed, totals.tax]), totals.total)
      assert.equal(add(totals.lines.map((l) => l.settled.untaxed)), totals.untaxed)
      assert.equal(add(parts), totals.tax)
      assert.equal(add(totals.taxes.map((t) => t.amount)), totals.tax)
      assert.equal(add(totals.groups.map((g) => g.amount)), totals.tax)
      for (const l of totals.lines) assert.equal(add([l.untaxed, l.tax]), l.total)
      for (const amount of [totals.untaxed, totals.total, ...parts]) {
        assert.ok(
          exact(amount).div(exact(rounding)).decimalPlaces() === 0,
          `${amount} is no multiple of ${rounding}`,
        )
      }
    }),
    runs,
  )
})

test('a line that is split, or lines that are merged, make no difference when rounding globally', () => {
  const split = ({ quantity, ...rest }: TaxedLine, share: number): TaxedLine[] => {
    const part = roundTo(exact(quantity).times(share), exact(0.001))
    return [
      { ...rest, quantity: part },
      { ...rest, quantity: exact(quantity).minus(part) },
    ]
  }
  fc.assert(
    fc.property(anyDocument(), anyStep, fc.integer({ min: 0, max: 100 }), (lines, rounding, percent) => {
      const whole = documentTotals(lines, { ...cents, rounding })
      const parts = documentTotals(
        lines.flatMap((line) => split(line, percent / 100)),
        { ...cents, rounding },
      )
      assert.deepEqual(sums(parts), sums(whole))
      assert.deepEqual(
        parts.taxes.map((t) => [t.taxId, t.amount]),
        whole.taxes.map((t) => [t.taxId, t.amount]),
      )
    }),
    runs,
  )
})

test('the order of lines makes no difference, and what is sold and given back is nothing', () => {
  const turned = (lines: readonly TaxedLine[]) =>
    lines.map((line) => ({ ...line, quantity: -Number(line.quantity) }))
  fc.assert(
    fc.property(anyDocument(), anyStep, anyMethod, (lines, rounding, method) => {
      const how = { rounding, method }
      const totals = documentTotals(lines, how)
      assert.deepEqual(sums(documentTotals(lines.toReversed(), how)), sums(totals))
      assert.deepEqual(
        sums(documentTotals(turned(lines), how)),
        sums(totals).map((n) => -n + 0),
      )
      assert.deepEqual(sums(documentTotals([...lines, ...turned(lines)], how)), [0, 0, 0])
    }),
    runs,
  )
})

test('one price for tax in it and tax on it', () => {
  fc.assert(
    fc.property(
      anyDocument({ amountType: 'percent', priceInclude: false, isBaseAffected: true }, 1),
      anyStep,
      ([line], rounding) => {
        const { taxes, ...rest } = line as TaxedLine
        const on = computeLine({ ...rest, taxes })
        // The chain as a price holds it: taxes on taxes need the same order from the outside in.
        const chain = taxes.every((t) => !t.includeBaseAmount && !t.hasNegativeFactor)
        fc.pre(chain)
        const holds = documentTotals(
          [{ priceUnit: on.total, quantity: 1, taxes: taxes.map((t) => ({ ...t, priceInclude: true })) }],
          {
            rounding,
            method: 'round_globally',
          },
        )
        const apart = documentTotals([{ ...rest, taxes }], { rounding, method: 'round_globally' })
        assert.equal(holds.tax, apart.tax)
        assert.equal(holds.total, taxes.length ? toNumber(roundTo(on.total, exact(rounding))) : apart.total)
      },
    ),
    runs,
  )
})

test('prices that hold all their taxes are paid to the step, and the ways of rounding differ by little', () => {
  fc.assert(
    fc.property(anyDocument({ priceInclude: true, hasNegativeFactor: false }), anyStep, (lines, rounding) => {
      const step = exact(rounding)
      const taxed = lines.filter((line) => line.taxes.length)
      fc.pre(taxed.length > 0)
      const globally = documentTotals(lines, { rounding, method: 'round_globally' })
      assert.equal(globally.total, toNumber(roundTo(total(lines.map(priceOf)), step)))
      const perLine = documentTotals(lines, { rounding, method: 'round_per_line' })
      assert.equal(perLine.total, toNumber(total(lines.map((line) => roundTo(priceOf(line), step)))))
    }),
    runs,
  )
  fc.assert(
    fc.property(
      anyDocument({ amountType: 'percent', priceInclude: false, includeBaseAmount: false }),
      anyStep,
      (lines, rounding) => {
        const taxes = lines.reduce((count, line) => count + line.taxes.length, 0)
        const [a, b] = (['round_globally', 'round_per_line'] as const).map((method) =>
          documentTotals(lines, { rounding, method }),
        )
        const apart = Math.abs((a as DocumentTotals).tax - (b as DocumentTotals).tax)
        assert.ok(apart <= rounding * (taxes + 1) * 1.0001, `${apart} apart with ${taxes} taxes`)
      },
    ),
    runs,
  )
})

test('a tax that prices hold is rounded apart from what lowers it on top; on top of all prices it is rounded once', () => {
  const amounts = (lines: readonly TaxedLine[], rounding: number) =>
    new Map(documentTotals(lines, { ...cents, rounding }).taxes.map((tax) => [tax.taxId, tax.amount]))
  const lowering = (lines: readonly TaxedLine[], percent: number) =>
    lines.map(
      (line): TaxedLine => ({
        ...line,
        priceUnit: exact(line.priceUnit).times(-percent).div(100),
        priceMode: 'untaxed',
      }),
    )
  const percent = fc.integer({ min: 1, max: 100 })
  fc.assert(
    fc.property(
      anyDocument({ priceInclude: true, hasNegativeFactor: false }),
      anyStep,
      percent,
      (lines, rounding, share) => {
        const lowered = lowering(lines, share)
        const [all, held, off] = [[...lines, ...lowered], lines, lowered].map((some) =>
          amounts(some, rounding),
        )
        for (const [id, amount] of all ?? [])
          assert.equal(amount, add([held?.get(id) ?? 0, off?.get(id) ?? 0]), `tax ${id}`)
      },
    ),
    runs,
  )
  fc.assert(
    fc.property(
      anyDocument({ priceInclude: false, hasNegativeFactor: false }),
      anyStep,
      percent,
      (lines, rounding, share) => {
        const all = [...lines, ...lowering(lines, share)]
        const exactly = (id: number) =>
          total(
            all.flatMap((row) => computeLine(row).taxes.flatMap((t) => (t.tax.id === id ? t.amount : []))),
          )
        for (const [id, amount] of amounts(all, rounding))
          assert.equal(amount, toNumber(roundTo(exactly(id), exact(rounding))), `tax ${id}`)
      },
    ),
    runs,
  )
})
