// Rows of long bodies come out the same wherever the body is cut.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits, setLimits } from '../limits.ts'
import { CsvRows, JsonLines, type RowReader } from './rows.ts'

const read = (make: () => RowReader, text: string, size: number) => {
  const [reader, bytes] = [make(), Buffer.from(text)]
  const rows = []
  for (let at = 0; at < bytes.length; at += size) rows.push(...reader.write(bytes.subarray(at, at + size)))
  return [...rows, ...reader.end()]
}

test('lines of JSON: empty ones count and are none', () => {
  for (const size of [1, 3, 1000])
    assert.deepEqual(
      read(() => new JsonLines(), '{"a":"é"}\r\n\n  {"b":2}\n{"c":3}', size),
      [
        { line: 1, text: '{"a":"é"}' },
        { line: 3, text: '{"b":2}' },
        { line: 4, text: '{"c":3}' },
      ],
    )
  assert.throws(() => [...new JsonLines().write(Buffer.from([0x80, 0x0a]))], /Line 1 is not UTF-8/)
  const long = Buffer.alloc(limits['bulk-row'] + 1, 'x')
  assert.throws(() => [...new JsonLines().write(long)], /bulk-row/)
})

test('records of CSV: quotation marks, breaks of lines and commas within, a mark of byte order', () => {
  const text = '\ufeffname,note\r\n"Ann, ""A""","two\nlines"\r\nBea\n\n"",é\n"x"'
  const rows = [
    { line: 2, row: { name: 'Ann, "A"', note: 'two\nlines' } },
    { line: 4, row: { name: 'Bea', note: '' } },
    { line: 6, row: { name: '', note: 'é' } },
    { line: 7, row: { name: 'x', note: '' } },
  ]
  for (const size of [1, 2, 5, 1000])
    assert.deepEqual(
      read(() => new CsvRows(), text, size),
      rows.map(({ line, row }) => ({ line, text: JSON.stringify(row) })),
    )
  assert.throws(() => read(() => new CsvRows(), 'a\n"x', 9), /never closed/)
  assert.throws(() => read(() => new CsvRows(), 'a\n1,2\n', 9), /more cells/)
})

test('a quotation mark within a cell that began without one stands for itself', () => {
  const text = 'name,size\n5" pipe,a\n6" pipe,"b ""c"""\n"7"" x"y,z"\n'
  const rows = [
    ['5" pipe', 'a'],
    ['6" pipe', 'b "c"'],
    ['7" xy', 'z"'],
  ]
  for (const size of [1, 2, 5, 1000])
    assert.deepEqual(
      read(() => new CsvRows(), text, size).map((row) => Object.values(JSON.parse(row.text))),
      rows,
    )
})

test('the first line of CSV names each column once, between commas', () => {
  for (const mark of [';', '\t', '|'])
    assert.throws(() => read(() => new CsvRows(), `id${mark}name\na${mark}b\n`, 9), /separated by commas/)
  assert.throws(() => read(() => new CsvRows(), 'id,name, name\na,b,c\n', 9), /names 'name' twice/)
  assert.equal(read(() => new CsvRows(), 'note\na;b\n', 9).length, 1)
})

test('rows are made one by one, and counted: a short body may stand for very much', (t) => {
  t.after(() => setLimits())
  setLimits({ 'bulk-row': 1000, 'bulk-rows': 100 })
  const wide = (names: number) => `${Array.from({ length: names }, (_, at) => `n${at}`).join()}\n`
  const reader = new CsvRows()
  const [first] = reader.write(Buffer.from(`${wide(50)}${'a\n'.repeat(150)}`))
  assert.equal(Object.keys(JSON.parse(first?.text ?? '')).length, 50)
  assert.throws(() => read(() => new CsvRows(), `${wide(200)}a\n`, 64), /"bulk-row"/)
  setLimits({ 'bulk-row': 1000, 'bulk-rows': 100_000 })
  assert.throws(() => read(() => new CsvRows(), `${wide(99)}${'a\n'.repeat(20_000)}`, 64), /100 times/)
  setLimits({ 'bulk-row': 1000, 'bulk-rows': 100 })
  const makers = [() => new CsvRows(), () => new JsonLines()]
  for (const make of makers) {
    assert.deepEqual(read(make, '\n'.repeat(150), 64), [])
    assert.throws(() => read(make, '\n'.repeat(250), 64), /"bulk-rows"/)
  }
})
