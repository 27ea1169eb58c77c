// Memory keeper: the looks after which memory is given back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryKeeper } from './memory-keeper.ts'

const MB = 1024 ** 2
const small = { resident: 200 * MB, isBusy: false }
const large = { resident: 500 * MB, isBusy: false }

/** Number of looks until memory is to be given back; null if `most` looks do not suffice. */
function looksUntil(keeper: MemoryKeeper, look: typeof small, most = 2000): number | null {
  for (let at = 1; at <= most; at++) if (keeper.look(look)) return at
  return null
}

/** A keeper that has given back what its start left, and may give back again. */
function started(): MemoryKeeper {
  const keeper = new MemoryKeeper()
  assert.equal(looksUntil(keeper, small), 2)
  keeper.collected(230 * MB, 200 * MB)
  for (let at = 0; at < 6; at++) keeper.look({ ...small, isBusy: true })
  return keeper
}

test('memory keeper: gives back the memory of the start in the second calm moment, once', () => {
  assert.equal(looksUntil(started(), small), null)
})

test('what stands well above the least is given back in the second calm moment', () => {
  const keeper = started()
  assert.equal(looksUntil(keeper, small), null, 'the least is the measure')
  assert.equal(looksUntil(keeper, { resident: 250 * MB, isBusy: false }), null, 'a little more is nothing')
  assert.equal(looksUntil(keeper, { ...large, isBusy: true }), null, 'who works is not stopped')
  assert.equal(looksUntil(keeper, large), 2)
})

test('memory keeper: a single calm moment between two busy ones does not count', () => {
  const keeper = started()
  for (let at = 0; at < 100; at++) {
    assert.equal(keeper.look(large), false)
    assert.equal(keeper.look({ ...large, isBusy: true }), false)
  }
})

test('after a collection there is a rest, which grows where little was given back', () => {
  const keeper = started()
  assert.equal(looksUntil(keeper, large), 2)
  keeper.collected(500 * MB, 210 * MB)
  const usual = looksUntil(keeper, large)
  const vain = [1, 2, 3].map(() => {
    keeper.collected(500 * MB, 495 * MB)
    return looksUntil(keeper, large)
  })
  assert.deepEqual([usual, ...vain], [6, 12, 24, 48])
  for (let at = 0; at < 10; at++) {
    keeper.collected(500 * MB, 500 * MB)
    assert.ok((looksUntil(keeper, large) ?? 1000) <= 720, 'an hour at most: what was in use may be free')
  }
  keeper.collected(500 * MB, 300 * MB)
  assert.equal(looksUntil(keeper, large), 6, 'what gave back is looked at as often as ever')
})
