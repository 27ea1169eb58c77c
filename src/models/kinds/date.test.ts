// Days: ISO text, longer text cut, nothing else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { roundTrip, sample, storeSample } from '../../../test/support/sample-fields.ts'
import { InvalidValue } from '../../errors.ts'

const field = sample('date')

test('days and longer ISO text are taken', () => {
  const cases: [unknown, unknown][] = [
    ['2024-02-15', '2024-02-15'],
    ['2024-02-16 23:30:00', '2024-02-16'],
    ['2024-02-17T10:00:00', '2024-02-17'],
    ['2024-02-17T10:00:00.123Z', '2024-02-17'],
    ['2024-02-17T10:00:00+02:00', '2024-02-17'],
    ['2024-02-29', '2024-02-29'],
    ['0001-01-01', '0001-01-01'],
    ['9999-12-31', '9999-12-31'],
    ['', null],
    [false, null],
    [null, null],
  ]
  for (const [input, expected] of cases)
    assert.equal(storeSample(field, input), expected, JSON.stringify(input))
})

test('impossible days and other values are refused', () => {
  const refused = [
    '2024-02-30',
    '2023-02-29',
    '1900-02-29',
    '2024-13-01',
    '2024-00-10',
    '2024-01-00',
    '0000-01-01',
    '17/02/2024',
    'soon',
    'today',
    '2024-2-5',
    '20240217',
    '2024-02-17x',
    ' 2024-02-17',
    '-2024-02-17',
    '2024-02-17 noon',
  ]
  for (const value of [...refused, 20240217, true, [], ['2024-02-17'], {}])
    assert.throws(() => storeSample(field, value), InvalidValue, JSON.stringify(value))
})

test('a day is taken exactly when the calendar has it', () => {
  const parts = fc.tuple(
    fc.integer({ min: 0, max: 9999 }),
    fc.integer({ min: 0, max: 13 }),
    fc.integer({ min: 0, max: 32 }),
  )
  fc.assert(
    fc.property(parts, ([year, month, day]) => {
      const text = [
        String(year).padStart(4, '0'),
        String(month).padStart(2, '0'),
        String(day).padStart(2, '0'),
      ].join('-')
      const moment = new Date(`${text}T00:00:00Z`)
      const exists = year > 0 && !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text)
      if (exists) assert.equal(storeSample(field, text), text)
      else assert.throws(() => storeSample(field, text), InvalidValue)
    }),
  )
})

test('unset is null in code and false on the wire', () => {
  assert.equal(field.type.fromColumn(field, null), null)
  assert.equal(roundTrip(field, null), false)
  assert.equal(roundTrip(field, '2024-05-06'), '2024-05-06')
})
