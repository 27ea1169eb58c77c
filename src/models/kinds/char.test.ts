// Text fields: what they take, keep and refuse (spec/models-api.md section 5, "Values").
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundTrip, sample, storeSample } from '../../../test/support/sample-fields.ts'
import { InvalidValue } from '../../errors.ts'

test('text is kept as it came, numbers become text', () => {
  const field = sample('char')
  const cases: [unknown, unknown][] = [
    ['abc', 'abc'],
    [' padded ', ' padded '],
    ['', ''],
    [12, '12'],
    [1.5, '1.5'],
    [0, '0'],
    ['l1\nl2\t\r', 'l1\nl2\t\r'],
    ['👩‍👩‍👧‍👦 é ​ end', '👩‍👩‍👧‍👦 é ​ end'],
    ['<b>x</b>', '<b>x</b>'],
    [null, null],
    [false, null],
    [undefined, null],
  ]
  for (const [input, expected] of cases)
    assert.equal(storeSample(field, input), expected, JSON.stringify(input))
})

test('what is not storable text is refused, by the name of the field and without the value', () => {
  for (const value of [true, [], ['a'], {}, { a: 1 }, 'nul\0byte', 'half \ud83d', Number.NaN]) {
    assert.throws(
      () => storeSample(sample('char'), value),
      (error: Error) =>
        error instanceof InvalidValue &&
        error.message.includes('x.model.sample') &&
        !error.message.includes('byte'),
      JSON.stringify(value),
    )
  }
})

test('the size of a char field cuts by characters', () => {
  const field = sample('char', { size: 2 })
  assert.equal(storeSample(field, 'QQQ'), 'QQ')
  assert.equal(storeSample(field, '🍕🍕🍕'), '🍕🍕')
  assert.equal(storeSample(field, 123), '12')
})

test('unset is null in code and false on the wire; an empty text stays one', () => {
  const field = sample('char')
  assert.equal(field.type.fromColumn(field, null), null)
  assert.equal(roundTrip(field, null), false)
  assert.equal(roundTrip(field, ''), '')
})
