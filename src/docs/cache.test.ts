// Documents are made once for all who ask at a time, and again where that failed.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Environment } from '../models/language/environment.ts'
import { keptDocument } from './cache.ts'

/** Callers alike, of a database whose rights are of one version. */
const callers = (): Environment =>
  ({ unit: { rights: {} }, user: { lang: 'en_US', groupIds: [1] }, su: false }) as unknown as Environment

test('who asks while a document is made waits for it', async () => {
  const env = callers()
  let times = 0
  const make = async () => {
    times++
    await new Promise(setImmediate)
    return { made: times }
  }
  const documents = await Promise.all(Array.from({ length: 5 }, () => keptDocument(env, 'index', make)))
  assert.equal(times, 1)
  assert.equal(new Set(documents).size, 1)
  assert.equal(await keptDocument(env, 'index', make), documents[0])
  assert.notEqual(await keptDocument(env, 'another', make), documents[0])
})

test('what failed for one is made for the next, and by no more than one at a time', async () => {
  const env = callers()
  let [times, atOnce, most] = [0, 0, 0]
  const make = async () => {
    most = Math.max(most, ++atOnce)
    await new Promise(setImmediate)
    atOnce--
    if (++times === 1) throw new Error('gone')
    return {}
  }
  const all = await Promise.allSettled(Array.from({ length: 4 }, () => keptDocument(env, 'index', make)))
  assert.deepEqual(
    all.map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
  )
  assert.deepEqual([times, most], [2, 1])
})
