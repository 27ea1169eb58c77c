// Links to one record: ids and unset; ids that no record can have are broken rules of the data.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundTrip, sample, storeSample } from '../../../test/support/sample-fields.ts'
import { InvalidValue, ValidationError } from '../../errors.ts'

const field = sample('many2one')

test('an id is taken, as a number or its digits; false, null, 0 and an empty text unset', () => {
  assert.equal(storeSample(field, 5), 5)
  assert.equal(storeSample(field, '5'), 5)
  assert.equal(storeSample(field, 2147483647), 2147483647)
  for (const unset of [false, null, 0, '']) assert.equal(storeSample(field, unset), null)
})

test('a many2one field refuses what is not an id', () => {
  for (const value of [true, 'x', '5x', '1.5', 1.5, [5, 'name'], [5], {}, { id: 5 }])
    assert.throws(() => storeSample(field, value), InvalidValue, JSON.stringify(value))
})

test('an id that cannot exist is a broken rule like one that does not', () => {
  for (const value of [-1, 2147483648, 1e300])
    assert.throws(() => storeSample(field, value), ValidationError, String(value))
})

test('the wire has the bare id or false', () => {
  assert.equal(roundTrip(field, 5), 5)
  assert.equal(roundTrip(field, null), false)
})
