// Times of day: what they are made of, and how they come back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundTrip, sample, storeSample } from '../../../test/support/sample-fields.ts'
import { InvalidValue } from '../../errors.ts'

const field = sample('time')

test('hours and minutes have two digits, seconds may be left out', () => {
  assert.equal(storeSample(field, '09:30'), '09:30:00')
  assert.equal(storeSample(field, '23:59:59'), '23:59:59')
  assert.equal(storeSample(field, '00:00:00'), '00:00:00')
  for (const unset of [null, undefined, false, '']) assert.equal(storeSample(field, unset), null)
})

test('what is not a time of day is refused', () => {
  for (const wrong of [
    '24:00',
    '9:30',
    '09:60',
    '09:30:60',
    '09:30:00.5',
    '09:30Z',
    ' 09:30',
    930,
    9.5,
    true,
    [],
    {},
  ])
    assert.throws(() => storeSample(field, wrong), InvalidValue, String(wrong))
})

test('a stored time is the same on the wire', () => {
  assert.equal(roundTrip(field, '09:30:00'), '09:30:00')
  assert.equal(roundTrip(field, null), false)
})

test('conditions take what the column takes', () => {
  assert.equal(field.type.operand?.('08:00'), '08:00:00')
  assert.equal(field.type.operand?.('8'), undefined)
})
