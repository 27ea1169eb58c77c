// Numbers with a fraction: casts, digits, refusals.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundTrip, sample, storeSample } from '../../../test/support/sample-fields.ts'
import { InvalidValue } from '../../errors.ts'

test('numbers and numeric text are taken', () => {
  const cases: [unknown, number][] = [
    ['12.25', 12.25],
    [' -.5 ', -0.5],
    ['1e3', 1000],
    ['5.', 5],
    [1, 1],
    [1.23456789, 1.23456789],
    [null, 0],
    [false, 0],
    ['', 0],
    [true, 1],
    [-0, 0],
  ]
  for (const [input, expected] of cases)
    assert.ok(Object.is(storeSample(sample('float'), input), expected), JSON.stringify(input))
})

test('digits round half away from zero on the decimal text', () => {
  const two = sample('float', { digits: [16, 2] })
  assert.equal(storeSample(two, 1.005), 1.01)
  assert.equal(storeSample(two, '-1.005'), -1.01)
  assert.equal(storeSample(two, 1.004), 1)
  assert.equal(storeSample(sample('float', { digits: [10, 7] }), 1.23456789012), 1.2345679)
})

test('what is not a finite number is refused', () => {
  for (const value of [
    'x',
    '1,5',
    'NaN',
    'Infinity',
    '1e999',
    '0x1',
    '1_000',
    '.',
    Number.NaN,
    Number.NEGATIVE_INFINITY,
    [1.5],
    {},
  ]) {
    assert.throws(() => storeSample(sample('float'), value), InvalidValue, JSON.stringify(value))
  }
})

test('the column is exact only with digits; never set reads as 0', () => {
  assert.equal(sample('float').type.columnType(sample('float')), 'float8')
  const exact = sample('float', { digits: [16, 2] })
  assert.equal(exact.type.columnType(exact), 'numeric')
  assert.equal(roundTrip(exact, null), 0)
})
