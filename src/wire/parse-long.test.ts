// Long JSON in slices must give what JSON.parse gives, and refuse what it refuses.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BadRequest } from '../errors.ts'
import { parseLong } from './parse-long.ts'

const outcome = async (work: () => unknown): Promise<unknown> => {
  try {
    return { value: await work() }
  } catch (error) {
    assert.ok(error instanceof SyntaxError)
    return 'refused'
  }
}
const bytesOf = (text: string) => Buffer.from(text)

test('any value, in slices of any size', async () => {
  const property = fc.asyncProperty(
    fc.jsonValue({ maxDepth: 6 }),
    fc.integer({ min: 1, max: 40 }),
    fc.boolean(),
    async (value, slice, wide) => {
      const text = JSON.stringify(value, undefined, wide ? 2 : undefined)
      assert.deepEqual(await parseLong(bytesOf(text), slice), JSON.parse(text))
    },
  )
  await fc.assert(property, { numRuns: 400 })
})

test('texts that are damaged in one place: the same verdict, the same value', async () => {
  const damage = fc.record({
    value: fc.jsonValue({ maxDepth: 4 }),
    at: fc.nat(),
    drop: fc.integer({ min: 0, max: 2 }),
    sign: fc.constantFrom(',', ']', '}', '[', '{', '"', ':', ' ', '\\', '1', ''),
    slice: fc.integer({ min: 1, max: 16 }),
  })
  const property = fc.asyncProperty(damage, async ({ value, at, drop, sign, slice }) => {
    const whole = JSON.stringify(value)
    const place = at % (whole.length + 1)
    const text = whole.slice(0, place) + sign + whole.slice(place + drop)
    assert.deepEqual(await outcome(() => parseLong(bytesOf(text), slice)), await outcome(() => JSON.parse(text)), text)
  })
  await fc.assert(property, { numRuns: 3000 })
})

test('keys given twice, __proto__, empty containers and white space alone', async () => {
  for (const text of [
    '{"a":1, "b":[1,2,3], "a":{"long":"xxxxxxxx"}}',
    '{"__proto__":{"a":1},"b":2}',
    '[      ]',
    '{        }',
    '[[],{},[ ]]',
    '       ',
    '[1,]',
    '[,1]',
    '{"a":1,}',
  ]) {
    assert.deepEqual(await outcome(() => parseLong(bytesOf(text), 3)), await outcome(() => JSON.parse(text)), text)
  }
})

test('long texts are cut in no character and in no escape', async () => {
  const piece = fc.constantFrom('a', 'é', '€', '😀', '\\\\', '\\"', '\\n', '\\u00e9', '\\ud83d\\ude00', '\\ud83d', '"', '\\', '\n')
  const property = fc.asyncProperty(fc.array(piece, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), async (pieces, slice) => {
    const text = `["${pieces.join('')}"]`
    assert.deepEqual(await outcome(() => parseLong(bytesOf(text), slice)), await outcome(() => JSON.parse(text)), text)
  })
  await fc.assert(property, { numRuns: 3000 })
})

test('an object with more members than any call has arguments is refused, as the outermost one only', async () => {
  const many = JSON.stringify(Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`key ${n}`, n])))
  await assert.rejects(parseLong(bytesOf(many), 1000), BadRequest)
  assert.deepEqual(await parseLong(bytesOf(`[${many}]`), 1000), [JSON.parse(many)])
})

test('others have their turn meanwhile', async () => {
  const text = JSON.stringify(Array.from({ length: 300_000 }, (_, n) => ({ name: `Line ${n}`, quantity: n })))
  let turns = 0
  const count = () => {
    turns++
    next = setImmediate(count)
  }
  let next = setImmediate(count)
  const parsed = await parseLong(bytesOf(text))
  clearImmediate(next)
  assert.equal((parsed as unknown[]).length, 300_000)
  assert.ok(turns >= 2, `${turns} turns`)
})
