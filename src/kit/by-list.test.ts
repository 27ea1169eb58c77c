// Tests of by-list.ts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByList } from './by-list.ts'

test('a list is known by its items and their order, and not by what it begins with', () => {
  const lists = new ByList<string, number>(10)
  lists.set(['a', 'b'], 1)
  lists.set(['b', 'a'], 2)
  lists.set([], 3)
  assert.equal(lists.get(['a', 'b']), 1)
  assert.equal(lists.get(new Set(['b', 'a'])), 2)
  assert.equal(lists.get([]), 3)
  assert.equal(lists.get(['a']), undefined)
  assert.equal(lists.get(['a', 'b', 'c']), undefined)
  lists.set(['a', 'b'], 4)
  assert.equal(lists.get(['a', 'b']), 4)
})

test('items are the same thing or the same text: no two lists are taken for one', () => {
  const lists = new ByList<unknown, number>(10)
  const [first, other] = [{}, {}]
  lists.set([first, 'a,b'], 1)
  assert.equal(lists.get([other, 'a,b']), undefined)
  assert.equal(lists.get([first, 'a', 'b']), undefined)
  assert.equal(lists.get([first, 'a,b']), 1)
})

test('what was not asked for goes, what is asked for stays', () => {
  const lists = new ByList<number, number>(4)
  lists.set([0], 0)
  for (let n = 1; n < 100; n++) {
    lists.set([1, n], n)
    assert.equal(lists.get([0]), 0, `after ${n}`)
  }
  let kept = 0
  for (let n = 1; n < 100; n++) if (lists.get([1, n]) !== undefined) kept++
  assert.ok(kept < 4, `${kept} are kept`)
  assert.equal(lists.get([1, 1]), undefined)
})
