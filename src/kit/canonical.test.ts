// One spelling of JSON: the order of members and white space do not count, values do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonical } from './canonical.ts'

test('members are sorted at every level, by code units', () => {
  assert.equal(
    canonical({ b: [{ z: 1, a: 2 }], a: null, '\u20ac': '\u20ac', A: true }),
    '{"A":true,"a":null,"b":[{"a":2,"z":1}],"€":"€"}',
  )
  assert.equal(canonical({ a: undefined, b: [undefined] }), '{"b":[null]}')
})

test('numbers and texts are written as RFC 8785 says', () => {
  assert.equal(
    canonical([333333333.3333333, 1e30, 4.5, 2e-3, 1e-27, -0]),
    '[333333333.3333333,1e+30,4.5,0.002,1e-27,0]',
  )
  assert.equal(canonical('\u000f\n"\\/'), '"\\u000f\\n\\"\\\\/"')
})

test('a value that says itself what it is in JSON', () => {
  assert.equal(canonical({ at: new Date(0) }), '{"at":"1970-01-01T00:00:00.000Z"}')
})
