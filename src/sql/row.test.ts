// Rows of statements: declared columns, and actual values.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RowOf, rowsOf } from './row.ts'

test('rows are given as they came, with the types that were said', () => {
  const rows = rowsOf(
    [
      [1, 2.5, 'a', null, [3]],
      [2, 0, 'b', true, []],
    ],
    ['int', 'float', 'text', 'bool?', 'ints'],
    '',
  )
  const typed: readonly RowOf<readonly ['int', 'float', 'text', 'bool?', 'ints']>[] = rows
  assert.deepEqual(typed, [
    [1, 2.5, 'a', null, [3]],
    [2, 0, 'b', true, []],
  ])
  const states: readonly (readonly ['open' | 'done' | null])[] = rowsOf(
    [['done'], [null]],
    [['open', 'done', null]],
    '',
  )
  assert.deepEqual(states, [['done'], [null]])
})

test('a row that holds something else is an error that says where, and shows no value', () => {
  const wrong: readonly (readonly [row: readonly unknown[], said: Parameters<typeof rowsOf>[1]])[] = [
    [[null], ['int']],
    [[1.5], ['int']],
    [['1'], ['float']],
    [[1], ['text']],
    [[[1, 'x']], ['ints']],
    [['lost'], [['open', 'done']]],
    [[null], [['open', 'done']]],
    [[1, 2], ['int']],
    [[], ['int']],
  ]
  for (const [row, declared] of wrong)
    assert.throws(
      () => rowsOf([row], declared, 'SELECT its text'),
      (error: Error) =>
        /gives other rows than was said.*SELECT its text/.test(error.message) && !/lost/.test(error.message),
    )
})
