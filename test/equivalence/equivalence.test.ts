// Values that may differ between two runs of one server, and values that may not; and a small run, in which
// this tree equals itself and a planted fault is found. `npm run equivalence -- --faults` plants them all.
// Begins first: it takes 10 s.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from '../support/serve.ts'
import { makeTemp } from '../support/temp.ts'
import { align, answerDifference } from './answers.ts'
import type { Exchange } from './exchange.ts'
import { faults, READS } from './faults.ts'
import { FaultTrial } from './faults-run.ts'
import { compareUpToIds, type Links } from './isomorphic.ts'
import type { Tables } from './tables.ts'
import { type IdMode, Values } from './values.ts'

const NOON = Date.parse('2026-05-05T12:00:00Z')
/** Ten requests, one each minute; the new side runs an hour later. */
const times = Array.from({ length: 10 }, (_, n) => ({
  oldBegin: NOON + n * 60_000,
  oldEnd: NOON + n * 60_000 + 500,
  newBegin: NOON + 3_600_000 + n * 60_000,
  newEnd: NOON + 3_600_000 + n * 60_000 + 500,
}))
const differs = (old: unknown, other: unknown, ids: IdMode = 'exact'): string | null =>
  new Values(times, ids).ofTexts(JSON.stringify(old), JSON.stringify(other))?.path ?? null

test('values: false, null, zero and the empty text differ', () => {
  for (const [old, other] of [
    [false, null],
    [0, false],
    ['', false],
    [[], false],
  ])
    assert.equal(differs({ a: old }, { a: other }), 'a')
})

test('values: order of lists, missing members and rows are differences', () => {
  assert.equal(differs([1, 2], [2, 1]), '[0]')
  assert.equal(differs([1], [1, 2]), '.length')
  assert.equal(differs({ a: 1 }, { a: 1, b: 2 }), 'b')
})

test('values: a float is no integer', () => {
  assert.equal(new Values(times, 'exact').ofTexts('{"a":1.0}', '{"a":1}')?.path, 'a')
})

test('values: a moment must belong to the same request', () => {
  assert.equal(differs('2026-05-05 12:03:00', '2026-05-05 13:03:00'), null)
  assert.equal(differs('2026-05-05 12:03:00', '2026-05-05 13:05:00'), '')
  assert.equal(differs('2020-01-01 00:00:00', '2020-01-02 00:00:00'), '')
  // Ninety days after the request.
  assert.equal(differs('2026-08-03 12:03:00', '2026-08-03 13:03:00'), null)
})

test('values: transfers of one moment may come in another order, other lists may not', () => {
  assert.equal(differs({ picking_ids: [1, 2] }, { picking_ids: [2, 1] }), null)
  assert.equal(differs({ picking_ids: [1, 2] }, { picking_ids: [1, 3] }), 'picking_ids[1]')
  const answer = (model: string, ids: readonly number[]): Exchange => ({
    ...exchange(`/json/2/${model}/search`),
    body: Buffer.from(JSON.stringify(ids)),
    headers: { 'content-type': 'application/json' },
  })
  const answersDiffer = (model: string) =>
    answerDifference(new Values(times, 'exact'), answer(model, [1, 2]), answer(model, [2, 1]))?.path
  assert.equal(answersDiffer('stock.picking'), undefined)
  assert.equal(answersDiffer('stock.move'), 'body.[0]')
})

test('values: a secret stands for one secret, and a digest for none', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((letter) => letter.repeat(40))
  assert.equal(differs([a, a], [b, b]), null)
  assert.equal(differs([a, a], [b, c]), '[1]')
  assert.equal(differs({ checksum: a }, { checksum: b }), 'checksum')
  // Begins as a moment does.
  assert.equal(differs('43246633283201783ac573734879feb349a5a4b8', b), null)
})

