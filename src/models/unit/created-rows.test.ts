// Rows that a unit made: they are known when somebody looks, and not once they were put in doubt.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import { ValueCache } from './cache.ts'

const model = { name: 'thing' } as ModelDef
const field = (name: string) => ({ name, model, column: true }) as FieldDef
const [price, note] = [field('price'), field('note')]
const cacheOfCreated = () => {
  const cache = new ValueCache()
  cache.addNewRows(model, [1, 2], (one, n) => (one === note ? undefined : n * 10))
  return cache
}

test('new rows: their columns are known on demand, except for those without a known value', () => {
  const cache = cacheOfCreated()
  assert.equal(cache.size, 0)
  assert.deepEqual(
    [...cache.of(price, '')],
    [
      [1, 0],
      [2, 10],
    ],
  )
  assert.equal(cache.of(note, '').size, 0)
  cache.addNewRows(model, [3], () => 7)
  assert.deepEqual([...cache.of(price, '').keys()], [1, 2, 3])
})

test('what was kept or forgotten of new rows before anybody looked does not come back', () => {
  const cache = cacheOfCreated()
  cache.forget(price, [1])
  assert.deepEqual([...cache.of(price, '')], [[2, 10]])
  cache.of(price, '').set(2, 99)
  assert.equal(cache.of(price, '').get(2), 99)
  const whole = cacheOfCreated()
  whole.forget(price)
  assert.equal(whole.of(price, '').size, 0)
})

test('fields of new rows that were written are known no longer, the others are', () => {
  const cache = cacheOfCreated()
  cache.addNewRows(model, [3], () => 7)
  cache.forgetWritten(model, [price], [2, 3, 9])
  assert.equal(cache.isOfMadeAlone, true)
  assert.deepEqual([...cache.of(price, '')], [[1, 0]])
  assert.equal(cache.isOfMadeAlone, false)
  assert.deepEqual([...cache.of(note, '')], [[3, 7]])
})

test('new rows in doubt are known no longer, those that others read are', () => {
  const cache = cacheOfCreated()
  cache.of(price, '').set(5, 50)
  cache.forgetUnconfirmed()
  assert.deepEqual([...cache.of(price, '')], [[5, 50]])
  assert.equal(cacheOfCreated().of(price, 'de|1').size, 0)
})
