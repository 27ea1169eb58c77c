// Small decimals and those of decimal.js have the same digits, whatever is reckoned.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decimal as Plain } from 'decimal.js'
import fc from 'fast-check'
import { Decimal } from './decimal.ts'

const Large = Plain.clone({ precision: 32, rounding: Plain.ROUND_HALF_UP })

/** Amounts as people write them, factors, percentages, and numbers that are none of these. */
const number = fc.oneof(
  fc.integer({ min: -1e6, max: 1e6 }).map((cents) => cents / 100),
  fc.integer({ min: -1e4, max: 1e4 }),
  fc.integer({ min: -1e9, max: 1e9 }).map((parts) => parts / 1e6),
  fc.constantFrom(0, 1, -1, 0.01, 0.05, 10, 1.21, 0.21, 1e-7, 2 ** 53, -(2 ** 60), 1e15, 123456789012345.6),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)

const steps = fc.array(
  fc.tuple(fc.constantFrom('plus', 'minus', 'times', 'div', 'places', 'negated', 'abs'), number),
  { maxLength: 8 },
)

const digits = (value: { toString(): string }) => value.toString().replace(/^-0$/, '0')

test('whatever is reckoned, digits, places and order are those of decimal.js', () => {
  fc.assert(
    fc.property(number, steps, (first, all) => {
      let [own, theirs] = [Decimal.of(first), new Large(first)]
      for (const [step, by] of all) {
        if (step === 'div' && by === 0) continue
        if (step === 'places') {
          const places = Math.abs(Math.trunc(by)) % 17
          ;[own, theirs] = [own.toDecimalPlaces(places), theirs.toDecimalPlaces(places)]
        } else if (step === 'negated' || step === 'abs') [own, theirs] = [own[step](), theirs[step]()]
        else {
          const method = step as 'plus' | 'minus' | 'times' | 'div'
          ;[own, theirs] = [own[method](by), theirs[method](by)]
        }
        assert.equal(digits(own), digits(theirs), `${first} ${JSON.stringify(all)}`)
        assert.equal(own.toNumber() + 0, theirs.toNumber() + 0)
        assert.equal(own.decimalPlaces(), theirs.decimalPlaces())
        assert.equal(own.comparedTo(by), theirs.comparedTo(by) + 0)
        assert.equal(own.isZero(), theirs.isZero())
        assert.equal(digits(own.floor()), digits(theirs.floor()))
        assert.equal(digits(own.ceil()), digits(theirs.ceil()))
      }
    }),
    { numRuns: 3000 },
  )
})

test('halves are rounded away from zero', () => {
  for (const [value, places, wanted] of [
    [1.005, 2, 1.01],
    [-1.005, 2, -1.01],
    [0.004, 2, 0],
    [2.5, 0, 3],
    [-2.5, 0, -3],
  ] as const)
    assert.equal(Decimal.of(value).toDecimalPlaces(places).toNumber() + 0, wanted)
})
