// Rows as lists: numbers of their parameters, and values that are passed once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { haveSameColumns, listed, listedStatement, listedValues } from './index.ts'

test('values that all rows share are passed once, and the key is always a list', () => {
  const { source, values } = listed('id', ['int4', 'text'], 2)
  assert.equal(source, 'unnest($4::int[], $5::int4[], $6::text[]) AS x(id, c0, c1)')
  assert.deepEqual(values, ['COALESCE(x.c0, $2::int4)', 'COALESCE(x.c1, $3::text)'])
  assert.deepEqual(
    listedValues(
      [7, 8],
      [
        [1, 1],
        ['a', null],
      ],
    ),
    [1, null, [7, 8], null, ['a', null]],
  )
  assert.deepEqual(listedValues([7], [[null], ['a']]), [null, 'a', [7], null, null])
})

test('a text that looks like a number is not the number', () => {
  assert.deepEqual(
    listedValues(
      [1, 2],
      [
        ['1', 1],
        [null, undefined],
      ],
    ).slice(3),
    [
      ['1', 1],
      [null, undefined],
    ],
  )
})

test('rows of one statement come as lists after its other values', () => {
  const rows = {
    text: 'INSERT',
    head: [2],
    keys: [7, 8],
    columns: [
      ['a', 'b'],
      [true, true],
    ],
  }
  assert.deepEqual(listedStatement(rows), {
    text: 'INSERT',
    values: [2, null, true, [7, 8], ['a', 'b'], null],
  })
  assert.ok(haveSameColumns(rows, { ...rows, keys: [], columns: [] }))
  assert.ok(!haveSameColumns(rows, { ...rows, head: [3] }))
  assert.ok(!haveSameColumns(rows, { ...rows, text: 'UPDATE' }))
})
