// A many2one_reference: an id, whose model is in another field.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundTrip, sample, storeSample } from '../../../test/support/sample-fields.ts'
import { InvalidValue } from '../../errors.ts'

test('a many2one reference behaves as an integer field', () => {
  const field = sample('many2one_reference')
  assert.equal(field.type.wireType, 'many2one_reference')
  assert.equal(field.type.comparison, 'integerReference')
  assert.equal(storeSample(field, 7), 7)
  assert.equal(storeSample(field, false), 0)
  assert.throws(() => storeSample(field, 'x'), InvalidValue)
  assert.equal(roundTrip(field, null), 0)
})
