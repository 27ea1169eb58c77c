// Lines: no column, lists on the wire.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundTrip, sample, storeSample } from '../../../test/support/sample-fields.ts'
import { InternalError } from '../../errors.ts'
import { columnTypeOf } from './index.ts'

test('lines have no column and read as lists', () => {
  const field = sample('one2many')
  assert.equal(columnTypeOf(field), null)
  assert.throws(() => storeSample(field, [[4, 1]]), InternalError)
  assert.deepEqual(roundTrip(field, null), [])
  assert.deepEqual(roundTrip(field, [3, 1]), [3, 1])
})
