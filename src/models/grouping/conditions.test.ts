// Tests of conditions of groups: prefix form with as few operators as conditions need.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allOf, throughMany2one } from './keys.ts'

const a = ['a', '=', 1]
const b = ['b', '=', 2]
const c = ['c', '=', 3]

test('nested conjunctions of groups become one list', () => {
  assert.deepEqual(allOf([['&', a, b], [c]]), ['&', '&', a, b, c])
  assert.deepEqual(
    allOf([
      [a, b],
      ['&', '&', a, b, c],
    ]),
    ['&', '&', '&', '&', a, b, a, b, c],
  )
  assert.deepEqual(allOf([[a]]), [a])
  assert.deepEqual(allOf([[], []]), [])
})

test('alternatives and complements stay whole', () => {
  assert.deepEqual(allOf([['|', a, '&', b, c], [a]]), ['&', '|', a, '&', b, c, a])
  assert.deepEqual(allOf([['!', '|', a, b, c], [a]]), ['&', '&', '!', '|', a, b, c, a])
})

test('grouping: a condition through a relation includes records without one if it is about unset values', () => {
  assert.deepEqual(throughMany2one('m', [a], false), [['m', 'any', [a]]])
  assert.deepEqual(throughMany2one('m', [a], true), ['|', ['m', 'not any', []], ['m', 'any', [a]]])
})
