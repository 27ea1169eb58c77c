// Rounding: examples that binary fractions get wrong, and properties against exact whole-number arithmetic.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  addDecimals,
  asDecimal,
  decimalsOf,
  roundAsWritten,
  roundHalfUp,
  roundToScale,
  roundUpToScale,
} from './rounding.ts'

test('halves go away from zero, as decimals and not as binary fractions', () => {
  const cases: [number, number, number][] = [
    [1.005, 2, 1.01],
    [-1.005, 2, -1.01],
    [2.675, 2, 2.68],
    [0.5, 0, 1],
    [-0.5, 0, -1],
    [2.5, 0, 3],
    [1.0049, 2, 1],
    [1.23456789012, 7, 1.2345679],
    [0.000001, 2, 0],
    [1e21, 2, 1e21],
    [12345678901234.56, 2, 12345678901234.56],
    [8.1 * 1.15, 3, 9.315],
    [1.1 * 1.05, 2, 1.16],
    [Number.NaN, 2, Number.NaN],
  ]
  for (const [value, scale, expected] of cases)
    assert.equal(roundToScale(value, scale), expected, `${value} to ${scale}`)
})

test('a negative zero never comes out', () => {
  for (const value of [-0, -0.001]) assert.ok(Object.is(roundToScale(value, 2), 0))
  assert.ok(Object.is(roundHalfUp(-0.01, 0.05), 0))
})

test('rounding agrees with exact arithmetic on whole numbers', () => {
  const decimal = fc.record({
    units: fc.integer({ min: -1e11, max: 1e11 }),
    scale: fc.integer({ min: 0, max: 6 }),
    more: fc.integer({ min: 0, max: 3 }),
  })
  fc.assert(
    fc.property(decimal, ({ units, scale, more }) => {
      const factor = 10n ** BigInt(more)
      const size = BigInt(Math.abs(units))
      const kept = (size + factor / 2n) / factor
      const exact = more === 0 ? size : kept
      const expected = Number(`${units < 0 ? '-' : ''}${exact}e-${scale}`) + 0
      assert.equal(roundToScale(Number(`${units}e-${scale + more}`), scale), expected)
    }),
  )
})

test('rounding twice changes nothing, and never moves further than half a step', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -1e12, max: 1e12, noNaN: true }),
      fc.integer({ min: 0, max: 8 }),
      (value, scale) => {
        const once = roundToScale(value, scale)
        assert.equal(roundToScale(once, scale), once)
        assert.ok(Math.abs(once - value) <= 0.5 * 10 ** -scale + Math.abs(value) * 1e-15)
      },
    ),
  )
})

test('currencies round to any step, and take decimal text', () => {
  const cases: [number | string, number, number][] = [
    [12.345, 0.01, 12.35],
    ['12.345', 0.01, 12.35],
    [-12.345, 0.01, -12.35],
    [1.025, 0.05, 1.05],
    [1.02, 0.05, 1],
    [0.15, 0.1, 0.2],
    [1499, 1000, 1000],
    [1500, 1000, 2000],
    [7.5, 5, 10],
    [3.1234, 0.001, 3.123],
    [0.3, 0.1, 0.3],
  ]
  for (const [value, step, expected] of cases)
    assert.equal(roundHalfUp(value, step), expected, `${value} to ${step}`)
  for (const step of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
    assert.throws(() => roundHalfUp(1, step), RangeError)
})

test('multiples of a step stay what they are', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: -1e9, max: 1e9 }),
      fc.constantFrom(0.01, 0.05, 0.001, 0.25, 1, 5, 10, 1000),
      (count, step) => {
        const multiple = Number((count * step).toFixed(decimalsOf(step))) + 0
        assert.equal(roundHalfUp(multiple, step), multiple)
      },
    ),
  )
})

test('by the decimals that are written, a half goes away from zero, and nothing is forgiven', () => {
  const cases: [number, number, number | null][] = [
    [1.005, 2, 1.01],
    [-1.005, 2, -1.01],
    [8.004999999999999, 2, 8],
    [2.5, 0, 3],
    [0.004, 2, 0],
    [-0.004, 2, 0],
    [123456789012.345, 2, 123456789012.35],
    [5, 2, 5],
    [1e-7, 2, null],
    [1e21, 2, null],
    [Number.NaN, 2, null],
  ]
  for (const [value, scale, expected] of cases)
    assert.ok(Object.is(roundAsWritten(value, scale), expected), `${value} to ${scale} decimals`)
  fc.assert(
    fc.property(fc.integer({ min: -1e12, max: 1e12 }), fc.integer({ min: 0, max: 3 }), (units, more) => {
      const step = 10n ** BigInt(more)
      const half = step / 2n
      const whole = BigInt(Math.abs(units))
      const kept = Number((whole + half) / step) * Math.sign(units)
      assert.equal(roundAsWritten(Number(`${units}e-${2 + more}`), 2), Number(`${kept}e-2`) + 0)
    }),
  )
})

test('decimals are counted, exponents included', () => {
  assert.deepEqual([0.05, 10, 1e-7, 2.5e-7, 0.001, 1e21].map(decimalsOf), [2, 0, 7, 8, 3, 0])
})

test('products and quotients of decimals are the decimals that people expect', () => {
  const cases: [number, number][] = [
    [0.35 * 24, 8.4],
    [24 * 0.7, 16.8],
    [addDecimals(0.1, 0.2), 0.3],
    [addDecimals(0, 0), 0],
    [addDecimals(1e300, 1), 1e300],
    [1.1 * 1.1, 1.21],
    [9.9 / 6, 1.65],
    [1 / 3, 0.333333333333333],
    [-0, 0],
    [1e300, 1e300],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
  ]
  for (const [value, expected] of cases) assert.ok(Object.is(asDecimal(value), expected), `${value}`)
  const decimal = fc.integer({ min: -1e6, max: 1e6 })
  fc.assert(
    fc.property(decimal, decimal, (a, b) => {
      // Thousandths times thousandths are millionths: whole numbers say what the product is.
      assert.equal(asDecimal((a / 1000) * (b / 1000)), Number(`${a * b}e-6`) + 0)
      assert.equal(addDecimals(a / 1000, b / 1000), Number(`${a + b}e-3`) + 0)
    }),
  )
})

test('rounding up goes to the next step away from zero, and stays where arithmetic alone went beyond one', () => {
  const cases: [number, number, number][] = [
    [1.001, 2, 1.01],
    [-1.001, 2, -1.01],
    [3.0000000000000004, 2, 3],
    [(0.1 + 0.2) * 10, 0, 3],
    [1.1 * 3, 1, 3.3],
    [0, 2, 0],
    [2, 0, 2],
    [0.0001, 2, 0.01],
  ]
  for (const [value, scale, expected] of cases)
    assert.equal(roundUpToScale(value, scale), expected, `${value} to ${scale}`)
  fc.assert(
    fc.property(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 0, max: 4 }), (units, scale) => {
      const factor = 10 ** (4 - scale)
      const up = Math.sign(units) * Math.ceil(Math.abs(units) / factor)
      assert.equal(roundUpToScale(units / 1e4, scale), Number(`${up}e-${scale}`) + 0)
    }),
  )
})
