// JSON-2 decoding: headers and bodies of every kind (spec/wire.md sections 2 and 3).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { everyExtension } from '../config/index.ts'
import { BadRequest, Unauthorized, UnprocessableEntity, UnsupportedMediaType } from '../errors.ts'
import { limits } from '../limits.ts'
import { bearerKey, decodeBody, requireJson } from './json2.ts'
import { parsePreferences } from './preferences.ts'

const decode = async (text: string) => decodeBody(Buffer.from(text))

test('a bearer key is the whole rest after the scheme', () => {
  for (const header of ['bearer k', 'Bearer k', 'BEARER k', 'bEaReR   k', 'bearer\tk'])
    assert.equal(bearerKey(header), 'k')
  assert.equal(bearerKey('bearer k k'), 'k k')
  for (const header of [
    undefined,
    '',
    'bearer',
    'bearerk',
    'k',
    'Token k',
    'Basic aw==',
    'bearer: k',
    'my bearer k',
  ]) {
    assert.throws(() => bearerKey(header), Unauthorized, String(header))
  }
})

test('only application/json, with whatever parameters', () => {
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
    'application/json ; charset="utf-8"',
  ]) {
    requireJson(type)
  }
  for (const type of [
    undefined,
    '',
    'text/plain',
    'text/json',
    'application/json-rpc',
    'application/vnd.api+json',
    'json',
    'application/javascript',
  ]) {
    assert.throws(() => requireJson(type), UnsupportedMediaType, String(type))
  }
})

test('ids and context are taken out, the rest are named parameters', async () => {
  const { ids, context, named } = await decode(
    ' \r\n\t{"ids": [1], "context": {"lang": "en_US"}, "domain": [], "limit": 1e0}\n',
  )
  assert.deepEqual(ids, [1])
  assert.deepEqual(context, { lang: 'en_US' })
  assert.deepEqual({ ...named }, { domain: [], limit: 1 })
})

test('no body counts as an empty object', async () => {
  for (const body of await Promise.all([decodeBody(undefined), decode(''), decode('{}')]))
    assert.deepEqual(Object.keys(body.named ?? { none: 1 }), [])
})

test('of a key given twice the last value counts', async () => {
  assert.deepEqual({ ...(await decode('{"a": 1, "a": 2}')).named }, { a: 2 })
})

test('names from prototypes are parameters like any other', async () => {
  const named = (await decode('{"__proto__": {"domain": []}, "constructor": 1}')).named as Record<
    string,
    unknown
  >
  assert.deepEqual(Object.keys(named), ['__proto__', 'constructor'])
  assert.equal(named.domain, undefined)
  assert.equal((await decode('{"__proto__": {"ids": [1]}}')).ids, undefined)
})

test('JSON that is no object does not fit', async () => {
  for (const text of ['[]', '[1, 2]', 'null', '1', '"text"', 'true', '"{}"'])
    await assert.rejects(() => decode(text), UnprocessableEntity, text)
})

test('what is not JSON cannot be read', async () => {
  const broken = [
    '{',
    '{"a": [],}',
    '{a: 1}',
    "{'a': 1}",
    '{"a": 1} tail',
    '{}{}',
    '{"a": 1 /* x */}',
    'a=1',
    '{"a": 01}',
    '{"a": .5}',
    '{"a": undefined}',
  ]
  const alsoBroken = [
    '{"a": NaN}',
    '{"a": Infinity}',
    '{"a": -Infinity}',
    '{"a": "b\tc"}',
    '{"a": "\\x41"}',
    '\ufeff{}',
    ' ',
  ]
  for (const text of [...broken, ...alsoBroken]) await assert.rejects(() => decode(text), BadRequest, text)
})

test('bytes that are not UTF-8 cannot be read', async () => {
  await assert.rejects(
    async () => decodeBody(Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d])),
    BadRequest,
  )
  await assert.rejects(async () => decodeBody(Buffer.from('{}', 'utf16le')), BadRequest)
})

test('nesting ends somewhere, and brackets in texts are no nesting', async () => {
  const nested = (open: string, close: string, times: number) =>
    `{"a": ${open.repeat(times)}1${close.repeat(times)}}`
  assert.ok((await decode(nested('[', ']', limits.depth - 1))).named)
  await assert.rejects(() => decode(nested('[', ']', limits.depth)), BadRequest)
  await assert.rejects(() => decode(nested('{"a":', '}', 20_000)), BadRequest)
  assert.ok((await decode(`{"a": "\\"${'['.repeat(5000)}"}`)).named)
  // A long body is parsed in slices, with the same limit.
  const long = `{"pad": "${'x'.repeat(3_000_000)}", "a": `
  assert.ok((await decode(`${long}${'['.repeat(limits.depth - 1)}1${']'.repeat(limits.depth - 1)}}`)).named)
  await assert.rejects(
    () => decode(`${long}${'['.repeat(limits.depth)}1${']'.repeat(limits.depth)}}`),
    BadRequest,
  )
  await assert.rejects(() => decode(`${long}tail}`), BadRequest)
})

test('headers that ask for something are read in no time, or not at all', () => {
  const preferencesIn = (prefer: string) => parsePreferences({ prefer }, everyExtension, () => undefined)
  assert.equal(preferencesIn('etag; x, tx = "rollback"').dryRun, true)
  // Each of them once took seconds, before anybody had proven anything.
  for (const prefer of [`a=${' '.repeat(15_000)}"`, `a${' ='.repeat(7500)}`, '"\\'.repeat(7500)])
    assert.throws(() => preferencesIn(prefer), { status: 400, code: 'malformed_header' })
})
