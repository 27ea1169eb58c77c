// The server over injection: order of judgement, error objects, headers, paths (spec/wire.md sections 1 to
// 6).
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InjectOptions } from 'fastify'
import { ServiceUnavailable, UserError } from '../errors.ts'
import { type FakeBackend, fakeBackend, KEY } from '../wire/fake-backend.ts'
import { createLog } from './log.ts'
import { buildServer } from './server.ts'

const lines: string[] = []

async function serve(
  backend: FakeBackend = fakeBackend(),
  options: { bodyLimit?: number; serverTiming?: boolean; trustProxy?: string } = {},
) {
  const app = await buildServer({ backend, log: createLog('json', (line) => lines.push(line)), ...options })
  const post = (
    path: string,
    body: string | Buffer = '{}',
    headers: Record<string, string | undefined> = {},
    method: InjectOptions['method'] = 'POST',
  ) => {
    const all = {
      authorization: `bearer ${KEY}`,
      'content-type': 'application/json',
      'x-service-database': 'one',
      ...headers,
    }
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
      string,
      string
    >
    return app.inject({ method, url: path, headers: sent, payload: body })
  }
  return { app, backend, post }
}

test('a call is answered with the JSON of the service, as it is', async () => {
  const { post, backend } = await serve()
  const answer = await post('/json/2/res.partner/search?limit=1', '{"domain": [], "ids": [1]}')
  assert.equal(answer.statusCode, 200)
  assert.equal(answer.body, '{"domain":[]}')
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(answer.headers['set-cookie'], undefined)
  assert.equal(answer.headers['access-control-allow-origin'], undefined)
  assert.deepEqual(backend.calls[0]?.body.ids, [1])
})

test('content type, key, body, model: judged in this order', async () => {
  const { post } = await serve()
  const order: [number, string, string, Record<string, string | undefined>][] = [
    [415, 'no.such.model', '{', { 'content-type': 'text/plain', authorization: undefined }],
    [415, 'res.partner', '{}', { 'content-type': undefined }],
    [415, 'res.partner', '{}', { 'content-type': 'json' }],
    [401, 'no.such.model', '{', { authorization: undefined }],
    [401, 'no.such.model', '{', { authorization: 'bearer wrong' }],
    [404, 'res.partner', '{}', { 'x-service-database': 'nowhere' }],
    [404, 'res.partner', '{}', { 'x-service-database': undefined }],
    [400, 'no.such.model', '{', {}],
    [404, 'no.such.model', '{"surplus": 1}', {}],
    [422, 'res.partner', '[]', {}],
  ]
  for (const [status, model, body, headers] of order) {
    const answer = await post(`/json/2/${model}/search`, body, headers)
    assert.equal(answer.statusCode, status, `${model} ${body} ${JSON.stringify(headers)}`)
    assert.deepEqual(Object.keys(answer.json()), ['name', 'message', 'arguments', 'context', 'debug'])
    assert.equal(answer.headers['www-authenticate'], status === 401 ? 'Bearer' : undefined)
  }
})

test('the older name of the database header works, the newer one wins', async () => {
  const { post, backend } = await serve()
  await post('/json/2/res.partner/search', '{}', {
    'x-service-database': undefined,
    'x-odoo-database': 'two',
  })
  await post('/json/2/res.partner/search', '{}', { 'x-service-database': 'one', 'x-odoo-database': 'two' })
  assert.deepEqual(
    backend.calls.map(({ request }) => request.database),
    ['two', 'one'],
  )
})

test('only POST on a whole path calls anything', async () => {
  const { post, backend } = await serve()
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
    const answer = await post('/json/2/res.partner/search', '{}', {}, method)
    assert.equal(answer.statusCode, 404, method)
  }
  const preflight = await post(
    '/json/2/res.partner/search',
    '',
    { authorization: undefined, 'content-type': undefined, origin: 'http://evil.example' },
    'OPTIONS',
  )
  assert.equal(preflight.statusCode, 401)
  assert.equal(preflight.headers['access-control-allow-origin'], undefined)
  for (const path of [
    '',
    '/',
    '/res.partner',
    '/res.partner/',
    '/res.partner/search/all',
    '/res.partner//search',
    '//search',
    '/%FF%FE/search',
    '/res.partner/%',
    `/${'x'.repeat(2000)}/search`,
  ]) {
    const answer = await post(`/json/2${path}`)
    assert.equal(answer.statusCode, 404, path)
    assert.equal(answer.json().name, 'werkzeug.exceptions.NotFound')
    assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  }
  assert.equal(backend.calls.length, 0)
})

