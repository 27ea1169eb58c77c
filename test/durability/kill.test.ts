// No acknowledged record is lost when everything is killed at once, what is sent again with its key happens
// once, and one data directory has one server.
// Begins first: it takes 8 s.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killDuringCreates } from './kill.ts'
import { isRight } from './later.ts'
import { canLook } from './processes.ts'

test('SIGKILL of server and PostgreSQL during creates: acknowledged records exist, and each job runs once', {
  skip: !canLook && 'needs /proc',
}, async () => {
  const later = { jobs: 8, rows: 4000 }
  const outcome = await killDuringCreates({ creates: 2000, atOnce: 12, until: 60, later })
  assert.ok(outcome.acknowledged >= 60, `only ${outcome.acknowledged} creates were acknowledged`)
  assert.ok(outcome.unanswered > 0, 'the kill came when nothing was in flight')
  assert.deepEqual(outcome.lost, [])
  assert.deepEqual(outcome.halves, [])
  assert.deepEqual([outcome.notOnce, outcome.otherwise, outcome.rehearsed], [[], [], 0])
  assert.ok(outcome.feed.before > 0, 'the feed told nothing before the kill')
  assert.deepEqual(outcome.feed.flaws, [])
  assert.ok(outcome.found >= outcome.acknowledged)
  assert.ok(outcome.later && isRight(outcome.later), JSON.stringify(outcome.later))
  assert.ok(outcome.later.kept < later.rows, 'the kill came when all rows were records')
  assert.equal(outcome.second.code, 1)
  assert.match(outcome.second.output, /already running/)
  assert.equal(outcome.stopped, 0)
})
