// Patroni fails over: nodes find the new primary server by themselves, nothing that was acknowledged is
// lost, and every call that failed says what became of it.
// Begins first: it takes 35 s.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patroniRounds } from './patroni.ts'
import { withoutPatroni } from './patroni-cluster.ts'

test('over two failovers by Patroni acknowledged writes are there, undone ones are not, calls with a key are decided by their row', {
  skip: withoutPatroni,
}, async () => {
  const report = await patroniRounds({ rounds: 2, clients: 8, withRights: false })
  const { acknowledged, lost, twice, undoneButThere, failures } = report
  assert.ok(acknowledged > 200)
  assert.deepEqual([lost, twice, undoneButThere], [0, 0, 0], JSON.stringify(report))
  for (const kind of Object.keys(failures))
    assert.match(kind, /^503 (undone|unknown) (?!without)|^409 {2}A call with this Idempotency-Key/)
})
