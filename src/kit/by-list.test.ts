// Tests of by-list.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByList } from './by-list.ts'

test('a list is known by its items and their order, and not by what it begins with', () => {
  const known = new ByList<string, number>(10)
  known.set(['a', 'b'], 1)
  known.set(['b', 'a'], 2)
  known.set([], 3)
  assert.equal(known.get(['a', 'b']), 1)
  assert.equal(known.get(new Set(['b', 'a'])), 2)
  assert.equal(known.get([]), 3)
  assert.equal(known.get(['a']), undefined)
  assert.equal(known.get(['a', 'b', 'c']), undefined)
  known.set(['a', 'b'], 4)
  assert.equal(known.get(['a', 'b']), 4)
})

test('items are the same thing or the same text: no two lists are taken for one', () => {
  const known = new ByList<unknown, number>(10)
  const [one, other] = [{}, {}]
  known.set([one, 'a,b'], 1)
  assert.equal(known.get([other, 'a,b']), undefined)
  assert.equal(known.get([one, 'a', 'b']), undefined)
  assert.equal(known.get([one, 'a,b']), 1)
})

test('what was not asked for goes, what is asked for stays', () => {
  const known = new ByList<number, number>(4)
  known.set([0], 0)
  for (let n = 1; n < 100; n++) {
    known.set([1, n], n)
    assert.equal(known.get([0]), 0, `after ${n}`)
  }
  let kept = 0
  for (let n = 1; n < 100; n++) if (known.get([1, n]) !== undefined) kept++
  assert.ok(kept < 4, `${kept} are kept`)
  assert.equal(known.get([1, 1]), undefined)
})
