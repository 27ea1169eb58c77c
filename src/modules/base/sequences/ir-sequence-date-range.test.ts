// The range that is made for a day, without a database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InvalidValue } from '../../../errors.ts'
import { assertRange, yearAround } from './ir-sequence-date-range.ts'

test('without neighbours it is the calendar year', () => {
  assert.deepEqual(yearAround('2021-05-05', []), { from: '2021-01-01', to: '2021-12-31' })
})

test('neighbours within the year cut it on both sides, others do not', () => {
  const neighbours = [
    { from: '2021-02-01', to: '2021-02-28' },
    { from: '2021-03-01', to: '2021-03-31' },
    { from: '2021-08-01', to: '2022-01-31' },
    { from: '2019-01-01', to: '2020-12-31' },
  ]
  assert.deepEqual(yearAround('2021-05-05', neighbours), { from: '2021-04-01', to: '2021-07-31' })
})

test('the date of a sequence number must be a date', () => {
  for (const good of [null, '2021-05-05', '2021-05-05 10:00:00']) assertRange(good)
  for (const bad of ['x', 5, [], '2021-13-01']) assert.throws(() => assertRange(bad), InvalidValue)
})
