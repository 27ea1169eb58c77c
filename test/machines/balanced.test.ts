// HAProxy with the delivered settings: a node that is stopped in order causes no failed call; one that
// is killed fails the calls that it had, and HAProxy's answer says whether they may have run.
// Begins first: it takes 10 s.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withoutHaproxy } from '../support/haproxy.ts'
import { balancedRounds } from './balanced.ts'

test('one of two nodes behind HAProxy drains unnoticed, and may be killed', {
  skip: withoutHaproxy,
}, async () => {
  const report = await balancedRounds([true, false], 8)
  const { lost, twice, undoneButThere, saidFirst, callsWhileAway, failuresOfDrains, failures, said } = report
  assert.deepEqual([lost, twice, undoneButThere], [0, 0, 0], JSON.stringify(report))
  assert.ok(saidFirst)
  assert.equal(callsWhileAway, 0)
  assert.deepEqual(failuresOfDrains, {})
  for (const kind of Object.keys(failures)) assert.match(kind, /^50[23] (undone|unknown) (?!without)/)
  for (const answer of Object.values(said)) {
    assert.match(String(answer.type), /^application\/json/)
    assert.ok(Number(answer.retryAfter) > 0)
    assert.deepEqual(Object.keys(JSON.parse(answer.body)), [
      'name',
      'message',
      'arguments',
      'context',
      'debug',
    ])
  }
  assert.deepEqual([said.cut.status, said.cut.outcome], [502, 'unknown'])
  assert.deepEqual([said.none.status, said.none.outcome], [503, 'undone'])
})
