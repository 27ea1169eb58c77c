// Concurrent reads: the failure that is thrown, no read left under way, and reads one after the other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Environment } from '../language/environment.ts'
import { atOnce, together } from './reads.ts'

const envWith = (waiting: number) =>
  ({
    unit: { recomputation: { pending: new Map(Array.from({ length: waiting }, (_, n) => [n, n])) } },
  }) as unknown as Environment

test('batch: results come in order; of several failures the first in order is thrown, when all have ended', async () => {
  assert.deepEqual(await together<[number, string]>(Promise.resolve(1), Promise.resolve('b')), [1, 'b'])
  let ended = false
  const late = Promise.withResolvers<never>()
  const later = late.promise.finally(() => {
    ended = true
  })
  const failing = together(later, Promise.reject(new Error('second')))
  late.reject(new Error('first'))
  await assert.rejects(failing, /^Error: first$/)
  assert.ok(ended)
})

test('reads start at once, and one after the other where computed values wait', async () => {
  const seen: string[] = []
  const read = (name: string) => async () => {
    seen.push(`${name} begins`)
    await Promise.resolve()
    seen.push(`${name} ends`)
    return name
  }
  assert.deepEqual(await atOnce(envWith(0), read('a'), read('b')), ['a', 'b'])
  assert.deepEqual(seen.splice(0), ['a begins', 'b begins', 'a ends', 'b ends'])
  assert.deepEqual(await atOnce(envWith(1), read('a'), read('b')), ['a', 'b'])
  assert.deepEqual(seen, ['a begins', 'a ends', 'b begins', 'b ends'])
})