test('values: external ids of exports have a random end', () => {
  for (const name of ['__export__.res_partner_255', 'uom_uom_5']) {
    assert.equal(differs([`${name}_8d9ea0c4`], [`${name}_e4224a7b`]), null)
    assert.equal(differs([`${name}_8d9ea0c4`], [`${name}1_e4224a7b`]), '[0]')
  }
})

test('values: ids are equal unless they may be mapped, one to one', () => {
  assert.equal(differs({ ids: [15, 16] }, { ids: [16, 15] }), 'ids[0]')
  assert.equal(differs([{ id: 15 }, { id: 16 }], [{ id: 16 }, { id: 15 }], 'mapped'), null)
  assert.equal(differs([{ id: 15 }, { id: 15 }], [{ id: 16 }, { id: 15 }], 'mapped'), '[1].id')
})

const exchange = (path: string): Exchange => ({
  lane: 0,
  method: 'POST',
  path,
  requestHeaders: {},
  requestBody: Buffer.alloc(0),
  status: 200,
  headers: {},
  body: Buffer.alloc(0),
  begin: 0,
  end: 0,
  nextXid: 0,
})

test('align: requests that only one client sent are left out and reported', () => {
  const common = ['/c', '/d', '/e', '/f']
  const old = ['/a', '/b', ...common].map(exchange)
  const { pairs, partings } = align(old, ['/a', '/x', '/y', ...common].map(exchange))
  assert.deepEqual(
    pairs.map(([exchange]) => exchange.path),
    ['/a', ...common],
  )
  assert.equal(partings.length, 1)
})

test('align: requests that a client sent at the same time may be answered in another order', () => {
  const [a, b, c] = ['a', 'b', 'c'].map((text, n) => ({
    ...exchange('/same'),
    requestBody: Buffer.from(text),
    // The first two overlap.
    begin: n < 2 ? 0 : 20,
    end: n < 2 ? 10 : 30,
  })) as [Exchange, Exchange, Exchange]
  const bodies = align([a, b, c], [b, a, c]).pairs.map((pair) =>
    pair.map((exchange) => String(exchange.requestBody)),
  )
  assert.deepEqual(bodies, [
    ['a', 'a'],
    ['b', 'b'],
    ['c', 'c'],
  ])
})

const table = (name: string, rows: readonly object[]): Tables =>
  new Map([
    [name, { name, columns: [], rows: rows.map((row) => ({ key: '', text: JSON.stringify(row), xid: 0 })) }],
  ])
const links: Links = new Map([['contact', new Map([['parent_id', 'contact']])]])

test('tables up to ids: the same links by other ids are equal, other links are not', () => {
  const state = (a: number, b: number, parent: number | null) =>
    table('contact', [
      { id: a, name: 'parent', parent_id: null },
      { id: b, name: 'child', parent_id: parent },
    ])
  assert.deepEqual(compareUpToIds([state(1, 2, 1), state(2, 1, 2)], links), [])
  assert.equal(compareUpToIds([state(1, 2, 1), state(2, 1, 1)], links).length, 1)
  assert.equal(compareUpToIds([state(1, 2, 1), state(1, 2, null)], links).length, 1)
})

test('faults: every text that is replaced stands in its source exactly once', () => {
  for (const { name, patches } of faults)
    for (const { file, find } of patches)
      assert.equal(readFileSync(join(root, file), 'utf8').split(find).length, 2, `${name}: ${file}`)
})

test('run: this tree equals itself, and differs once a fault is planted', async (t) => {
  const temp = makeTemp('equivalence')
  t.after(() => temp.remove())
  const trial = await FaultTrial.open(temp.path, ['base'])
  assert.deepEqual(await trial.differences(READS), [])
  const fault = faults.find(({ name }) => name === 'rows that compare equal come in another order')
  const [first] = await trial.differences(READS, fault)
  assert.match(first?.what ?? 'no difference', /^the answer differs at body/)
  assert.match(first?.request ?? '', /res\.partner\/search_read/)
})
