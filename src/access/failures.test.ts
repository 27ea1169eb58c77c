// Cooldowns: which subjects wait and how long, and how long answers are held back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delayOf, isPaused, type Kind, pauseOf } from './failures.ts'

const parameters = (after: string | null, duration: string | null) => ({
  'base.login_cooldown_after': after,
  'base.login_cooldown_duration': duration,
})
const paused = (
  count: number,
  age: number,
  after: string | null,
  duration: string | null,
  kind: Kind = 'address',
) => isPaused({ kind, name: 'x', count, age }, parameters(after, duration))

test('paused from the limit on, for as long as the last failure is young', () => {
  assert.equal(paused(2, 0, '3', '60'), false)
  assert.equal(paused(3, 0, '3', '60'), true)
  assert.equal(paused(9, 59.9, '3', '60'), true)
  assert.equal(paused(9, 60, '3', '60'), false)
})

test('parameters: absent or odd ones have a value, zero is never', () => {
  assert.equal(paused(4, 0, null, null), false)
  assert.equal(paused(5, 59, null, null), true)
  assert.equal(paused(5, 60, 'many', 'long'), false)
  assert.equal(paused(5, 10, 'many', 'long'), true)
  assert.equal(paused(1000, 0, '0', '60'), false)
  assert.equal(paused(1000, 0, '-1', '60'), false)
})

test('calls over RPC may fail twice as often', () => {
  assert.equal(paused(5, 0, '3', '60', 'rpc user'), false)
  assert.equal(paused(6, 0, '3', '60', 'rpc address'), true)
  assert.equal(paused(1000, 0, '0', '60', 'rpc user'), false)
})

test('a login waits twice as long with every further failure, an hour at most', () => {
  const pauses = [19, 20, 21, 22, 25, 26, 99].map((count) => pauseOf({ kind: 'login', count }, {}))
  assert.deepEqual(pauses, [0, 60, 120, 240, 1920, 3600, 3600])
  assert.equal(
    pauseOf(
      { kind: 'login', count: 7 },
      { 'base.login_lockout_after': '7', 'base.login_lockout_duration': '7200' },
    ),
    7200,
  )
  assert.equal(pauseOf({ kind: 'login', count: 700 }, { 'base.login_lockout_after': '0' }), 0)
})

test('answers are held back after a third of the limit, half a second at most', () => {
  assert.deepEqual(
    [1, 3, 4, 5, 6, 7, 8, 50].map((count) => delayOf(count, 10)),
    [0, 0, 50, 100, 200, 400, 500, 500],
  )
  assert.equal(delayOf(50, 0), 0)
})
