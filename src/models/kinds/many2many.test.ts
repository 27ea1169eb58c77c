// Links to many records: no column, lists on the wire.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundTrip, sample } from '../../../test/support/sample-fields.ts'
import { columnTypeOf } from './index.ts'

test('links have no column and read as lists', () => {
  const field = sample('many2many')
  assert.equal(field.type.wireType, 'many2many')
  assert.equal(columnTypeOf(field), null)
  assert.deepEqual(roundTrip(field, null), [])
  assert.deepEqual(roundTrip(field, [3, 1]), [3, 1])
})
