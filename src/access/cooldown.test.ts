// The pause after failures, and what a call leaves behind.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AccessDenied } from '../errors.ts'
import type { Ask } from './ask.ts'
import { AddressGuard, isPaused } from './cooldown.ts'

test('paused from the limit on, for as long as the last failure is young', () => {
  assert.equal(isPaused({ count: 2, age: 0 }, '3', '60'), false)
  assert.equal(isPaused({ count: 3, age: 0 }, '3', '60'), true)
  assert.equal(isPaused({ count: 9, age: 59.9 }, '3', '60'), true)
  assert.equal(isPaused({ count: 9, age: 60 }, '3', '60'), false)
})

test('parameters: absent or odd ones have a value, zero is never', () => {
  assert.equal(isPaused({ count: 4, age: 0 }, null, null), false)
  assert.equal(isPaused({ count: 5, age: 59 }, null, null), true)
  assert.equal(isPaused({ count: 5, age: 60 }, 'many', 'long'), false)
  assert.equal(isPaused({ count: 5, age: 10 }, 'many', 'long'), true)
  assert.equal(isPaused({ count: 1000, age: 0 }, '0', '60'), false)
  assert.equal(isPaused({ count: 1000, age: 0 }, '-1', '60'), false)
})

/** A guard over a state, and the statements it wrote. */
function guardOver(failures: number | null): { guard: AddressGuard; written: string[] } {
  const written: string[] = []
  const ask: Ask = async ({ text, values }) => {
    assert.ok(values.includes('10.0.0.1'))
    if (text.startsWith('SELECT')) return [['3', '60', failures, 1]]
    written.push(text.slice(0, 6))
    return []
  }
  return { guard: new AddressGuard(ask, '10.0.0.1'), written }
}

test('what a call came to is written when it has ended, once', async () => {
  const { guard, written } = guardOver(1)
  await guard.assertNone()
  await guard.failed()
  await guard.failed()
  assert.deepEqual(written, [])
  await guard.settle()
  await guard.settle()
  assert.deepEqual(written, ['WITH o'])
})

test('a success clears the count, where there is one', async () => {
  for (const [failures, expected] of [
    [2, ['DELETE']],
    [null, []],
  ] as const) {
    const { guard, written } = guardOver(failures)
    await guard.assertNone()
    await guard.succeeded()
    await guard.settle()
    assert.deepEqual(written, expected)
  }
})

test('who has to wait hears so, and is not counted again', async () => {
  const { guard, written } = guardOver(3)
  await assert.rejects(guard.assertNone(), AccessDenied)
  await guard.settle()
  assert.deepEqual(written, [])
})
