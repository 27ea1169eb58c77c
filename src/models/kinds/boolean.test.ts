// Booleans: anything counts by its truth.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundTrip, sample, storeSample } from '../../../test/support/sample-fields.ts'

test('a boolean field takes values by their truth', () => {
  for (const value of [true, 'yes', 'false', '0', ' ', 1, -1, 0.5, [0], { a: 1 }])
    assert.equal(storeSample(sample('boolean'), value), true, JSON.stringify(value))
  for (const value of [false, '', 0, null, undefined, [], {}])
    assert.equal(storeSample(sample('boolean'), value), false, JSON.stringify(value))
})

test('a boolean field is never null', () => {
  assert.equal(roundTrip(sample('boolean'), null), false)
  assert.equal(roundTrip(sample('boolean'), true), true)
})
