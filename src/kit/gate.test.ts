// Gates: places, shares, order of the queue, and refusals.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { ServiceUnavailable } from '../errors.ts'
import { Gate } from './gate.ts'

const gate = (options: { places?: number; share?: number; queue?: number; patienceMs?: number }) =>
  new Gate({ places: 2, queue: 10, patienceMs: 60_000, refusal: 'too many', ...options })

test('places are given in order, and each is given back once', async () => {
  const onePlace = gate({ places: 1 })
  const order: string[] = []
  const leave = await onePlace.enter('a')
  const others = ['b', 'c'].map(async (who) => {
    const done = await onePlace.enter(who)
    order.push(who)
    done()
  })
  await turn()
  assert.deepEqual(order, [])
  leave()
  leave()
  await Promise.all(others)
  assert.deepEqual(order, ['b', 'c'])
  assert.equal(onePlace.knows('a') || onePlace.knows('b'), false, 'nobody is remembered')
})

test('a frequent client holds no more than its share, and queues after clients that asked once', async () => {
  const shared = gate({ places: 3, share: 2 })
  const held = [await shared.enter('greedy'), await shared.enter('greedy')]
  const order: string[] = []
  const more = Array.from({ length: 5 }, async () => {
    const leave = await shared.enter('greedy')
    order.push('greedy')
    leave()
  })
  await turn()
  assert.equal(order.length, 0, 'the third place is not for the same one')
  const other = await shared.enter('other')
  const third = shared.enter('third').then((leave) => {
    order.push('third')
    leave()
  })
  await turn()
  held[0]?.()
  await Promise.all([third, ...more])
  assert.equal(order.indexOf('third') <= 1, true, `third waits for one of the others at most: ${order}`)
  other()
  held[1]?.()
})

test('too many of one who wait are refused, those of another are not', async () => {
  const full = gate({ places: 1, queue: 1 })
  const leave = await full.enter('a')
  const waits = full.enter('a')
  await assert.rejects(full.enter('a'), ServiceUnavailable)
  const other = full.enter('b')
  leave()
  ;(await waits)()
  ;(await other)()
})

test('who waits too long is refused, and leaves the line', async () => {
  const slow = gate({ places: 1, patienceMs: 1 })
  const leave = await slow.enter('a')
  await assert.rejects(slow.enter('b'), { message: 'too many', name: 'ServiceUnavailable' })
  assert.equal(slow.knows('b'), false)
  leave()
  ;(await slow.enter('c'))()
})
