// CORS: pages of named origins call with keys; no other origin, no cookie and no page of the server may be
// used.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeBackend, KEY } from '../wire/fake-backend.ts'
import { buildServer } from './server.ts'

const ORIGIN = 'https://app.example'
const SEARCH = '/json/2/res.partner/search'
const QUESTION = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type,x-service-database',
}

async function serve(corsOrigins: readonly string[] = [ORIGIN]) {
  const backend = fakeBackend()
  const app = await buildServer({ backend, corsOrigins })
  const ask = (url: string, origin?: string) =>
    app.inject({ method: 'OPTIONS', url, headers: { ...(origin ? { origin } : {}), ...QUESTION } })
  const post = (origin?: string, headers: Record<string, string> = {}, payload = '{}') =>
    app.inject({
      method: 'POST',
      url: SEARCH,
      payload,
      headers: {
        authorization: `bearer ${KEY}`,
        'content-type': 'application/json',
        'x-service-database': 'one',
        ...(origin ? { origin } : {}),
        ...headers,
      },
    })
  return { app, backend, ask, post }
}
const allowed = ({ headers }: { headers: Record<string, unknown> }) => headers['access-control-allow-origin']

test('CORS preflight: a named origin may call with a key, and the browser keeps the permission', async () => {
  const { ask, backend } = await serve()
  const answer = await ask(SEARCH, ORIGIN)
  assert.deepEqual([answer.statusCode, answer.body, allowed(answer)], [204, '', ORIGIN])
  assert.match(String(answer.headers['access-control-allow-headers']), /authorization.*x-service-database/)
  assert.match(String(answer.headers['access-control-allow-headers']), /idempotency-key/)
  assert.equal(answer.headers['access-control-max-age'], '7200')
  assert.equal(answer.headers.vary, 'origin')
  assert.equal(answer.headers['access-control-allow-credentials'], undefined)
  assert.equal(backend.calls.length, 0)
})

test('CORS preflight: no other origin, and no page or form of the server, is allowed', async () => {
  const { ask } = await serve()
  for (const origin of ['https://app.example.evil', 'http://app.example', 'https://app.example:8443', 'null'])
    assert.deepEqual(
      [allowed(await ask(SEARCH, origin)), (await ask(SEARCH, origin)).statusCode],
      [undefined, 401],
    )
  for (const path of [
    ...['/web/login', '/web/database/manager', '/web/database/create', '/web/dataset/call_kw', '/jsonrpc'],
    ...[
      '/xmlrpc/2/object',
      '/doc',
      '/doc/index.json',
      '/web/session/authenticate',
      '/x/1/mcp',
      '/x/1/%6dcp',
      '/x/1/mc%70/?a=b',
      '/web/versions',
    ],
    ...['/json', '/web/content/1', '/'],
  ])
    assert.equal(allowed(await ask(path, ORIGIN)), undefined, path)
  for (const path of ['/x/1', '/x/1/batch', '/x/1/changes?a=b', '/doc-bearer/index.json', '/web/version'])
    assert.equal(allowed(await ask(path, ORIGIN)), ORIGIN, path)
})

test('CORS: answers and refusals to a named origin may be read, with the headers that programs need', async () => {
  const { post, backend } = await serve()
  for (const answer of [await post(ORIGIN), await post(ORIGIN, { authorization: 'bearer wrong' })]) {
    assert.equal(allowed(answer), ORIGIN)
    assert.match(String(answer.headers['access-control-expose-headers']), /error-code.*x-comptoir-outcome/)
    assert.equal(answer.headers.vary, 'origin')
  }
  assert.equal(backend.calls.length, 1)
  assert.deepEqual([allowed(await post()), (await post()).headers.vary], [undefined, 'origin'])
  assert.equal(allowed(await post('https://other.example')), undefined)
})

test('CORS: a compressed answer varies by both headers', async () => {
  const { post } = await serve()
  const long = JSON.stringify({ domain: [['name', '=', 'x'.repeat(5000)]] })
  const { headers } = await post(ORIGIN, { 'accept-encoding': 'gzip' }, long)
  assert.deepEqual([headers['content-encoding'], headers.vary], ['gzip', 'accept-encoding, origin'])
})

test('CORS: without the option nothing is allowed and no header is sent', async () => {
  const { ask, post } = await serve([])
  const [question, answer] = [await ask(SEARCH, ORIGIN), await post(ORIGIN)]
  assert.deepEqual([question.statusCode, answer.statusCode], [401, 200])
  for (const { headers } of [question, answer])
    assert.deepEqual(
      Object.keys(headers).filter((name) => /^(access-control|vary)/.test(name)),
      [],
    )
})
