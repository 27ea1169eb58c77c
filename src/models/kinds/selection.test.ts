// Selections: keys, fixed or from a function, and nothing else.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundTrip, sample, storeSample } from '../../../test/support/sample-fields.ts'
import { InvalidValue } from '../../errors.ts'
import { selectionOf } from './index.ts'

const keys = { draft: 'Draft', delivery: 'Delivery', '1': 'One' }

test('selection: keys are accepted from static and computed lists', () => {
  for (const field of [
    sample('selection', { selection: keys }),
    sample('selection', { selection: () => keys }),
  ]) {
    assert.equal(storeSample(field, 'delivery'), 'delivery')
    assert.equal(storeSample(field, '1'), '1')
    for (const unset of [false, null, '']) assert.equal(storeSample(field, unset), null)
    for (const value of ['Delivery', 'bogus', 'toString', '__proto__', 1, true, ['draft'], {}]) {
      assert.throws(() => storeSample(field, value), InvalidValue, JSON.stringify(value))
    }
    assert.deepEqual(selectionOf(field), keys)
  }
})

test('the refusal names the keys, of many the first', () => {
  assert.throws(
    () => storeSample(sample('selection', { selection: keys }), 'bogus'),
    /: it takes 1, draft or delivery\.$/,
  )
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`k${i}`, `K${i}`]))
  assert.throws(
    () => storeSample(sample('selection', { selection: () => many }), 'bogus'),
    /: it takes k0, .*, k24 or one of 5 more\.$/,
  )
})

test('a field without keys takes none; unset is false on the wire', () => {
  assert.deepEqual(selectionOf(sample('selection')), {})
  assert.throws(() => storeSample(sample('selection'), 'a'), InvalidValue)
  assert.equal(roundTrip(sample('selection'), null), false)
})
