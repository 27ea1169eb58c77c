// Sequences: no number twice, under concurrency and when gaps are forbidden later; none left out where no gap
// may be, one range for a year.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { base } from '../../src/modules/base/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { call } from '../../src/services/call.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
let key: string
before(async () => {
  db = await openTestDatabase([base])
  key = await createKey(db.databases, 'test', 'admin', { scope: 'rpc', name: 'seq', days: 1 })
})
after(() => db?.close())

async function draw(ids: readonly number[], named: Record<string, unknown> = {}): Promise<string> {
  const answer = await call(db.databases, {
    database: 'test',
    credential: { kind: 'key', key },
    model: 'ir.sequence',
    method: 'next_by_id',
    remote: '127.0.0.1',
    requestId: 'seq',
    body: () => ({ ids, named }),
  })
  return JSON.parse(answer.json)
}

const createSequence = (vals: object) =>
  db.run(async (env) => (await env.model('ir.sequence').create([{ name: 'S', ...vals }] as never)).ids)
const together = (count: number, work: (n: number) => Promise<string>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)))

test('thirty callers at once: each its own number, and no gap where none may be', async () => {
  for (const implementation of ['standard', 'no_gap']) {
    const ids = await createSequence({
      implementation,
      prefix: 'N',
      padding: 3,
      number_next: 5,
      number_increment: 2,
    })
    const drawn = await together(30, () => draw(ids))
    assert.deepEqual(
      drawn.sort(),
      Array.from({ length: 30 }, (_, n) => `N${String(5 + 2 * n).padStart(3, '0')}`),
      implementation,
    )
  }
})

test('sequences: a number drawn in a failed call is free again if gaps are not allowed', async () => {
  const ids = await createSequence({ implementation: 'no_gap' })
  const failing = db.run(async (env) => {
    assert.equal(await env.model('ir.sequence').browse(ids).next_by_id({ sequence_date: null }), '1')
    throw new Error('undone')
  })
  await assert.rejects(failing, /undone/)
  assert.equal(await draw(ids), '1')
})

test('sequences: callers without a range for their date create one together, and share it', async () => {
  for (const implementation of ['standard', 'no_gap']) {
    const ids = await createSequence({ implementation, use_date_range: true, prefix: '%(range_year)s/' })
    const drawn = await together(8, (n) => draw(ids, { sequence_date: n % 2 ? '2031-03-04' : '2032-12-31' }))
    assert.deepEqual(
      drawn.sort(),
      ['2031/1', '2031/2', '2031/3', '2031/4', '2032/1', '2032/2', '2032/3', '2032/4'],
      implementation,
    )
    const ranges = await db.run((env) =>
      env.model('ir.sequence.date_range').searchCount([['sequence_id', 'in', [...ids]]]),
    )
    assert.equal(ranges, 2)
  }
})

test('sequences: one that becomes gapless continues at its number, and so do its ranges', async () => {
  const change = (ids: readonly number[], vals: object) =>
    db.run((env) => env.model('ir.sequence').browse(ids).write(vals))
  const plain = await createSequence({ number_next: 5, number_increment: 2 })
  const ranged = await createSequence({ use_date_range: true })
  const days = ['2031-03-04', '2031-03-04', '2032-01-01']
  for (const _ of days) await draw(plain)
  for (const sequence_date of days) await draw(ranged, { sequence_date })
  await change([...plain, ...ranged], { implementation: 'no_gap' })
  assert.equal(await draw(plain), '11')
  const on = []
  for (const sequence_date of [...days, '2033-01-01']) on.push(await draw(ranged, { sequence_date }))
  assert.deepEqual(on, ['3', '4', '2', '1'])
  await change(plain, { implementation: 'standard' })
  assert.equal(await draw(plain), '13')
  // No number was drawn yet, so a number written together with the implementation counts.
  const fresh = await createSequence({ number_next: 40 })
  await change(fresh, { implementation: 'no_gap' })
  assert.equal(await draw(fresh), '40')
  for (const [values, expected] of [
    [{ number_next: 7 }, '7'],
    [{ number_next_actual: 9, number_increment: 3 }, '9'],
  ] as const) {
    await change(plain, { implementation: 'standard' })
    await draw(plain)
    await change(plain, { implementation: 'no_gap', ...values })
    assert.equal(await draw(plain), expected)
  }
})

test('sequences: no sequence has an empty code', async () => {
  const [id] = await createSequence({})
  const code = (sequence_code: string) =>
    db.run((env) => env.model('ir.sequence').next_by_code({ sequence_code, sequence_date: null }))
  assert.equal(await code(''), false)
  assert.equal(await draw([id ?? 0]), '1')
})