test('names are decoded once, a trailing slash is nothing', async () => {
  const { post, backend } = await serve()
  assert.equal((await post('/json/2/res%2Epartner/search_c%6Funt/')).statusCode, 200)
  await post('/json/2/res.partner/search%00')
  await post('/json/2/res.partner/search%252F')
  assert.deepEqual(
    backend.calls.map(({ request }) => request.method),
    ['search_count', 'search\0', 'search%2F'],
  )
})

test('a body beyond the limit is refused', async () => {
  const { post } = await serve(fakeBackend(), { bodyLimit: 100 })
  assert.equal((await post('/json/2/res.partner/search', `{"a": "${'x'.repeat(90)}"}`)).statusCode, 200)
  const answer = await post('/json/2/res.partner/search', `{"a": "${'x'.repeat(100)}"}`)
  assert.equal(answer.statusCode, 413)
  assert.equal(answer.json().name, 'werkzeug.exceptions.RequestEntityTooLarge')
})

test('the id of a request is the client’s where it is sane, and it is in the log of failures', async () => {
  const backend = fakeBackend()
  const { post } = await serve(backend)
  assert.equal(
    (await post('/json/2/res.partner/search', '{}', { 'x-request-id': 'abc-1' })).headers['x-request-id'],
    'abc-1',
  )
  assert.match(
    String(
      (await post('/json/2/res.partner/search', '{}', { 'x-request-id': 'a b\u0007' })).headers[
        'x-request-id'
      ],
    ),
    /^[0-9a-f-]{36}$/,
  )
  assert.ok((await post('/nowhere')).headers['x-request-id'])
  backend.respond = () => {
    throw new Error('the secret cause')
  }
  const failed = await post('/json/2/res.partner/search', '{}', { 'x-request-id': 'abc-2' })
  assert.equal(failed.statusCode, 500)
  assert.equal(failed.json().message, 'Internal Server Error')
  assert.ok(!failed.body.includes('secret'))
  const logged = JSON.parse(lines.at(-1) ?? '{}')
  assert.equal(logged.request, 'abc-2')
  assert.match(logged.error, /the secret cause/)
})

test('refusals of the service keep their name, status, context and headers', async () => {
  const backend = fakeBackend()
  const { post } = await serve(backend)
  backend.respond = () => {
    throw new UserError('no', { context: { suggested_company: { id: 1, display_name: 'One' } } })
  }
  const refused = await post('/json/2/res.partner/search')
  assert.equal(refused.statusCode, 422)
  const debug = refused.json().debug
  assert.deepEqual(refused.json(), {
    name: 'odoo.exceptions.UserError',
    message: 'no',
    arguments: ['no'],
    context: { suggested_company: { id: 1, display_name: 'One' } },
    debug,
  })
  backend.respond = () => {
    throw new ServiceUnavailable('busy', { retryAfter: 3 })
  }
  const busy = await post('/json/2/res.partner/search')
  assert.equal(busy.statusCode, 503)
  assert.deepEqual([busy.headers['retry-after'], busy.headers['x-comptoir-outcome']], ['3', 'undone'])
})

