// Totals of a large table: counted up to a bound, estimated by PostgreSQL beyond it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { raw } from '../../src/sql/index.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { recordStatements } from '../support/statements.ts'

/** A few more than an estimate counts. */
const ROWS = 10_100
const COUNTED = 10_000

let nodes: Nodes
const query = (text: string) => nodes.run(({ unit }) => unit.query(raw(text)))
before(async () => {
  nodes = await openNodes({ known: modules.filter(({ name }) => name === 'base') })
  // The statistics of the table are those that the test sets.
  await query('ALTER TABLE res_bank SET (autovacuum_enabled = off)')
  await query(
    `INSERT INTO res_bank (name, bic, active) SELECT 'Bank ' || n, 'B' || n, true FROM generate_series(1, ${ROWS}) AS n`,
  )
  await query('ANALYZE res_bank')
})
after(() => nodes?.close())

/** Has PostgreSQL believe that there are so many rows. */
const believe = (rows: number) =>
  query(`SELECT pg_restore_relation_stats('schemaname', 'public', 'relname', 'res_bank',
    'relpages', (pg_relation_size('res_bank') / 8192)::int, 'reltuples', ${rows}::real)`)

/** The total in the answer, and the statements sent to PostgreSQL. */
async function countOf(domain: readonly unknown[], prefer: string | null) {
  const recorder = recordStatements()
  try {
    const headers = prefer === null ? undefined : { prefer }
    const response = await nodes.call('res.bank/search', { domain, limit: 5, order: 'id' }, headers)
    assert.equal(response.status, 200, response.text)
    assert.equal(response.headers.get('preference-applied'), prefer)
    const texts = recorder.statements.map(({ text }) => text)
    return {
      total: Number(response.headers.get('total-count')),
      explained: texts.filter((text) => text.startsWith('EXPLAIN')).length,
      whole: texts.filter((text) => text.startsWith('SELECT count(*)') && !text.includes('LIMIT')).length,
      trips: recorder.trips(),
    }
  } finally {
    recorder.stop()
  }
}

test('counts: an estimate of a million counts ten thousand and takes one EXPLAIN', async () => {
  await believe(1_000_000)
  await countOf([], 'count=estimated')
  const { total, explained, whole } = await countOf([], 'count=estimated')
  assert.deepEqual([explained, whole], [1, 0], 'one EXPLAIN, and no count without an end')
  assert.ok(Math.abs(total - 1_000_000) < 1000, String(total))
  const planned = await countOf([], 'count=planned')
  assert.deepEqual([planned.total, planned.explained, planned.whole], [total, 1, 0])
})

test('counts: one within the bound is exact, whatever the statistics say', async () => {
  await believe(1_000_000)
  const twelve = [['bic', 'in', Array.from({ length: 12 }, (_, n) => `B${n + 1}`)]]
  const { total, explained } = await countOf(twelve, 'count=estimated')
  assert.deepEqual([total, explained], [12, 0])
  const [{ id }] = (
    await nodes.call('res.bank/search_read', { domain: [['bic', '=', `B${COUNTED}`]], fields: ['id'] })
  ).body as [{ id: number }]
  const most = await countOf([['id', '<=', id]], 'count=estimated')
  assert.deepEqual([most.total, most.explained], [COUNTED, 0], 'as many as are counted')
  assert.equal((await countOf([], 'count=exact')).total, ROWS)
})

test('counts: the counted number is the least, and a count takes no extra round trip', async () => {
  await believe(12)
  assert.equal((await countOf([], 'count=estimated')).total, COUNTED + 1)
  // Page and count are sent in one flush, and COMMIT is not waited for.
  for (const count of ['count=exact', 'count=planned']) {
    await countOf([], count)
    assert.equal((await countOf([], count)).trips, 2, count)
  }
})
