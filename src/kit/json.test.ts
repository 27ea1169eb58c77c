// Bodies that are JSON, and those that are not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BadRequest } from '../errors.ts'
import { isObject, MAX_DEPTH, parseJson } from './json.ts'

const bytes = (text: string) => Buffer.from(text, 'utf8')

test('whatever is JSON comes back', () => {
  fc.assert(fc.property(fc.json(), (text) => assert.deepEqual(parseJson(bytes(text)), JSON.parse(text))))
})

test('what is no JSON in UTF-8 is refused', () => {
  for (const text of ['', '{', '{"a":1,}', "{'a':1}", '{a:1}', '{} {}', '// x\n{}', 'NaN', '[Infinity]', '"\u0001"', '"\\x"', '\ufeff{}']) {
    assert.throws(() => parseJson(bytes(text)), BadRequest, text)
  }
  assert.throws(() => parseJson(Buffer.from([0x22, 0xff, 0x22])), BadRequest)
  assert.throws(() => parseJson(Buffer.from('{"a":1}', 'utf16le')), BadRequest)
})

test('nesting has an end; brackets in texts do not count', () => {
  const nested = (depth: number) => bytes('['.repeat(depth) + ']'.repeat(depth))
  assert.ok(Array.isArray(parseJson(nested(MAX_DEPTH))))
  assert.throws(() => parseJson(nested(MAX_DEPTH + 1)), BadRequest)
  assert.throws(() => parseJson(bytes('{"a":'.repeat(100_000))), BadRequest)
  const text = `\\"${'['.repeat(1000)}\\\\`
  assert.equal(parseJson(bytes(`"${text}"`)), JSON.parse(`"${text}"`))
})

test('the message does not repeat the body', () => {
  assert.throws(
    () => parseJson(bytes('{"password":"hush" x')),
    (error: Error) => !error.message.includes('hush'),
  )
})

test('objects are told from arrays and null', () => {
  assert.deepEqual([{}, [], null, 'x', 1].map(isObject), [true, false, false, false, false])
  const given = parseJson(bytes('{"__proto__":{"a":1}}'))
  assert.ok(isObject(given) && Object.hasOwn(given, '__proto__') && given.a === undefined)
})
