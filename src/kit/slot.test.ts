// Slots: each remembers its own, by whom it is of.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Slot } from './slot.ts'

test('slots keep to themselves, and holders too', () => {
  const [names, sizes] = [new Slot<string>(), new Slot<number>()]
  const [first, other] = [{ slots: [] }, { slots: [] }]
  sizes.set(first, 3)
  assert.deepEqual([names.get(first), sizes.get(first), sizes.get(other)], [undefined, 3, undefined])
  names.set(first, 'a')
  sizes.set(other, 4)
  assert.deepEqual(
    [names.get(first), sizes.get(first), names.get(other), sizes.get(other)],
    ['a', 3, undefined, 4],
  )
})
