// Long text differs from char in name only.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundTrip, sample, storeSample } from '../../../test/support/sample-fields.ts'
import { InvalidValue } from '../../errors.ts'

test('a text field takes long text whole', () => {
  const field = sample('text')
  assert.equal(field.type.wireType, 'text')
  assert.equal(field.type.kind, 'text')
  const long = 'x'.repeat(100_000)
  assert.equal(storeSample(field, long), long)
  assert.equal(storeSample(field, false), null)
  assert.equal(roundTrip(field, 'a\nb'), 'a\nb')
  assert.throws(() => storeSample(field, ['a']), InvalidValue)
})
