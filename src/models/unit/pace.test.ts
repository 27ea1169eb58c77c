// Long statements: few at a time, those of one user after those of others, and which of them are long.
import assert from 'node:assert/strict'
import { availableParallelism } from 'node:os'
import { mock, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { isLong, noteTime, turnOf } from './large.ts'

const shop = {}
const AT_ONCE = Math.max(2, availableParallelism() - 1)

/** Turns that a user asks for, with those that were granted. */
function ask(who: number, count: number, holds = false) {
  const granted: (() => void)[] = []
  const refused: unknown[] = []
  for (let n = 0; n < count; n++)
    void turnOf(shop, who, holds).then(
      (leave) => granted.push(leave),
      (error) => refused.push(error),
    )
  return { granted, refused }
}

test('few are under way at a time, and users take turns', async () => {
  const many = ask(1, AT_ONCE + 3)
  const other = ask(2, 1)
  await turn()
  assert.deepEqual([many.granted.length, other.granted.length], [AT_ONCE, 0])
  many.granted.shift()?.()
  many.granted.shift()?.()
  await turn()
  assert.deepEqual([many.granted.length, other.granted.length], [AT_ONCE - 1, 1])
  other.granted.shift()?.()
  for (let n = 0; n < 9; n++) {
    for (const leave of many.granted.splice(0)) leave()
    await turn()
  }
})

test('who holds a transaction goes on after a second, others are refused after six', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const busy = ask(1, AT_ONCE)
    const [holds, waits] = [ask(3, 1, true), ask(4, 1)]
    await turn()
    mock.timers.tick(1000)
    await turn()
    assert.deepEqual([holds.granted.length, waits.granted.length], [1, 0])
    mock.timers.tick(5000)
    await turn()
    assert.equal((waits.refused[0] as Error).name, 'ServiceUnavailable')
    // A statement that proceeded without a turn returns none.
    holds.granted[0]?.()
    const next = ask(5, 1)
    await turn()
    assert.equal(next.granted.length, 0)
    busy.granted[0]?.()
    await turn()
    assert.equal(next.granted.length, 1)
    for (const leave of [...busy.granted, ...next.granted]) leave()
  } finally {
    mock.timers.reset()
  }
})

test('a statement that took long is long for the next twenty times, and longer while it still takes its time', () => {
  const statement = { text: 'SELECT long', values: [] }
  noteTime(statement, 249)
  assert.equal(isLong(statement), false)
  noteTime(statement, 251)
  assert.equal(isLong({ text: 'SELECT long', values: [1] }), true)
  for (let n = 0; n < 19; n++) noteTime(statement, 10)
  assert.equal(isLong(statement), true)
  noteTime(statement, 61)
  for (let n = 0; n < 19; n++) noteTime(statement, 10)
  assert.equal(isLong(statement), true)
  noteTime(statement, 10)
  assert.equal(isLong(statement), false)
  const text = { text: 'x'.repeat(20_001), values: [] }
  noteTime(text, 9000)
  assert.equal(isLong(text), false)
})
