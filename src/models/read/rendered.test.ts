// Arrays that PostgreSQL rendered are taken apart without touching what stands in them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { elementsOf, textsIn } from './rendered.ts'

test('the elements of an array, with their own spelling of numbers', () => {
  assert.deepEqual(elementsOf('[{"id":1,"a":4.0},\n {"id":2,"a":"x,]\\"}"}]'), [
    '{"id":1,"a":4.0}',
    '{"id":2,"a":"x,]\\"}"}',
  ])
  assert.deepEqual(elementsOf('[]'), [])
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (values) =>
      assert.deepEqual(
        elementsOf(JSON.stringify(values)),
        values.map((value) => JSON.stringify(value)),
      ),
    ),
  )
})

test('texts of a list stay as they were written', () => {
  assert.deepEqual(textsIn('[]'), [])
  assert.deepEqual(textsIn('["a, \\"b\\\\", null, "null", 4.50]'), [
    '"a, \\"b\\\\"',
    'null',
    '"null"',
    '4.50',
  ])
  const text = fc.string({ unit: fc.constantFrom('"', '\\', ',', ' ', 'n', '\n', 'é', '[', ']') })
  fc.assert(
    fc.property(fc.array(fc.oneof(text, fc.constant(null), fc.double(), fc.boolean())), (values) => {
      const texts = values.map((value) => JSON.stringify(value))
      assert.deepEqual(textsIn(`[${texts.join(', ')}]`), texts)
    }),
  )
})
