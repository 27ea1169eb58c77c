// Long tests are shared out evenly among changes, and each has its turn.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { longTests, longTurns } from './turns.ts'

test('each long file has one turn, and no turn has much more to do than another', () => {
  const seconds = new Map(longTests.map((one) => [one.file, one.seconds]))
  assert.equal(seconds.size, longTests.length, 'no file is named twice')
  const turns = longTurns()
  assert.deepEqual(turns.flat().sort(), [...seconds.keys()].sort())
  const loads = turns.map((files) => files.reduce((sum, file) => sum + (seconds.get(file) ?? 0), 0))
  const longest = longTests[0]?.seconds ?? 0
  assert.ok(Math.max(...loads) - Math.min(...loads) <= longest, `${loads}`)
})
