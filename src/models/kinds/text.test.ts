// Long text differs from char in name only.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InvalidValue } from '../../errors.ts'
import { roundTrip, sample, store } from './sample.ts'

test('a text field takes long text whole', () => {
  const field = sample('text')
  assert.equal(field.type.wireType, 'text')
  assert.equal(field.type.kind, 'text')
  const long = 'x'.repeat(100_000)
  assert.equal(store(field, long), long)
  assert.equal(store(field, false), null)
  assert.equal(roundTrip(field, 'a\nb'), 'a\nb')
  assert.throws(() => store(field, ['a']), InvalidValue)
})
