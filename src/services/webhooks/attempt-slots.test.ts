// Places for attempts: however many one asker holds, something is left for the next one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Places } from './attempt-slots.ts'

/** Asks for places, and counts those that were given. */
function asking(places: Places) {
  const leaves = new Map<string, (() => void)[]>()
  const held = (user: string) =>
    [...leaves].filter(([key]) => key.startsWith(`${user} `)).reduce((sum, [, { length }]) => sum + length, 0)
  return {
    ask(user: string, endpoint: number, count: number, isProven = false) {
      const key = `${user} ${endpoint}`
      const leaveList = leaves.get(key) ?? []
      leaves.set(key, leaveList)
      for (let at = 0; at < count; at++)
        void places.take({ user, endpoint, isProven: () => isProven }).then((leave) => leaveList.push(leave))
      return turn()
    },
    async leave(user: string, endpoint: number) {
      leaves.get(`${user} ${endpoint}`)?.shift()?.()
      await turn()
    },
    held,
    of: (user: string, endpoint: number) => leaves.get(`${user} ${endpoint}`)?.length ?? 0,
  }
}

test('a user whose receivers hang holds half of the places, and each of the endpoints has one', async () => {
  const all = asking(new Places(64))
  for (let endpoint = 0; endpoint < 20; endpoint++) await all.ask('a', endpoint, 16)
  assert.ok(all.held('a') <= 32)
  for (let endpoint = 0; endpoint < 20; endpoint++) assert.ok(all.of('a', endpoint) >= 1, `${endpoint}`)
  await all.ask('b', 1, 4, true)
  assert.equal(all.held('b'), 4)
})

test('of five users whose receivers answer and then hang, none takes all: a sixth is served at once', async () => {
  const all = asking(new Places(64))
  for (const user of 'abcde')
    for (let endpoint = 0; endpoint < 20; endpoint++) await all.ask(user, endpoint, 16, true)
  await all.ask('f', 1, 1)
  assert.equal(all.held('f'), 1)
})

test('places: a returned place goes to the asker with the fewest', async () => {
  const all = asking(new Places(4))
  await all.ask('a', 1, 4, true)
  assert.equal(all.of('a', 1), 2)
  await all.ask('b', 1, 4, true)
  await all.ask('c', 1, 4, true)
  assert.deepEqual([all.held('a'), all.held('b'), all.held('c')], [2, 1, 1])
  await all.leave('a', 1)
  await all.leave('a', 1)
  assert.deepEqual([all.held('b'), all.held('c')].toSorted(), [1, 1])
  assert.equal(all.held('a'), 1)
})

test('what one endpoint does not take its neighbours have, and all is used by one alone in the end', async () => {
  const all = asking(new Places(64))
  await all.ask('a', 1, 16, true)
  assert.equal(all.of('a', 1), 16)
  await all.ask('a', 2, 4, true)
  assert.equal(all.of('a', 2), 4)
  for (let at = 0; at < 16; at++) await all.leave('a', 1)
  for (let at = 0; at < 4; at++) await all.leave('a', 2)
  assert.equal(all.held('a'), 0)
})
