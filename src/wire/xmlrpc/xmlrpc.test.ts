// Answers in XML: values, nothing, faults in both dialects, and the headers of the routes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  AccessDenied,
  AccessError,
  InvalidValue,
  MissingError,
  RedirectWarning,
  UserError,
  ValidationError,
} from '../../errors.ts'
import { buildServer } from '../../http/server.ts'
import { fakeBackend } from '../fake-backend.ts'
import { encodeResult } from './encode.ts'
import { faultOf } from './faults.ts'

const inside = (xml: string) => xml.replace(/^.*?<value>/s, '').replace(/<\/value><\/param>.*$/s, '')

test('XML-RPC values have their types', () => {
  assert.equal(inside(encodeResult(true)), '<boolean>1</boolean>')
  assert.equal(inside(encodeResult(2147483647)), '<int>2147483647</int>')
  assert.equal(inside(encodeResult(2147483648)), '<double>2147483648.0</double>')
  assert.equal(inside(encodeResult(0.5)), '<double>0.5</double>')
  assert.equal(
    inside(encodeResult('a<&>b\u0001\tc\r\n☃\ud800')),
    '<string>a&lt;&amp;&gt;b\tc&#13;\n☃\ufffd</string>',
  )
  assert.match(
    encodeResult({ 'a&b': 1 }),
    /<member><name>a&amp;b<\/name><value><int>1<\/int><\/value><\/member>/,
  )
})

test('members that hold floats are doubles, whole or not', () => {
  const doubles = (name: string) => name === 'price'
  const xml = encodeResult([{ price: 2, count: 2, lines: [{ price: 0.5 }] }], { doubles, typed: false })
  assert.match(xml, /<name>price<\/name><value><double>2\.0<\/double>/)
  assert.match(xml, /<name>count<\/name><value><int>2<\/int>/)
  assert.match(xml, /<name>price<\/name><value><double>0\.5<\/double>/)
})

test('null in a result is a fault of XML-RPC, unless typed values are asked for', () => {
  for (const value of [null, [null], { a: null }])
    assert.throws(() => encodeResult(value), /cannot marshal None unless allow_none is enabled/)
  const typed = encodeResult([null, 3_000_000_000], { doubles: () => false, typed: true })
  assert.match(typed, /<value><nil\/><\/value><value><i8>3000000000<\/i8><\/value>/)
})

const dialects: readonly [Error, number, string, string][] = [
  [new UserError('no'), 2, 'warning -- UserError\n\nno', ''],
  [new ValidationError('no'), 2, 'warning -- UserError\n\nno', ''],
  [new RedirectWarning('no'), 2, 'warning -- Warning\n\nno', ''],
  [new MissingError('no'), 2, 'warning -- MissingError\n\nno', ''],
  [new AccessError('no'), 4, 'warning -- AccessError\n\nno', ''],
  [new AccessDenied(), 3, 'AccessDenied', 'Access Denied'],
  [new InvalidValue('no'), 1, 'no', 'Traceback (most recent call last):\nbuiltins.ValueError: no\n'],
]

for (const [error, code, text, string] of dialects) {
  test(`fault of ${error.name}`, () => {
    assert.match(
      faultOf(error as UserError, 'numbers'),
      new RegExp(`<name>faultCode</name><value><int>${code}</int>`),
    )
    const fault = faultOf(error as UserError, 'texts')
    assert.ok(fault.includes(`<name>faultCode</name><value><string>${text}</string>`), fault)
    assert.ok(fault.includes(`<name>faultString</name><value><string>${string}</string>`), fault)
  })
}

test('both paths answer 200 and say that they will go; other verbs are refused', async () => {
  const app = await buildServer({ backend: fakeBackend() })
  const payload = '<methodCall><methodName>version</methodName></methodCall>'
  for (const url of ['/xmlrpc/common', '/xmlrpc/2/common']) {
    const answer = await app.inject({ method: 'POST', url, payload })
    assert.equal(answer.statusCode, 200)
    assert.equal(answer.headers['content-type'], 'text/xml; charset=utf-8')
    assert.match(String(answer.headers.deprecation), /^@\d+$/)
    assert.match(String(answer.headers.sunset), / Sep 2028 /)
    assert.match(answer.body, /<string>19\.0<\/string>/)
    assert.equal((await app.inject({ method: 'POST', url, payload: 'garbage' })).statusCode, 200)
    assert.equal((await app.inject({ method: 'GET', url })).statusCode, 405)
  }
  await app.close()
})

test('what members are follows from the call alone: while its answer is read, its database may be closing and make newcomers wait', async () => {
  const backend = fakeBackend()
  const model = { fields: new Map([['price', { type: { wireType: 'float' } }]]) }
  async function* more() {
    yield ',{"id":2,"price":3}'
    yield ']'
  }
  const waiting = { ...backend.databases, database: () => Promise.reject(new Error('a newcomer')) }
  const app = await buildServer({
    backend: {
      ...backend,
      databases: waiting,
      call: async () => ({ json: '[{"id":1,"price":2}', more: more(), model }),
    } as never,
  })
  const value = (text: string) => `<param><value><string>${text}</string></value></param>`
  const args = ['one', '2', 'secret', 'res.partner', 'search'].map(value).join('')
  const payload = `<methodCall><methodName>execute</methodName><params>${args}</params></methodCall>`
  const answer = await app.inject({ method: 'POST', url: '/xmlrpc/2/object', payload })
  assert.doesNotMatch(answer.body, /fault/)
  assert.deepEqual(answer.body.match(/<double>[^<]*/g), ['<double>2.0', '<double>3.0'])
  await app.close()
})
