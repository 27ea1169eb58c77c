// Whole numbers: casts, the range of 32 bits, refusals.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundTrip, sample, storeSample } from '../../../test/support/sample-fields.ts'
import { InvalidValue } from '../../errors.ts'

test('numbers, digits and booleans are taken, fractions cut, unset is 0', () => {
  const cases: [unknown, number][] = [
    ['7', 7],
    [' -7 ', -7],
    ['+7', 7],
    [3.9, 3],
    [-3.9, -3],
    [-0.5, 0],
    [true, 1],
    [false, 0],
    [null, 0],
    ['', 0],
    [2147483647, 2147483647],
    [-2147483648, -2147483648],
    [2147483647.9, 2147483647],
  ]
  for (const [input, expected] of cases)
    assert.ok(Object.is(storeSample(sample('integer'), input), expected), JSON.stringify(input))
})

test('other text, lists and numbers outside the range are refused', () => {
  for (const value of [
    'x',
    '3.9',
    '1e3',
    '0x10',
    ' ',
    [1],
    [],
    {},
    2147483648,
    -2147483649,
    '9'.repeat(400),
    Number.POSITIVE_INFINITY,
  ]) {
    assert.throws(() => storeSample(sample('integer'), value), InvalidValue, JSON.stringify(value))
  }
})

test('an integer field that was never set reads as 0', () => {
  assert.equal(sample('integer').type.fromColumn(sample('integer'), null), 0)
  assert.equal(roundTrip(sample('integer'), null), 0)
  assert.equal(roundTrip(sample('integer'), 5), 5)
})
