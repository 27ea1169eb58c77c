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
