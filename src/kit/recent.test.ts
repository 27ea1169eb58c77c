// The bounded map.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Recent } from './recent.ts'

test('what was not asked for longest goes first', () => {
  const recent = new Recent<string, number>(2)
  recent.set('a', 1)
  recent.set('b', 2)
  assert.equal(recent.get('a'), 1)
  recent.set('c', 3)
  assert.deepEqual([recent.get('a'), recent.get('b'), recent.get('c')], [1, undefined, 3])
  recent.set('c', 4)
  assert.equal(recent.get('c'), 4)
  recent.delete('c')
  assert.equal(recent.get('c'), undefined)
})

test('a used entry stays however many others come and go, and the limit holds', () => {
  const recent = new Recent<number, number | null>(100)
  recent.set(-1, null)
  for (let n = 0; n < 1000; n++) {
    recent.set(n, n)
    assert.equal(recent.get(-1), null)
  }
  const held = Array.from({ length: 1000 }, (_, n) => n).filter((n) => recent.get(n) !== undefined)
  assert.ok(held.length >= 49 && held.length < 100, `${held.length} entries`)
  assert.ok(held.includes(999) && held.includes(955) && !held.includes(890))
})

test('entries that weigh more than half of what is allowed together push the older half out, and are counted', () => {
  const recent = new Recent<string, string>(100, { most: 20, of: (key, value) => key.length + value.length })
  for (const key of ['a', 'b', 'c']) recent.set(key, 'xxxx')
  assert.deepEqual([recent.get('a'), recent.get('c'), recent.get('d')], ['xxxx', 'xxxx', undefined])
  recent.set('e', 'xxxx')
  assert.deepEqual(recent.counts, { entries: 3, weight: 15, hits: 2, misses: 1, evictions: 1 })
})

test('an entry that is set again, or has another value, or leaves, weighs what it weighs now', () => {
  const recent = new Recent<string, string>(100, { most: 20, of: (key, value) => key.length + value.length })
  recent.set('a', 'x')
  for (let n = 0; n < 50; n++) for (const value of ['xxxx', 'xxxx', 'xx']) recent.set('b', value)
  assert.deepEqual([recent.counts.weight, recent.counts.evictions], [5, 0])
  recent.delete('a')
  for (const key of ['c', 'd', 'b']) recent.set(key, 'xxxx')
  assert.deepEqual([recent.get('c'), recent.get('d'), recent.get('b')], ['xxxx', 'xxxx', 'xxxx'])
  assert.equal(recent.counts.weight, 15)
})
