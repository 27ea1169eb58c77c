// References: model and id, the model one of the field's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundTrip, sample, storeSample } from '../../../test/support/sample-fields.ts'
import { InvalidValue } from '../../errors.ts'

const field = sample('reference', { selection: () => ({ 'res.partner': 'Contact', x_made: 'Made' }) })

test('a reference to a listed model is taken', () => {
  assert.equal(storeSample(field, 'res.partner,12'), 'res.partner,12')
  assert.equal(storeSample(field, 'x_made,2147483647'), 'x_made,2147483647')
  for (const unset of [false, null, '']) assert.equal(storeSample(field, unset), null)
})

test('a reference field refuses what is not model and id', () => {
  const refused = [
    'res.country,1',
    'nonsense',
    'res.partner',
    'res.partner,',
    'res.partner,0',
    'res.partner,-1',
    'res.partner,x',
    'res.partner,1,2',
    'res.partner, 1',
    'res.partner,2147483648',
    'toString,1',
    ',1',
  ]
  for (const value of [...refused, 12, true, ['res.partner', 1], {}])
    assert.throws(() => storeSample(field, value), InvalidValue, JSON.stringify(value))
})

test('an unset reference field is false on the wire', () => {
  assert.equal(roundTrip(field, null), false)
  assert.equal(roundTrip(field, 'res.partner,12'), 'res.partner,12')
})
