// The write buffer: statements that leave with the next flush, and which rows may let a read go first.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namesTable, WriteBuffer } from './write-buffer.ts'

const of = (text: string) => ({ text, values: [] })
const texts = (leaving: readonly { readonly statement: { readonly text: string } }[]) =>
  leaving.map(({ statement }) => statement.text)

const insert = of('INSERT INTO "shop_order" ("id") SELECT $1::int')
const make = () => insert

const newBuffer = (usage = { statements: 0, waited: 0, connectedAt: null, isHeavy: false }) =>
  new WriteBuffer(usage, { insist: () => undefined })

/** With an order that waits. */
function withOrder(): WriteBuffer {
  const writeBuffer = newBuffer()
  writeBuffer.postDeferredInsert(make, namesTable('shop_order'))
  return writeBuffer
}

test('new rows wait while others read what has nothing of theirs', () => {
  const writeBuffer = withOrder()
  assert.deepEqual(writeBuffer.take(of('SELECT 1 FROM "shop_order_line"')), [])
  assert.deepEqual(writeBuffer.take(of(`SELECT nextval('shop_order_id_seq')`)), [])
  assert.deepEqual(texts(writeBuffer.take(of('SELECT count(*) FROM shop_order'))), [insert.text])
  assert.ok(writeBuffer.isEmpty)
})

test('what does more than read takes them along, as it may count on them, and so do views over their links', () => {
  for (const text of [
    'COMMIT',
    'SAVEPOINT s1',
    'WITH a AS (UPDATE other SET n = 1 RETURNING 1) SELECT * FROM a',
    'SELECT 1 FROM other FOR UPDATE',
    'DELETE FROM other',
    'SELECT 1 FROM shop_order_all_rel',
  ])
    assert.deepEqual(texts(withOrder().take(of(text))), [insert.text], text)
  assert.deepEqual(texts(withOrder().take(null)), [insert.text])
})

test('write buffer: a statement that reads a buffered table flushes it, whatever its text; the next one does not', () => {
  for (const [tables, isTaken] of [
    [['other'], false],
    [['other', 'shop_order'], true],
    [null, true],
  ] as const) {
    const writeBuffer = withOrder()
    writeBuffer.declareReads(tables)
    assert.deepEqual(texts(writeBuffer.take(of('SELECT total FROM shop_sums'))), isTaken ? [insert.text] : [])
    writeBuffer.postDeferredInsert(make, namesTable('shop_order'))
    assert.deepEqual(writeBuffer.take(of('SELECT 1 FROM other')), [])
  }
})

test('write buffer: rows keep their place before statements that were posted later', () => {
  const writeBuffer = withOrder()
  writeBuffer.post(of('INSERT INTO "shop_order_line" SELECT 1'))
  assert.deepEqual(texts(writeBuffer.take(of('SELECT 1 FROM other'))), [
    insert.text,
    'INSERT INTO "shop_order_line" SELECT 1',
  ])
})

test('write buffer: columns of buffered rows can change until a later statement reads them', () => {
  const writeBuffer = withOrder()
  writeBuffer.post(of('INSERT INTO "shop_order_line" ("total") SELECT 1'))
  assert.ok(writeBuffer.mayAmend(make, ['total']))
  writeBuffer.post(of('UPDATE "shop_order" SET "state" = 1'))
  assert.ok(writeBuffer.mayAmend(make, ['total']))
  assert.ok(!writeBuffer.mayAmend(make, ['total', 'state']))
  assert.ok(!writeBuffer.mayAmend(() => insert, ['total']), 'one that does not wait')
  writeBuffer.take(null)
  assert.ok(!writeBuffer.mayAmend(make, ['total']), 'one that left')
})

test('what another part of the work posted is not changed: it may be undone by itself', () => {
  const writeBuffer = withOrder()
  writeBuffer.stage = 1
  assert.ok(!writeBuffer.mayAmend(make, ['total']))
})

test('rows of one statement leave together, those of another or of another part of the work do not', () => {
  const writeBuffer = newBuffer()
  const rows = (n: number, text = 'INSERT', head: readonly unknown[] = [2]) => ({
    text,
    head,
    keys: [n],
    columns: [[`row ${n}`]],
  })
  const alone = () => of('INSERT of one')
  writeBuffer.postRows(rows(1), alone)
  writeBuffer.postRows(rows(2), alone)
  writeBuffer.postRows(rows(3, 'INSERT', [3]), alone)
  writeBuffer.stage = 1
  writeBuffer.postRows(rows(4, 'INSERT', [3]))
  writeBuffer.postRows(rows(5, 'INSERT 2', [3]))
  assert.deepEqual(
    writeBuffer.take(null).map(({ statement }) => statement),
    [
      { text: 'INSERT', values: [2, null, [1, 2], ['row 1', 'row 2']] },
      of('INSERT of one'),
      { text: 'INSERT', values: [3, 'row 4', [4], null] },
      { text: 'INSERT 2', values: [3, 'row 5', [5], null] },
    ],
  )
})

test('many rows are several statements', () => {
  const writeBuffer = newBuffer()
  for (const n of [1, 2])
    writeBuffer.postRows({ text: 'INSERT', head: [], keys: [n], columns: [['x'.repeat(40_000)]] })
  assert.equal(writeBuffer.take(null).length, 2)
})