test('large answers are compressed for those who ask, small ones never', async () => {
  const backend = fakeBackend()
  const { post } = await serve(backend)
  const { brotliDecompressSync, gunzipSync } = await import('node:zlib')
  assert.equal(
    (await post('/json/2/res.partner/search', '{}', { 'accept-encoding': 'gzip' })).headers[
      'content-encoding'
    ],
    undefined,
  )
  const text = JSON.stringify(Array.from({ length: 2000 }, (_, id) => ({ id, name: `né ${id}` })))
  backend.respond = () => text
  const zipped = await post('/json/2/res.partner/search', '{}', { 'accept-encoding': 'gzip, deflate, br' })
  assert.equal(zipped.headers['content-encoding'], 'gzip')
  assert.equal(zipped.headers.vary, 'accept-encoding')
  assert.equal(gunzipSync(zipped.rawPayload).toString(), text)
  const brotli = await post('/json/2/res.partner/search', '{}', { 'accept-encoding': 'gzip;q=0, br' })
  assert.equal(brotli.headers['content-encoding'], 'br')
  assert.equal(brotliDecompressSync(brotli.rawPayload).toString(), text)
  for (const accepted of [undefined, 'identity', 'gzip;q=0', 'deflate']) {
    const plain = await post('/json/2/res.partner/search', '{}', { 'accept-encoding': accepted })
    assert.equal(plain.headers['content-encoding'], undefined)
    assert.equal(plain.body, text)
  }
})

test('version and health need nothing, and unknown paths are pages', async () => {
  const { app } = await serve()
  const get = (url: string) =>
    app.inject({ url, headers: { authorization: 'bearer wrong', 'x-service-database': 'nowhere' } })
  for (const path of ['/web/version', '/web/version/', '/web/version?x=1', '/json/version']) {
    assert.deepEqual((await get(path)).json(), { version_info: [19, 0, 0, 'final', 0, ''], version: '19.0' })
  }
  assert.equal((await app.inject({ method: 'HEAD', url: '/web/version' })).statusCode, 200)
  assert.deepEqual((await get('/web/health')).json(), { status: 'pass' })
  assert.deepEqual((await get('/web/health?db_server_status=1')).json(), {
    status: 'pass',
    db_server_status: true,
  })
  assert.deepEqual((await get('/web/health?db_server_status=0&db_server_status=1')).json(), {
    status: 'pass',
  })
  const unknown = await get('/web/nowhere')
  assert.equal(unknown.statusCode, 404)
  assert.match(String(unknown.headers['content-type']), /^text\/html/)
})

test('a request can ask for the time of each phase, if the setting allows it', async () => {
  const headers = { 'x-server-timing': '1' }
  const { post } = await serve(fakeBackend(), { serverTiming: true })
  assert.match(
    String((await post('/json/2/res.partner/search', '{}', headers)).headers['server-timing']),
    /^parse;dur=\d+\.\d{3}/,
  )
  assert.equal((await post('/json/2/res.partner/search')).headers['server-timing'], undefined)
  const silent = await serve()
  assert.equal(
    (await silent.post('/json/2/res.partner/search', '{}', headers)).headers['server-timing'],
    undefined,
  )
})

test('pages: the icon and the wish not to be indexed are there, and a 404 offers what its visitor may see', async () => {
  const { app } = await serve()
  const get = (url: string, headers = {}) => app.inject({ url, headers })
  const icon = await get('/favicon.ico')
  assert.deepEqual([icon.statusCode, icon.headers['content-type']], [200, 'image/svg+xml'])
  assert.match((await get('/robots.txt')).body, /^User-agent: \*\nDisallow: \/\n$/)
  const page = await get('/web/nowhere')
  assert.match(page.body, /href="\/web\/login">Sign in</)
  const session = await get('/web/nowhere', { cookie: `session_id=s.b25l.${'a'.repeat(40)}` })
  assert.match(session.body, /href="\/odoo">Home</)
  assert.deepEqual([page.statusCode, session.statusCode], [404, 404])
})

test('the address of the client comes from trusted proxies only', async () => {
  const from = async (trustProxy?: string) => {
    const { app, post, backend } = await serve(fakeBackend(), trustProxy ? { trustProxy } : {})
    await post('/json/2/res.partner/search', '{}', { 'x-forwarded-for': '203.0.113.9' })
    await app.close()
    return backend.calls[0]?.request.remote
  }
  assert.equal(await from(), '127.0.0.1')
  assert.equal(await from('127.0.0.1'), '203.0.113.9')
  assert.equal(await from('10.0.0.0/8'), '127.0.0.1')
})
