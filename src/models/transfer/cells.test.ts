// Texts of imports into values, values into cells of exports.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sample } from '../../../test/support/sample-fields.ts'
import type { FieldKind } from '../contract/field.ts'
import type { FieldOptions } from '../contract/field-options.ts'
import { english } from '../terms/labels.ts'
import { cellValue } from './convert.ts'
import { joined } from './export.ts'
import { exportCell } from './export-list.ts'

const cell = (kind: FieldKind, text: string, options: FieldOptions = {}) => {
  const result = cellValue(sample(kind, options), text, english)
  return result.flaw ? 'flawed' : result.value
}
const states = { selection: { draft: 'Quotation', done: 'Locked' } }

test('an empty cell of an import clears its field', () => {
  for (const kind of ['char', 'integer', 'boolean', 'date', 'selection'] as const)
    assert.equal(cell(kind, ''), false)
})

test('booleans by word, selections by key or label in any case', () => {
  assert.deepEqual(
    ['1', 'TRUE', 'yes', '0', 'False', 'no', 'perhaps'].map((text) => cell('boolean', text)),
    [true, true, true, false, false, false, 'flawed'],
  )
  assert.deepEqual(
    ['done', 'locked', 'QUOTATION', 'gone'].map((text) => cell('selection', text, states)),
    ['done', 'done', 'draft', 'flawed'],
  )
})

test('markup is measured and not cleaned: it is cleaned once, where it is written', () => {
  const deep = '<i>'.repeat(2000)
  assert.equal(cell('html', deep), deep)
  assert.throws(() => cell('html', 'x'.repeat(2 * 1024 ** 2 + 1)), /limit "html"/)
})

test('numbers, dates and JSON that cannot be read are flaws', () => {
  assert.deepEqual(
    [cell('integer', '5'), cell('integer', 'red'), cell('float', '-3.5'), cell('float', 'far')],
    ['5', 'flawed', '-3.5', 'flawed'],
  )
  assert.deepEqual(
    [cell('date', '2024-03-01'), cell('date', '2024-02-30'), cell('date', 'yesterday')],
    ['2024-03-01', 'flawed', 'flawed'],
  )
  assert.deepEqual([cell('json', '{"a":1}'), cell('json', '{')], [{ a: 1 }, 'flawed'])
})

test('a file that is no image is a flaw of its cell, in words of its own', () => {
  const { flaw } = cellValue(sample('binary', { image: true }), 'aGVsbG8=', english)
  assert.match(flaw?.message ?? '', /is not an image/)
})

test('exports keep the type of numbers and booleans and show labels', () => {
  assert.deepEqual(
    [
      exportCell(sample('boolean'), false, english),
      exportCell(sample('integer'), 0, english),
      exportCell(sample('char'), false, english),
      exportCell(sample('selection', states), 'done', english),
    ],
    [false, 0, '', 'Locked'],
  )
  assert.deepEqual(
    [exportCell(sample('json'), { a: 1 }, english), exportCell(sample('properties'), [], english)],
    ['{"a":1}', ''],
  )
})

test('many2manys are joined into one row', () => {
  assert.deepEqual(joined([[['', 'a', 1]], [['', 'b', '']]], 3), [['', 'a,b', '1']])
  assert.deepEqual(joined([[], []], 3), [])
})
