// Definitions of properties: a list with names and known types.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundTrip, sample, storeSample } from '../../../test/support/sample-fields.ts'
import { InvalidValue } from '../../errors.ts'

const field = sample('properties_definition')
const definition = { name: 'aa11', type: 'char', string: 'Nick' }

test('definitions of properties are taken and completed', () => {
  assert.equal(storeSample(field, [definition]), JSON.stringify([definition]))
  assert.equal(storeSample(field, []), '[]')
  assert.equal(storeSample(field, false), null)
  assert.deepEqual(roundTrip(field, JSON.stringify([definition])), [definition])
  assert.deepEqual(roundTrip(field, null), [])
})

test('options are keys with labels, labels and models are texts', () => {
  const options = [
    ['x', 'X', 1],
    ['y', 'Y', 2],
  ]
  assert.ok(storeSample(field, [{ ...definition, type: 'tags', tags: options }]))
  assert.ok(storeSample(field, [{ ...definition, type: 'many2one', comodel: false, selection: [] }]))
  for (const wrong of [
    { selection: 'x' },
    { selection: [5] },
    { selection: [['x']] },
    { selection: [[5, 'X']] },
    { tags: [...options, ['x', 'Again', 3]] },
    { tags: {} },
    { string: 5 },
    { comodel: ['res.partner'] },
  ])
    assert.throws(
      () => storeSample(field, [{ ...definition, ...wrong }]),
      InvalidValue,
      JSON.stringify(wrong),
    )
})

test('unknown types, missing and repeated names are refused', () => {
  for (const value of [
    [{ ...definition, type: 'nonsense' }],
    [{ type: 'char' }],
    [{ ...definition, name: 'A b' }],
    [definition, definition],
    definition,
    'x',
    [1],
  ]) {
    assert.throws(() => storeSample(field, value), InvalidValue, JSON.stringify(value))
  }
})
