// Ranges of postcodes: digits compare as numbers, letters as they stand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fitZips, inZipOrder, inZipRange } from './zip-range.ts'

test('both ends of a range get as many digits, ends with letters stay', () => {
  assert.deepEqual(fitZips('7', '950'), { zip_from: '007', zip_to: '950' })
  assert.deepEqual(fitZips('12000', '9'), { zip_from: '12000', zip_to: '00009' })
  assert.deepEqual(fitZips('AB1', 'AB90'), { zip_from: 'AB1', zip_to: 'AB90' })
  assert.ok(inZipOrder('007', '950') && !inZipOrder('12000', '00009'))
})

test('a postcode lies between both ends, as the number it is', () => {
  const inside = (zip: string | null) => inZipRange(zip, '0100', '2999')
  assert.deepEqual(['0100', '2999', '100', '1010', ' 1010 '].map(inside), [true, true, true, true, true])
  assert.deepEqual(['99', '3000', '10000', '', null, 'ABC'].map(inside), [
    false,
    false,
    false,
    false,
    false,
    false,
  ])
  assert.ok(inZipRange('AB5', 'AB1', 'AB9') && !inZipRange('AC5', 'AB1', 'AB9'))
})
