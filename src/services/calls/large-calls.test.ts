// Large calls: how much one is going to take, and the places that it waits for while it holds nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { pngOf } from '../../../test/support/png.ts'
import { LargePlace, ShownSoFar } from '../../models/unit/large.ts'
import { noteScale, type Prepared, scaleOf } from './call-size.ts'
import { inPlace } from './large-calls.ts'

const database = {}

function unitOf(holder: number, connectedAt: number | null = null) {
  const usage = { statements: 0, waited: 0, connectedAt, isHeavy: false }
  const unit = { database, usage, shown: undefined as unknown as ShownSoFar }
  unit.shown = new ShownSoFar(new LargePlace(unit, holder))
  return unit
}

/** A call as it stands when it is bound. */
const prepared = (
  profile: object,
  callFacts: { ids?: readonly number[]; params?: object; readonly?: boolean },
) =>
  ({
    caller: { profile },
    model: { name: 'res.partner' },
    method: { name: 'search_read', readonly: callFacts.readonly ?? true, params: { limit: {} } },
    bound: { ids: callFacts.ids ?? [], params: callFacts.params ?? {} },
  }) as unknown as Prepared

/** Calls that are under way until `finish`; each learns that its answer is of so many rows. */
function start(calls: readonly { unit: ReturnType<typeof unitOf>; call: Prepared }[], rows: number) {
  const running: (() => void)[] = []
  const all = calls.map(({ unit, call }) =>
    inPlace(unit, call, async () => {
      await new Promise<void>((resolve) => running.push(resolve))
      noteScale(
        call,
        unit as never,
        Array.from({ length: rows }, () => ({ id: 1 })),
      )
    }).finally(() => unit.shown.leave()),
  )
  return { running, all }
}

test('a call is large by what it is given, small by a limit, and else by the last answers', () => {
  const profile = { id: 7 }
  const callWithIds = (n: number) =>
    prepared(profile, { ids: Array.from({ length: n }, (_, at) => at), readonly: false })
  assert.equal(scaleOf(callWithIds(200)), 'small')
  assert.equal(scaleOf(callWithIds(5001)), 'large')
  assert.equal(
    scaleOf(prepared(profile, { params: { vals: { image: 'x'.repeat(6 * 1024 ** 2) } } })),
    'large',
  )
  const picture = (side: number) => pngOf(side, side, () => [9, 9, 9]).toString('base64')
  assert.notEqual(scaleOf(prepared(profile, { params: { vals: { image: picture(400) } } })), 'large')
  assert.equal(
    scaleOf(prepared(profile, { params: { vals: { image: picture(2000) } } })),
    'large',
    'few bytes, and a second of work',
  )
  assert.equal(scaleOf(prepared(profile, { params: { limit: 80 } })), 'small')
  const open = prepared(profile, { params: { limit: null } })
  assert.equal(scaleOf(open), 'unknown')
  const rows = (n: number) => Array.from({ length: n }, () => ({ id: 1 }))
  noteScale(open, unitOf(7) as never, rows(10))
  assert.equal(scaleOf(open), 'small')
  noteScale(open, unitOf(7) as never, rows(3000))
  for (let n = 0; n < 20; n++) {
    assert.equal(scaleOf(open), 'large')
    noteScale(open, unitOf(7) as never, rows(10))
  }
  assert.equal(scaleOf(open), 'small')
})

test('three calls of a user find out how long their answers are; once they do the others wait for places', async () => {
  const profile = { id: 8 }
  const { running, all } = start(
    Array.from({ length: 8 }, () => ({ unit: unitOf(8), call: prepared(profile, {}) })),
    3000,
  )
  await turn()
  assert.equal(running.length, 3)
  running.shift()?.()
  for (let n = 0; n < 5; n++) await turn()
  // Two that found it out are still under way; of the others two have the places of one user.
  assert.equal(running.length, 4)
  while (running.length) {
    running.shift()?.()
    for (let n = 0; n < 5; n++) await turn()
    assert.ok(running.length <= 4)
  }
  await Promise.all(all)
})

test('small answers go on together once their size is known, and a call with a connection never waits', async () => {
  const profile = { id: 9 }
  const calls = (count: number, connectedAt: number | null) =>
    Array.from({ length: count }, () => ({ unit: unitOf(9, connectedAt), call: prepared(profile, {}) }))
  const connected = start(calls(5, 1), 3)
  await turn()
  assert.equal(connected.running.length, 5)
  const first = start(calls(10, null), 3)
  await turn()
  assert.equal(first.running.length, 3)
  for (const { running } of [first, connected]) running.shift()?.()
  for (let n = 0; n < 5; n++) await turn()
  assert.equal(first.running.length, 9)
  for (const finish of [...first.running, ...connected.running]) finish()
  await Promise.all([...first.all, ...connected.all])
})
