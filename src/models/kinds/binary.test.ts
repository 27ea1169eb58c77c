// Bytes: base64 is validated and normalized, images are recognized by their contents.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundTrip, sample, storeSample } from '../../../test/support/sample-fields.ts'
import { InvalidValue, UserError } from '../../errors.ts'
import { isImage } from './binary.ts'

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test('base64 is taken, blanks go, nothing is unset', () => {
  const cases: [unknown, unknown][] = [
    ['aGVsbG8=', 'aGVsbG8='],
    ['aGVs\r\nbG8=\n', 'aGVsbG8='],
    ['aGVsbG9=', 'aGVsbG8='],
    ['', null],
    ['  ', null],
    ['aGVsbG8', 'aGVsbG8='],
    ['aGVsbA', 'aGVsbA=='],
    ['_-8=', '/+8='],
    ['_-8', '/+8='],
    ['data:text/plain;base64,aGVsbG8=', 'aGVsbG8='],
    ['data:image/svg+xml;charset=utf-8;base64,aGVs\nbG8', 'aGVsbG8='],
    [false, null],
    [null, null],
  ]
  for (const [value, expected] of cases)
    assert.equal(storeSample(sample('binary'), value), expected, JSON.stringify(value))
})

test('a binary field refuses what is not base64', () => {
  for (const value of [
    'a',
    'aGVsb',
    'aGV*bG8=',
    'aGV*bG8',
    'aGVsbG8==',
    '=aGV',
    'é===',
    "b'aGVsbG8='",
    'data:text/plain,hello',
    'data:,',
    12,
    true,
    [],
    {},
  ]) {
    assert.throws(() => storeSample(sample('binary'), value), InvalidValue, JSON.stringify(value))
  }
})

test('an image field wants an image', () => {
  const field = sample('binary', { image: true })
  assert.equal(storeSample(field, pixel), pixel)
  assert.equal(storeSample(field, false), null)
  assert.throws(() => storeSample(field, 'bm90IGFuIGltYWdl'), UserError)
})

test('binary: images are recognized by their first bytes', () => {
  const starts = [
    '\x89PNG\r\n\x1a\n',
    '\xff\xd8\xff\xe0',
    'GIF89a',
    'RIFF\x10\0\0\0WEBPVP8 ',
    'BM\x46\0\0\0\0\0\0\0',
    '<svg xmlns="x">',
    '<?xml version="1.0"?>\n<!-- c -->\n<svg>',
  ]
  for (const start of starts) assert.ok(isImage(Buffer.from(start, 'latin1')), JSON.stringify(start))
  for (const start of [
    '',
    'not an image',
    'BMW has no zeros',
    '%PDF-1.7',
    '<html><svg>',
    '????????WEBP',
    'PK\x03\x04',
  ]) {
    assert.ok(!isImage(Buffer.from(start, 'latin1')), JSON.stringify(start))
  }
})

test('only content kept in the table has a column, and code sees base64', () => {
  const column = sample('binary', { attachment: false })
  assert.equal(column.type.columnType(column), 'bytea')
  assert.equal(column.type.columnType(sample('binary')), null)
  assert.equal(roundTrip(column, Buffer.from('hello')), 'aGVsbG8=')
  assert.equal(roundTrip(column, null), false)
})
