// Columns of imports and how rows fall into records.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testEnvironment, testModel } from '../../../test/support/small-models.ts'
import { AccessError, InvalidValue } from '../../errors.ts'
import { layoutOf, mostNamesIn, namesInCell, splitPath, splitRows, textRows } from './layout.ts'

const layout = (...header: string[]) => layoutOf(testEnvironment(), testModel('person'), header)

test('columns are sorted into own ids, cells, links and lines', () => {
  const arranged = layout(
    'id',
    '.id',
    'name',
    'country_id/id',
    'tag_ids',
    'child_ids/name',
    'child_ids/country_id',
  )
  assert.deepEqual([arranged.xmlid, arranged.id], [0, 1])
  assert.deepEqual(
    arranged.cells.map(({ field, column }) => [field.name, column]),
    [['name', 2]],
  )
  assert.deepEqual(
    arranged.links.map(({ field, by, column }) => [field.name, by, column]),
    [
      ['tag_ids', 'name', 4],
      ['country_id', 'id', 3],
    ],
  )
  assert.deepEqual(
    arranged.lines.map(({ field, columns }) => [field.name, columns]),
    [['child_ids', [5, 6]]],
  )
  assert.deepEqual(arranged.own, [0, 1, 2, 3, 4])
})

test('a one2many named by external id alone links lines that exist', () => {
  const { links, lines } = layout('name', 'child_ids/id')
  assert.deepEqual([links.map((link) => link.by), lines], [['id'], []])
})

test('column paths of an import end at a field', () => {
  assert.throws(() => splitPath('child_ids/'.repeat(20_000)), InvalidValue)
})

test('columns that cannot be are refused', () => {
  for (const header of [
    ['nope'],
    ['country_id/code'],
    ['name/x'],
    ['name', 'name'],
    ['country_id', 'country_id/id'],
    ['token'],
  ]) {
    assert.throws(() => layout(...header), InvalidValue, header.join())
  }
  assert.throws(() => layout('secret'), AccessError)
  assert.throws(() => layoutOf(testEnvironment(), testModel('person'), 'name'), InvalidValue)
})

test('older spellings of id columns are read', () => {
  assert.deepEqual(['a/b:id', 'a.id', '.id', 'a/.id'].map(splitPath), [
    ['a', 'b', 'id'],
    ['a', '.id'],
    ['.id'],
    ['a', '.id'],
  ])
})

test('rows with nothing but lines belong to the record above', () => {
  const rows = [
    ['A', 'a1'],
    ['', 'a2'],
    ['B', ''],
    ['', ''],
  ]
  const drafts = splitRows(layout('name', 'child_ids/name'), rows)
  assert.deepEqual(
    drafts.map(({ from, to, lines }) => [from, to, lines[0]?.map((line) => line.row[1])]),
    [
      [0, 1, ['a1', 'a2']],
      [2, 2, []],
      [3, 3, []],
    ],
  )
})

test('cells of an export are plain values', () => {
  assert.deepEqual(textRows([['x', 3, true, false, null]]), [['x', '3', 'true', '', '']])
  for (const data of ['x', ['x'], [[{}]]]) assert.throws(() => textRows(data), InvalidValue)
})

test('names of several records are separated by commas', () => {
  assert.deepEqual(namesInCell('a, b,,c', true), ['a', 'b', 'c'])
  const most = ['', 'a', 'a, b', 'a, b,,c'].map((text) => [mostNamesIn(text, true), mostNamesIn(text, false)])
  assert.deepEqual(most, [
    [0, 0],
    [1, 1],
    [2, 1],
    [4, 1],
  ])
  assert.deepEqual([namesInCell('a, b', false), namesInCell('', false)], [['a, b'], []])
})
