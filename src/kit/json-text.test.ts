// JSON of callers: same results as JSON.parse, and refused before parsing if it holds too many values.
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import fc from 'fast-check'
import { PayloadTooLarge } from '../errors.ts'
import { setLimits } from '../limits.ts'
import { parseJson } from './json-text.ts'

afterEach(() => setLimits())

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0

test('what is within bounds is read, levels are counted exactly, marks inside of texts are none', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const text = JSON.stringify(value)
      assert.deepEqual(parseJson(text), JSON.parse(text))
      const depth = depthOf(value)
      setLimits({ depth })
      parseJson(text)
      if (depth > 0) {
        setLimits({ depth: depth - 1 })
        assert.throws(() => parseJson(text), PayloadTooLarge)
      }
      setLimits()
    }),
  )
  assert.equal(parseJson(JSON.stringify(`${'['.repeat(10_000)}\\"`)), `${'['.repeat(10_000)}\\"`)
})

test('very many values and levels are refused by the name of the limit', () => {
  assert.throws(() => parseJson('['.repeat(1_000_000)), /limit "depth"/)
  assert.throws(() => parseJson(`[${'0,'.repeat(1_000_000)}0]`), /limit "values"/)
  assert.throws(() => parseJson(`[1,{${'"a":1,'.repeat(10_000)}"a":1}]`), /limit "members"/)
  assert.throws(() => parseJson('{'), SyntaxError)
})
