// CSV: quotation marks around cells, and apostrophes before formulas.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvRecord, withoutFormula } from './csv.ts'

test('cells with commas, quotation marks, line ends and blanks at their ends are quoted', () => {
  assert.equal(csvRecord(['a', 'b,c', 'd"e', 'f\ng', ' h', '']), 'a,"b,c","d""e","f\ng"," h",\r\n')
})

test('texts that a spreadsheet would run get an apostrophe, numbers and all others stay', () => {
  const run = ['=1+1', '+32 470', '-1+2', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1', '-', '--5']
  assert.deepEqual(
    run.map(withoutFormula),
    run.map((text) => `'${text}`),
  )
  const still = ['', '-5', '-12.50', '0', 'a=1', "'=1", ' =1', '2026-11-29']
  assert.deepEqual(still.map(withoutFormula), still)
})
