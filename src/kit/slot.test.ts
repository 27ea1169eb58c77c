// Work that goes on for an object.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ongoing } from './slot.ts'

test('ongoing work: it lasts until the last of nested and overlapping runs has ended, for its object alone', async () => {
  const ongoing = new Ongoing()
  const [owner, other] = [{ slots: [] }, { slots: [] }]
  const first = Promise.withResolvers<void>()
  const slow = ongoing.run(owner, () => first.promise)
  await ongoing.run(owner, () => ongoing.run(owner, async () => undefined))
  assert.deepEqual([ongoing.has(owner), ongoing.has(other)], [true, false])
  first.reject(new Error('ended'))
  await assert.rejects(slow, /ended/)
  assert.equal(ongoing.has(owner), false)
})
