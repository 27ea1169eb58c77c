// A thread aside: pieces in turn, and an end to time, memory and the queue.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceUnavailable } from '../errors.ts'
import { Aside, type Terms } from './aside.ts'

const program = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', (piece) => {
      if (piece === 'for ever') for (;;);
      if (piece === 'break') throw new Error('broken')
      const hoard = []
      while (piece === 'hoard') hoard.push(new Array(100_000).fill(Math.random()))
      parentPort.postMessage(piece + '!')
    })`)}`,
)
const termsOf = (terms: Partial<Terms> = {}) => ({
  program,
  patienceMs: 900_000,
  idleMs: 1,
  heapMb: 32,
  waiting: 10,
  what: 'tests',
  ...terms,
})
const aside = (terms: Partial<Terms> = {}) => new Aside<string, string>(termsOf(terms))

test('pieces are answered in their order', async () => {
  const thread = aside()
  assert.deepEqual(await Promise.all(['a', 'b', 'c'].map((piece) => thread.ask(piece, 1))), [
    'a!',
    'b!',
    'c!',
  ])
})

test('a piece that fails, takes all memory or never ends is null, and the next one is answered', async () => {
  const thread = aside()
  assert.equal(await thread.ask('break', 1), null)
  assert.equal(await thread.ask('hoard', 1), null)
  assert.equal(await thread.ask('a', 1), 'a!')
  const hasty = aside({ patienceMs: 50 })
  assert.equal(await hasty.ask('for ever', 1), null)
})

test('what waits is bounded: a piece alone is taken whatever its size, others only where there is room', async () => {
  const thread = aside()
  const first = thread.ask('large', 100)
  await assert.rejects(thread.ask('late', 1), ServiceUnavailable)
  assert.equal(await first, 'large!')
  const both = [thread.ask('a', 5), thread.ask('b', 5)]
  await assert.rejects(thread.ask('c', 1), ServiceUnavailable)
  assert.deepEqual(await Promise.all(both), ['a!', 'b!'])
})

test('a piece waits for its turn as long as is said, and others go on', async () => {
  const terms = termsOf({ patienceMs: 500, turnMs: 20 })
  const thread = new Aside<string, string>(terms)
  const first = thread.ask('for ever', 1)
  await assert.rejects(thread.ask('late', 1), ServiceUnavailable)
  assert.equal(await first, null)
  // The next piece starts a new thread, which takes a slow machine a while.
  terms.patienceMs = 900_000
  assert.equal(await thread.ask('a', 1), 'a!')
})
