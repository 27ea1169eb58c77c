// Places for large answers: few at a time, one less of one user, for as long as a call lasts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { limits } from '../../limits.ts'
import { LargePlace } from './large.ts'

const LARGE = 200_000
const shop = {}
const usage = () => ({ statements: 0, waited: 0, connectedAt: null, isHeavy: false })
const places = (count: number, holder: number, database: object = shop) =>
  Array.from({ length: count }, () => new LargePlace({ database, usage: usage() }, holder))

/** Number of calls that have got their place. */
async function granted(places: readonly Promise<void>[]): Promise<number> {
  let count = 0
  for (const place of places) void place.then(() => count++)
  await turn()
  return count
}

test('large answers of one user leave a place to others; who leaves lets the next one in', async () => {
  const most = limits['large-answers']
  const [mine, theirs] = [places(most, 1), places(2, 2)]
  const requested = mine.map((place) => place.take(LARGE))
  assert.equal(await granted(requested), most - 1)
  const others = theirs.map((place) => place.take(LARGE))
  assert.equal(await granted(others), 1)
  mine[0]?.leave()
  assert.equal((await granted(requested)) + (await granted(others)), most + 1)
  for (const place of [...mine, ...theirs]) place.leave()
  await Promise.all([...requested, ...others])
})

test('large answers: a call takes one slot, small answers none, and the server itself never waits', async () => {
  const [first, second] = places(2, 3) as [LargePlace, LargePlace]
  for (let n = 0; n < 9; n++) await first.take(LARGE)
  await second.take(LARGE)
  for (const place of places(9, 3)) await place.take(1000)
  for (let n = 0; n < 9; n++) await new LargePlace({ database: shop, usage: usage() }, undefined).take(LARGE)
  const elsewhere = places(1, 3, {})
  await elsewhere[0]?.take(LARGE)
  for (const place of [first, second, ...elsewhere]) place.leave()
})

test('a call that is known to be large has a place of another kind, and its statements are long ones', async () => {
  const most = limits['large-answers']
  const begun = places(most + 1, 4)
  const waiting = begun.map((place) => place.begin())
  assert.equal(await granted(waiting), most - 1)
  // Those who have a connection already do not wait for those who may wait for one.
  const unit = { database: shop, usage: usage() }
  const connected = new LargePlace(unit, 4)
  await connected.take(LARGE)
  assert.equal(unit.usage.isHeavy, true)
  await begun[0]?.take(LARGE)
  for (const place of begun) place.leave()
  await Promise.all(waiting)
  connected.leave()
})

test('a call that is repeated waits for a place no longer than one that is not', async () => {
  const busy = places(limits['large-answers'] - 1, 6)
  for (const place of busy) await place.begin()
  // Six seconds ago its client began to wait, and earlier attempts used them up.
  const [late] = places(1, 6)
  await assert.rejects(late?.begin(performance.now() - 6000) ?? Promise.resolve(), /Too many large calls/)
  const [fresh] = places(1, 6)
  const waits = fresh?.begin(performance.now())
  for (const place of busy) place.leave()
  await waits
  fresh?.leave()
})
