// Moments: UTC text to the second, no zones, no fractions.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { roundTrip, sample, storeSample } from '../../../test/support/sample-fields.ts'
import { InvalidValue } from '../../errors.ts'

const field = sample('datetime')

test('moments may lack seconds or the time', () => {
  const cases: [unknown, unknown][] = [
    ['2031-02-03 04:05:06', '2031-02-03 04:05:06'],
    ['2031-02-03 04:05', '2031-02-03 04:05:00'],
    ['2031-02-04', '2031-02-04 00:00:00'],
    ['2024-02-29 23:59:59', '2024-02-29 23:59:59'],
    [false, null],
    [null, null],
    ['', null],
  ]
  for (const [input, expected] of cases)
    assert.equal(storeSample(field, input), expected, JSON.stringify(input))
})

test('other spellings, zones, fractions and impossible times are refused', () => {
  const refused = [
    '2031-02-03T04:05:06',
    '2031-02-03 04:05:06.789',
    '2031-02-03 25:00:00',
    '2031-02-03 24:00:00',
    '2031-02-03 04:60:00',
    '2031-02-03 04:05:60',
    '2031-02-03T04:05:06Z',
    '2031-02-03 04:05:06+02:00',
    '2031-02-30 00:00:00',
    '2031-02-03 04',
    'now',
    '2031-02-03 4:05:06',
    '2031-02-03T04:05',
  ]
  for (const value of [...refused, 1234567890, true, [], {}])
    assert.throws(() => storeSample(field, value), InvalidValue, JSON.stringify(value))
})

test('a datetime field keeps every moment it takes', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
      (moment) => {
        const text = moment.toISOString().slice(0, 19).replace('T', ' ')
        assert.equal(storeSample(field, text), text)
        assert.equal(roundTrip(field, `${text}.123456`), text)
      },
    ),
  )
})

test('unset is null in code and false on the wire', () => {
  assert.equal(field.type.fromColumn(field, null), null)
  assert.equal(roundTrip(field, null), false)
})
