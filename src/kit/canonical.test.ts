// One spelling of JSON: the order of members and white space do not count, values do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { canonical, canonicalInTurns, fingerprintOf, sortedInTurns } from './canonical.ts'
import { Pace } from './pace.ts'
import { sha256 } from './sha256.ts'

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

test('texts of all kinds are written as JSON has them', () => {
  const texts = ['', 'plain ~!', '"', '\\', '\u007f', '\u001f', 'é', '\ud800', '😀', ' \t', '\u2028', '#[]^']
  for (const text of texts) {
    assert.equal(canonical(text), JSON.stringify(text))
    assert.equal(canonical({ [text]: text }), JSON.stringify({ [text]: text }))
  }
})

test('a value that is too large for one go has the same fingerprint', async () => {
  for (const length of [10, 990, 997, 998, 999, 1000, 5000]) {
    const value = { list: Array.from({ length }, (_, n) => n), b: 'b', a: { z: [], y: 'x'.repeat(length) } }
    assert.equal(await fingerprintOf(value), sha256(canonical(value)).toString('hex'))
  }
})

test('a value that says itself what it is in JSON', () => {
  assert.equal(canonical({ at: new Date(0) }), '{"at":"1970-01-01T00:00:00.000Z"}')
})

test('large values are spelled the same in turns', async () => {
  const inTurns = async (value: unknown) => {
    let text = ''
    await canonicalInTurns(value, (piece) => {
      text += piece
    })
    return text
  }
  const odd = [null, true, -0, 'é"😀', [], {}, { b: undefined, a: [1, { z: 1, y: [2] }] }, new Date(0)]
  const large = Object.fromEntries(
    Array.from({ length: 1500 }, (_, n) => [`${n * 7919}é`, odd[n % odd.length]]),
  )
  for (const value of [large, [large, odd, { large, odd }], { large: [large], odd }, ...odd])
    assert.equal(await inTurns(value), canonical(value))
  const object = Object.fromEntries(Array.from({ length: 12_000 }, (_, n) => [`${(n * 7919) % 12_007}x`, n]))
  assert.deepEqual(await sortedInTurns(object, new Pace()), Object.keys(object).sort())
  for (const text of ['a😀'.repeat(100_000), '😀'.repeat(600_000), '\ud83d'.repeat(200_000)])
    assert.ok((await inTurns({ text })) === canonical({ text }))
})

/** The plainest way to the same text. */
function simple(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(simple).join(',')}]`
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${simple(member)}`).join(',')}}`
}

test('any value is spelled as the plainest way has it', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.string({ unit: 'binary', maxLength: 60 }),
    // Halves of pairs too, which JSON escapes.
    fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
      .map((all) => String.fromCharCode(...all)),
  )
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      text,
      fc.double(),
      fc.integer(),
      fc.constantFrom(null, undefined, true, false, -0, Number.NaN),
      fc.array(tie('value'), { maxLength: 6 }),
      fc.dictionary(fc.oneof(text, fc.nat(30).map(String)), tie('value'), { maxKeys: 6 }),
    ),
  }))
  fc.assert(fc.property(value, (sample) => assert.equal(canonical(sample), simple(sample))))
})
