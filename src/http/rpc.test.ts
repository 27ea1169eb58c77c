// The routes of envelopes: JSON-RPC and the list of databases; statuses are for what is not an envelope.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceUnavailable } from '../errors.ts'
import { fakeBackend } from '../wire/fake-backend.ts'
import { Account } from './body-memory.ts'
import { buildServer } from './server.ts'

const app = await buildServer({ backend: fakeBackend() })
const post = (url: string, payload: string, type: string) =>
  app.inject({ method: 'POST', url, headers: { 'content-type': type }, payload })
const version = JSON.stringify({ id: 1, params: { service: 'common', method: 'version', args: [] } })

test('both media types are taken, others are not', async () => {
  for (const type of ['application/json', 'application/json-rpc', 'application/json; charset=utf-8']) {
    const answer = await post('/jsonrpc', version, type)
    assert.equal(answer.json().result.server_version, '19.0')
    assert.match(String(answer.headers['content-type']), /^application\/json/)
  }
  for (const path of ['/jsonrpc', '/web/database/list']) {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
      assert.equal((await post(path, version, type)).statusCode, 415)
  }
})

test('what is not an envelope gets 400 as plain text', async () => {
  for (const path of ['/jsonrpc', '/web/database/list']) {
    for (const text of ['', '{', 'null', '5', '"x"', '[]']) {
      const answer = await post(path, text, 'application/json')
      assert.equal(answer.statusCode, 400, text)
      assert.match(String(answer.headers['content-type']), /^text\/plain/)
    }
  }
  assert.equal(
    (await app.inject({ url: '/jsonrpc', headers: { 'content-type': 'application/json' } })).statusCode,
    400,
  )
})

test('the list needs no password and looks at nothing but the id', async () => {
  assert.deepEqual(
    (await post('/web/database/list', '{"params": {"surplus": 1}}', 'application/json-rpc')).json(),
    {
      jsonrpc: '2.0',
      id: null,
      result: ['one', 'two'],
    },
  )
  assert.equal((await post('/web/database/list', '{"id": 12}', 'application/json')).json().id, 12)
})

test('a client that is asked to retry gets the time to wait, on every protocol', async (t) => {
  t.mock.method(Account.prototype, 'take', () =>
    Promise.reject(new ServiceUnavailable('The server holds too much.', { retryAfter: 3 })),
  )
  const bodies = {
    '/jsonrpc': ['application/json', version],
    '/web/database/list': ['application/json', '{}'],
    '/xmlrpc/2/common': ['text/xml', '<methodCall><methodName>version</methodName></methodCall>'],
  } as const
  for (const [path, [type, text]] of Object.entries(bodies)) {
    // A short envelope is not counted.
    const { statusCode, headers } = await post(path, text + ' '.repeat(400_000), type)
    if (path !== '/xmlrpc/2/common') assert.equal(statusCode, 503, path)
    assert.equal(headers['retry-after'], '3', path)
  }
})
