// Slots: each remembers its own, by whom it is of.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Slot } from './slot.ts'

test('slots keep to themselves, and holders too', () => {
  const [names, sizes] = [new Slot<string>(), new Slot<number>()]
  const [one, other] = [{ slots: [] }, { slots: [] }]
  sizes.set(one, 3)
  assert.deepEqual([names.get(one), sizes.get(one), sizes.get(other)], [undefined, 3, undefined])
  names.set(one, 'a')
  sizes.set(other, 4)
  assert.deepEqual(
    [names.get(one), sizes.get(one), names.get(other), sizes.get(other)],
    ['a', 3, undefined, 4],
  )
})
