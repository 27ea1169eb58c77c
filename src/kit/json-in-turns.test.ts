// The same text as in one go, and others have their turns meanwhile.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { jsonInTurns } from './json-in-turns.ts'
import { mapInTurns } from './pace.ts'

test('large values have the text that JSON.stringify gives', async () => {
  // Repeated until most of them are large.
  const rows = fc
    .tuple(fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 6 }), fc.nat(20), fc.boolean())
    .map(([some, times, nested]) => {
      const all = Array.from({ length: times }, () => some)
      return nested ? { all, some, deeper: [{ all }] } : all.flat(1)
    })
  await fc.assert(
    fc.asyncProperty(rows, async (value) => assert.equal(await jsonInTurns(value), JSON.stringify(value))),
    { numRuns: 40 },
  )
  const odd = [{ a: undefined, b: [undefined, () => 1], at: new Date(0), c: { d: [] } }]
  const many = Array.from({ length: 400 }, () => odd)
  for (const value of [odd[0], many, { many, none: undefined }, [], {}, null, 'x'])
    assert.equal(await jsonInTurns(value), JSON.stringify(value))
})

test('writing long JSON lets other work run in between', async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const busy = () => {
    for (const end = performance.now() + 2; performance.now() < end; );
    return 1
  }
  try {
    await mapInTurns(Array(500).fill(0), busy)
    assert.ok(turns > 3, String(turns))
    turns = 0
    const ids = Array<number>(1000).fill(1)
    const row = () => ({
      get slow() {
        return busy()
      },
      ids,
    })
    await jsonInTurns(Array.from({ length: 60 }, row))
    assert.ok(turns > 3, String(turns))
  } finally {
    clearInterval(timer)
  }
})
