// Codes by the GS1 standard: parts of fixed and variable length, decimals, days, and texts that are none.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { articleCodes, readGs1 } from './gs1.ts'
import { readUri } from './uri.ts'

test('an article with its lot, quantity and last day', () => {
  const code = ']C10109506000134352' + '17270200' + '10AB-1\u001d' + '3712'
  assert.deepEqual(readGs1(code), {
    article: '09506000134352',
    expires: '2027-02-28',
    lot: 'AB-1',
    quantity: 12,
  })
  assert.deepEqual(readGs1('(01)09506000134352(21)S9'), { article: '09506000134352', serial: 'S9' })
  assert.deepEqual(readGs1('(01)09506000134352(10)L(7)(37)6'), {
    article: '09506000134352',
    lot: 'L(7)',
    quantity: 6,
  })
  assert.deepEqual(readGs1('3102001250'), { quantity: 12.5 })
  assert.deepEqual(readGs1('00106141412345678908'), { package: '106141412345678908' })
})

test('a barcode that is no GS1 code is not parsed', () => {
  for (const code of ['', 'WH/OUT/00001', '0195', '01ABCDEFGHIJKLMN', '10', '99x'])
    assert.equal(readGs1(code), null)
})

test('an article is looked for with and without leading zeros', () => {
  assert.deepEqual(articleCodes('09506000134352'), ['09506000134352', '9506000134352'])
  assert.deepEqual(articleCodes('00000012345670'), [
    '00000012345670',
    '0000012345670',
    '000012345670',
    '12345670',
  ])
})

test('parse_uri: an article, a lot and a package of radio tags have their check digits', () => {
  const codes = (uri: string) => readUri(uri).map(({ type, base_code }) => [type, base_code])
  assert.deepEqual(codes('urn:epc:id:sgtin:0614141.812345.6789'), [
    ['product', '80614141123458'],
    ['lot', '6789'],
  ])
  assert.deepEqual(codes('urn:epc:tag:sgtin-96:3.0614141.812345.67%2F89'), [
    ['product', '80614141123458'],
    ['lot', '67/89'],
  ])
  assert.deepEqual(codes('urn:epc:class:lgtin:4012345.012345.998877'), [
    ['product', '04012345123456'],
    ['lot', '998877'],
  ])
  assert.deepEqual(codes('urn:epc:id:sscc:0614141.1234567890'), [['package', '106141412345678908']])
})

test('parse_uri: a text that is no URI of a tag, or of the wrong length, has no parts', () => {
  for (const uri of [
    '',
    '9506000134352',
    'urn:epc:id:sgtin:0614141.8123.1',
    'urn:epc:id:sgtin:06x.1.1',
    'urn:epc:id:sgtin:0614141.812345.%',
  ])
    assert.deepEqual(readUri(uri), [])
})
