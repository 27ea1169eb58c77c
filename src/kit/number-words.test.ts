// Numbers in words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberInWords } from './number-words.ts'

test('numbers in words: whole numbers are spelled as cheques spell them', () => {
  const words = {
    0: 'zero',
    13: 'thirteen',
    40: 'forty',
    99: 'ninety-nine',
    100: 'one hundred',
    438: 'four hundred and thirty-eight',
    1021: 'one thousand and twenty-one',
    1234: 'one thousand, two hundred and thirty-four',
    2000300: 'two million, three hundred',
    999999999999:
      'nine hundred and ninety-nine billion, nine hundred and ninety-nine million, nine hundred and ninety-nine thousand, nine hundred and ninety-nine',
  }
  for (const [value, text] of Object.entries(words)) assert.equal(numberInWords(Number(value)), text)
})

test('numbers in words: fractions and negative numbers are refused', () => {
  for (const value of [1.5, -1, Number.NaN, 10 ** 15]) assert.throws(() => numberInWords(value), RangeError)
})
