// JSON values of every shape; texts that jsonb cannot hold are refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { roundTrip, sample, storeSample } from '../../../test/support/sample-fields.ts'
import { InvalidValue } from '../../errors.ts'

const field = sample('json')

test('values travel as JSON text and come back', () => {
  assert.equal(storeSample(field, { a: [1, 'x', null] }), '{"a":[1,"x",null]}')
  assert.equal(storeSample(field, 'text'), '"text"')
  assert.equal(storeSample(field, 0), '0')
  for (const unset of [false, null, undefined]) assert.equal(storeSample(field, unset), null)
  assert.equal(roundTrip(field, null), false)
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      fc.pre(value !== false && value !== null && text.isWellFormed() && !/\\u(0000|d[89a-f])/.test(text))
      assert.deepEqual(field.type.fromColumn(field, storeSample(field, value)), JSON.parse(text))
    }),
  )
})

test('NUL and half surrogate pairs are refused wherever they hide; their spellings in text are not', () => {
  for (const value of ['a\0', { 'k\0': 1 }, ['\ud83d'], { a: { b: ['x\udc00'] } }, '\\\0'])
    assert.throws(() => storeSample(field, value), InvalidValue)
  for (const value of ['\\u0000', '\\\\u0000', '\\ud83d', '😀', '\u0001'])
    assert.equal(JSON.parse(storeSample(field, value) as string), value)
  assert.throws(() => storeSample(field, () => 1), InvalidValue)
})
