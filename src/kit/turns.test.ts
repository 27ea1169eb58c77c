// Long work of several callers goes on in turn, with everything else in between.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turn } from './turns.ts'

test('one of many goes on at a time, in the order in which they asked, and everything else in between', async () => {
  const order: string[] = []
  const work = async (name: string) => {
    for (let n = 0; n < 3; n++) {
      await turn()
      order.push(name)
    }
  }
  let between = 0
  const most = { inRow: 0, since: 0 }
  let isOver = false
  const look = () => {
    between++
    most.inRow = Math.max(most.inRow, order.length - most.since)
    most.since = order.length
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  await Promise.all(['a', 'b', 'c', 'd'].map(work))
  isOver = true
  assert.equal(order.join(''), 'abcdabcdabcd')
  assert.equal(most.inRow, 1)
  assert.ok(between >= order.length)
})

test('a caller that asks while no other waits goes on next time', async () => {
  await turn()
  let isOver = false
  const end = turn().then(() => (isOver = true))
  await Promise.resolve()
  assert.equal(isOver, false)
  await end
})
