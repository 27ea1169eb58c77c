// Codes by the rules of a nomenclature.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCode, sanitizedEan, sanitizedUpc, valueIn } from './patterns.ts'

const rule = (type: string, encoding: string, pattern: string, alias = '0') => ({
  type,
  encoding,
  pattern,
  alias,
})

test('barcode: a pattern names the number within a code, and leaves zeros in its place', () => {
  const weighed = valueIn('2112345012509', '21.....{NNDDD}')
  assert.deepEqual(weighed, { value: 1.25, base_code: '2112345000009', match: true })
  assert.equal(valueIn('2212345012509', '21.....{NNDDD}').match, false)
  assert.equal(valueIn('21123450A2509', '21.....{NNDDD}').match, false)
  assert.throws(() => valueIn('1'.repeat(300), '.*'), /200 characters/)
})

test('barcode: check digits are those of EAN and UPC', () => {
  assert.equal(sanitizedEan('400638133393'), '0400638133390')
  assert.equal(sanitizedEan('4006381333930'), '4006381333931')
  assert.equal(sanitizedUpc('036000291450'), '036000291452')
})

test('barcode: the first rule that fits says what a code means; an alias leads to another code', () => {
  const rules = [
    rule('alias', 'any', 'OLD', '4006381333931'),
    rule('weight', 'ean13', '21.....{NNDDD}'),
    rule('product', 'ean13', '.*'),
  ]
  const meaning = (code: string, conversion = 'none') => parseCode(code, rules, conversion)
  const productMeaning = { encoding: 'ean13', type: 'product', code: '4006381333931', value: 0 }
  assert.deepEqual(meaning('4006381333931'), { ...productMeaning, base_code: '4006381333931' })
  assert.deepEqual(meaning('OLD'), meaning('4006381333931'))
  assert.equal((meaning('036000291452') as { type: string }).type, 'error')
  assert.equal((meaning('036000291452', 'upc2ean') as { type: string }).type, 'product')
})
