// Tests of values.ts that need no server; connection.test.ts has the round trips.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encode, types } from './values.ts'

const parse = (oid: number, text: string) => types.getTypeParser(oid)(text)

test('numbers of every size are numbers, other types stay text', () => {
  assert.equal(parse(20, '42'), 42)
  assert.equal(parse(1700, '12.50'), 12.5)
  assert.equal(parse(1082, '2024-02-29'), '2024-02-29')
  assert.equal(parse(3802, '{"a": 1}'), '{"a": 1}')
})

test('arrays keep their nulls, quotes and backslashes', () => {
  assert.deepEqual(parse(1007, '{}'), [])
  assert.deepEqual(parse(1007, '{1,NULL,-3}'), [1, null, -3])
  assert.deepEqual(parse(1007, '{{1,2},{3,4}}'), [
    [1, 2],
    [3, 4],
  ])
  assert.deepEqual(parse(1009, '{a,NULL,"NULL","b \\"c\\" \\\\ d",""}'), [
    'a',
    null,
    'NULL',
    'b "c" \\ d',
    '',
  ])
})

test('parameters: arrays become literals, dates UTC, objects JSON, bytes stay', () => {
  assert.equal(encode([1, 2]), '{1,2}')
  assert.equal(encode([]), '{}')
  assert.equal(encode(['a', null, 'b "c" \\']), '{"a",NULL,"b \\"c\\" \\\\"}')
  assert.equal(encode([[1, 2], [Buffer.from([255])]]), '{{1,2},{"\\\\xff"}}')
  assert.deepEqual(encode(new Uint8Array([1, 2]).subarray(1)), Buffer.from([2]))
  assert.equal(encode(10n), '10')
  assert.throws(() => encode(new Date(Number.NaN)), RangeError)
  assert.equal(encode(new Date('2024-05-06T07:08:09.010Z')), '2024-05-06 07:08:09.010')
  assert.equal(encode({ en_US: 'Tea' }), '{"en_US":"Tea"}')
  assert.equal(encode(null), null)
})
