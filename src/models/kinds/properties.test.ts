// Properties: values by name are kept; what they mean is read elsewhere (read/properties.ts).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundTrip, sample, storeSample } from '../../../test/support/sample-fields.ts'
import { InvalidValue } from '../../errors.ts'

const field = sample('properties')

test('objects and lists of definitions give values by name', () => {
  assert.equal(storeSample(field, { nick: 'Bob' }), '{"nick":"Bob"}')
  assert.equal(
    storeSample(field, [
      { name: 'nick', type: 'char', value: 'Zed' },
      { name: 'shoe', type: 'integer' },
    ]),
    '{"nick":"Zed"}',
  )
  for (const unset of [false, null]) assert.equal(storeSample(field, unset), null)
  for (const value of ['x', 5, true, [1], [null], [{ type: 'char' }], { a: 'nul\0' }])
    assert.throws(() => storeSample(field, value), InvalidValue, JSON.stringify(value))
})

test('copies take over the values by name', () => {
  assert.deepEqual(roundTrip(field, null), [])
  assert.deepEqual(roundTrip(field, '{"nick":"Bob"}'), { nick: 'Bob' })
  assert.deepEqual(field.type.fromColumn(field, '{"nick":"Bob"}'), { nick: 'Bob' })
})
