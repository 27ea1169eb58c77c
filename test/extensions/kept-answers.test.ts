// The space of answers kept for retries is bounded. Live rows count, not the size that the file once
// had, and the count runs rarely. The test sets the clock.
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import { setLimits } from '../../src/limits.ts'
import { modules } from '../../src/main.ts'
import { assertRoomToKeep, noteKept } from '../../src/services/calls/stored-answers.ts'
import { sql } from '../../src/sql/index.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { statementsOf } from '../support/statements.ts'

/** Bytes that a database may keep here, and rows that are more than that. */
const [BOUND, MANY] = [300_000, 4000]
/** A user id without a user, whose rows fill the table. */
const NOBODY = 999_999

let nodes: Nodes
before(async () => {
  nodes = await openNodes({ known: modules.filter(({ name }) => name === 'base') })
})
after(() => nodes?.close())
beforeEach(() => setLimits({ 'kept-answers-database': BOUND }))
afterEach(async () => {
  setLimits()
  await clear()
})

let last = 0
const create = () =>
  nodes.call(
    'res.partner/create',
    { vals_list: [{ name: 'Kept' }] },
    { 'idempotency-key': `"kept-${++last}"` },
  )

/** Rows with short answers, of a user of their own. */
const fill = (rows: number) =>
  nodes.run(({ unit }) =>
    unit.query(sql`INSERT INTO comptoir_idempotency (uid, key_hash, fingerprint, created, model, method, answer, kept)
      SELECT ${NOBODY}::int, sha256(n::text::bytea), sha256(n::text::bytea), now(), 'res.partner', 'create', '[1]', true
      FROM generate_series(1, ${rows}::int) AS n`),
  )

/** Deletes all rows but the last, so that VACUUM cannot truncate the file. */
const empty = () =>
  nodes.run(({ unit }) =>
    unit.query(sql`DELETE FROM comptoir_idempotency WHERE uid = ${NOBODY}::int
      AND ctid < (SELECT max(ctid) FROM comptoir_idempotency WHERE uid = ${NOBODY}::int)`),
  )

const clear = () => nodes.run(({ unit }) => unit.query(sql`DELETE FROM comptoir_idempotency`))

const sizeOfFile = async () => {
  const [row] = await nodes.run(({ unit }) =>
    unit.query(sql`SELECT pg_total_relation_size('comptoir_idempotency')::float8`),
  )
  return Number(row?.[0])
}

/** Looks whether there is room, at a moment; gives what was counted for it. */
async function look(at: number): Promise<{ isFull: boolean; counts: number }> {
  let isFull = false
  const texts = await statementsOf(() =>
    nodes
      .run(({ unit }) => Promise.resolve(assertRoomToKeep(nodes.database, unit, NOBODY, () => at)))
      .catch((error: unknown) => {
        assert.match(String(error), /kept-answers-database/)
        isFull = true
      }),
  )
  return { isFull, counts: texts.filter((text) => /pg_total_relation_size|octet_length/.test(text)).length }
}

test('kept answers: many rows with short answers are counted', async () => {
  await fill(MANY)
  const most = Math.ceil(BOUND / 16 / 256) + 2
  let refused = 0
  for (let n = 0; n < most && !refused; n++) {
    const { status, text } = await create()
    if (status === 200) continue
    assert.deepEqual([status, /kept-answers-database/.test(text)], [413, true])
    refused++
  }
  assert.equal(refused, 1)
})

test('kept answers: space of old rows is free again although the file stays large', async () => {
  // Another bound than before: what was found for that one says nothing.
  setLimits({ 'kept-answers-database': BOUND + 2 })
  await fill(MANY)
  await empty()
  assert.ok((await sizeOfFile()) > BOUND, 'the file is large still')
  noteKept(nodes.database, NOBODY, BOUND)
  assert.equal((await create()).status, 200)
})

test('kept answers: a full table is counted every five seconds at most, and then has space again', async () => {
  // Another bound than before: what was found for that one says nothing.
  setLimits({ 'kept-answers-database': BOUND + 1 })
  await fill(MANY)
  noteKept(nodes.database, NOBODY, BOUND)
  assert.deepEqual(await look(10_000), { isFull: true, counts: 2 })
  for (const at of [10_000, 12_000, 14_999]) assert.deepEqual(await look(at), { isFull: true, counts: 0 })
  assert.deepEqual(await look(15_000), { isFull: true, counts: 2 })
  await empty()
  assert.deepEqual(await look(19_999), { isFull: true, counts: 0 })
  assert.deepEqual(await look(20_000), { isFull: false, counts: 2 })
  assert.deepEqual(await look(20_001), { isFull: false, counts: 0 })
})
