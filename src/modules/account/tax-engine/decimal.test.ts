// Decimals come to what decimal.js makes of the same numbers, few digits or many.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Decimal as Plain } from 'decimal.js'
import { Decimal } from './decimal.ts'

const Big = Plain.clone({ precision: 32, rounding: Plain.ROUND_HALF_UP })
type Op = 'plus' | 'minus' | 'times' | 'div'

/** Chance with a seed (mulberry32). */
function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const edges = [
  0,
  -0,
  1,
  -1,
  0.1,
  0.05,
  0.005,
  1.005,
  2.675,
  0.1 + 0.2,
  1e15,
  1e15 + 0.5,
  1e-7,
  1e-16,
  1e21,
  2 ** 53 - 1,
  -(2 ** 53 - 1),
  2 ** 53,
  999_999_999_999_999.9,
  123_456_789.123_456_7,
  1 / 3,
  5e-324,
  1.7e308,
]

function numberBy(random: () => number): number {
  const kind = random()
  if (kind < 0.15) return edges[Math.floor(random() * edges.length)] ?? 0
  if (kind < 0.25) return random() * 10 ** Math.floor(random() * 20 - 5)
  const units = Math.round((random() - 0.5) * 10 ** Math.floor(random() * 9))
  return Number(`${units}e-${Math.floor(random() * 6)}`)
}

const alike = (decimal: Decimal, big: Plain, what: string) => {
  assert.equal(decimal.toString(), new Big(big.toString() === '-0' ? 0 : big).toString(), what)
  assert.ok(Object.is(decimal.toNumber() + 0, big.toNumber() + 0), what)
  assert.equal(decimal.isZero(), big.isZero(), what)
  if (!big.isZero()) assert.equal(decimal.isNegative(), big.isNegative(), what)
  assert.equal(decimal.decimalPlaces(), big.decimalPlaces(), what)
}

test('arithmetic by chance, in chains', () => {
  const random = chance(7)
  for (let n = 0; n < 20_000; n++) {
    const first = numberBy(random)
    let [decimal, big] = [Decimal.of(first), new Big(first)]
    let what = String(first)
    for (let step = 0; step < 5; step++) {
      const by = numberBy(random)
      const op = (['plus', 'minus', 'times', 'div'] as const)[Math.floor(random() * 4)] as Op
      if (op === 'div' && by === 0) continue
      what += ` ${op} ${by}`
      ;[decimal, big] = [decimal[op](random() < 0.5 ? by : Decimal.of(by)), big[op](by)]
      alike(decimal, big, what)
      const other = numberBy(random)
      assert.equal(decimal.comparedTo(other), big.comparedTo(other) + 0, `${what} beside ${other}`)
      if (random() < 0.5) continue
      const places = Math.floor(random() * 6)
      what += ` to ${places}`
      ;[decimal, big] = [decimal.toDecimalPlaces(places), big.toDecimalPlaces(places)]
      alike(decimal, big, what)
      assert.equal(decimal.hasMoreThan(2), big.decimalPlaces() > 2, what)
    }
    alike(decimal.abs(), big.abs(), what)
    alike(decimal.negated(), big.negated(), what)
    alike(decimal.ceil(), big.ceil(), `ceil ${what}`)
    alike(decimal.floor(), big.floor(), `floor ${what}`)
    alike(decimal.round(), big.round(), `round ${what}`)
  }
})

test('numbers are what they show when printed', () => {
  const random = chance(11)
  for (let n = 0; n < 50_000; n++) {
    const value = numberBy(random) * (random() < 0.3 ? numberBy(random) : 1)
    if (Number.isFinite(value)) alike(Decimal.of(value), new Big(value), String(value))
  }
  for (const value of edges) alike(Decimal.of(value), new Big(value), String(value))
  for (const none of [Number.NaN, Number.POSITIVE_INFINITY])
    assert.throws(() => Decimal.of(none), { name: 'RangeError', message: `Cannot count with ${none}.` })
})

test('halves round away from zero', () => {
  for (const [value, places, expected] of [
    [1.005, 2, 1.01],
    [-1.005, 2, -1.01],
    [0.5, 0, 1],
    [-0.5, 0, -1],
    [0.4999, 0, 0],
    [2.675, 2, 2.68],
  ] as const)
    assert.equal(Decimal.of(value).toDecimalPlaces(places).toNumber() + 0, expected)
})
