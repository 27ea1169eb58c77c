// Amounts: taken like floats, left unrounded here.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundTrip, sample, storeSample } from '../../../test/support/sample-fields.ts'
import { InvalidValue } from '../../errors.ts'

test('amounts are taken like floats; the currency rounds them later', () => {
  const field = sample('monetary')
  assert.equal(storeSample(field, 12.345), 12.345)
  assert.equal(storeSample(field, '12.5'), 12.5)
  assert.equal(storeSample(field, null), 0)
  assert.ok(Object.is(storeSample(field, -0), 0))
  for (const value of ['x', [], Number.NaN]) assert.throws(() => storeSample(field, value), InvalidValue)
  assert.equal(field.type.columnType(field), 'numeric')
  assert.equal(roundTrip(field, null), 0)
})
