// Bodies on every protocol: of an unproven client a little is read, of a right credential more, a wrong one
// is verified once; the total is bounded.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { type Limits, setLimits } from '../limits.ts'
import { fakeBackend, KEY, MASTER, TOKEN } from '../wire/fake-backend.ts'
import { Bodies } from './body.ts'
import { buildServer } from './server.ts'

const OPEN = 64 * 1024
const COOKIE = `session_id=s.${Buffer.from('one').toString('base64url')}.${TOKEN}`
const JSON_HEADERS = { 'content-type': 'application/json', 'x-service-database': 'one' }

async function serve(
  t: TestContext,
  { bodyLimit = 64 * OPEN, ...limits }: Partial<Limits> & { bodyLimit?: number } = {},
) {
  setLimits({ 'open-body': OPEN, ...limits })
  const backend = fakeBackend()
  const app = await buildServer({ backend, bodyLimit })
  t.after(async () => {
    setLimits()
    app.server.closeAllConnections()
    await app.close()
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, backend, port: (app.server.address() as AddressInfo).port }
}

interface Sent {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Sends a request whole, however soon it is answered; in chunks of unknown number where `isChunked`. */
async function send(port: number, { path, headers, body }: Sent, isChunked = false) {
  const length = isChunked
    ? { 'transfer-encoding': 'chunked' }
    : { 'content-length': String(Buffer.byteLength(body)) }
  const sent = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path,
    headers: { ...headers, ...length },
    agent: false,
  })
  const answer = once(sent, 'response') as Promise<[IncomingMessage]>
  let isAnswered = false
  void answer.then(() => {
    isAnswered = true
  })
  // Sent only as fast as the server reads, so that unread bytes do not fill a buffer of the test.
  for (let at = 0; at < body.length && !isAnswered; at += 500_000)
    if (!sent.write(body.slice(at, at + 500_000))) await Promise.race([once(sent, 'drain'), answer])
  sent.end()
  const [response] = await answer
  return { status: response.statusCode, body: await text(response) }
}

const long = 'x'.repeat(4 * OPEN)
const object = (args: unknown[], more: object = {}) => ({
  service: 'object',
  method: 'execute_kw',
  args,
  ...more,
})
const rpc = (params: object): Sent => ({
  path: '/jsonrpc',
  headers: JSON_HEADERS,
  body: JSON.stringify({ jsonrpc: '2.0', method: 'call', params, id: 7 }),
})
const xml = (service: string, method: string, values: readonly (string | number)[]): Sent => ({
  path: `/xmlrpc/2/${service}`,
  headers: { 'content-type': 'text/xml' },
  body: `<methodCall><methodName>${method}</methodName><params>${values
    .map(
      (value) => `<param><value>${typeof value === 'number' ? `<int>${value}</int>` : value}</value></param>`,
    )
    .join(
      '',
    )}<param><value><array><data><value>${long}</value></data></array></value></param></params></methodCall>`,
})
const json2 = (key: string): Sent => ({
  path: '/json/2/res.partner/create',
  headers: { ...JSON_HEADERS, authorization: `bearer ${key}` },
  body: JSON.stringify({ vals_list: [{ image: long }] }),
})
const session = (token: string): Sent => ({
  path: '/web/dataset/call_kw',
  headers: { ...JSON_HEADERS, cookie: COOKIE.replace(TOKEN, token) },
  body: JSON.stringify({
    id: 7,
    params: { model: 'res.partner', method: 'create', args: [[{ image: long }]], kwargs: {} },
  }),
})
const args = (uid: unknown, password: string) => [
  'one',
  uid,
  password,
  'res.partner',
  'create',
  [[{ image: long }]],
]

const right: Readonly<Record<string, Sent>> = {
  'JSON-2': json2(KEY),
  'a session': session(TOKEN),
  'JSON-RPC': rpc(object(args(2, 'secret'))),
  'JSON-RPC, the arguments first': rpc({ args: args(2, 'secret'), service: 'object', method: 'execute_kw' }),
  'JSON-RPC, the id as a text': rpc(object(args('2', 'secret'))),
  'XML-RPC': xml('object', 'execute_kw', ['one', 2, 'secret', 'res.partner', 'create']),
}

test('a right credential gets long bodies read, whole or in chunks, and is judged before that', async (t) => {
  const { backend, port } = await serve(t)
  for (const [name, sent] of Object.entries(right)) {
    for (const isChunked of [false, true]) {
      backend.calls.length = 0
      const { status, body } = await send(port, sent, isChunked)
      assert.equal(status, 200, `${name}: ${body.slice(0, 300)}`)
      assert.equal(backend.calls.length, 1, `${name}: ${body.slice(0, 300)}`)
      assert.ok(JSON.stringify(backend.calls[0]?.body).includes(long), name)
    }
  }
})

const wrong: Readonly<Record<string, readonly [Sent, number, RegExp]>> = {
  'JSON-2': [json2('wrong'), 401, /Invalid apikey/],
  'a session': [session('c'.repeat(40)), 200, /"code":100/],
  'JSON-RPC': [rpc(object(args(2, 'wrong'))), 200, /AccessDenied/],
  'a database that is none': [rpc(object(['none', ...args(2, 'secret').slice(1)])), 200, /does not exist/],
  'the master password': [
    rpc({ service: 'db', method: 'restore', args: ['wrong', 'new', long] }),
    200,
    /AccessDenied/,
  ],
  'XML-RPC': [
    xml('object', 'execute_kw', ['one', 2, 'wrong', 'res.partner', 'create']),
    200,
    /<int>3<\/int>/,
  ],
  'the master password by XML-RPC': [xml('db', 'restore', ['wrong', 'new']), 200, /<int>3<\/int>/],
}

test('a wrong credential is verified once, and refused as without a body', async (t) => {
  const { backend, port } = await serve(t)
  let masters = 0
  const { admit } = backend.db
  backend.db.admit = (...args) => {
    masters++
    return admit(...args)
  }
  for (const [name, [sent, status, words]] of Object.entries(wrong)) {
    for (const isChunked of [false, true]) {
      backend.judged = 0
      masters = 0
      const answer = await send(port, sent, isChunked)
      assert.deepEqual(
        [answer.status, words.test(answer.body)],
        [status, true],
        `${name}: ${answer.body.slice(0, 300)}`,
      )
      assert.equal(backend.judged + masters, name.startsWith('a database') ? 0 : 1, name)
    }
  }
  assert.equal(backend.calls.length, 0)
})

test('where nothing shows who sends it, a long body is refused', async (t) => {
  const { backend, port } = await serve(t)
  const strangers: Readonly<Record<string, Sent>> = {
    'no arguments': rpc({ service: 'object', method: 'execute_kw', junk: long }),
    'another service': rpc({ service: 'common', method: 'version', args: [long, long] }),
    'a credential that is too late': {
      ...right['JSON-RPC'],
      body: `{"junk":"${long}",${right['JSON-RPC']?.body.slice(1)}`,
    } as Sent,
    'no object': { path: '/jsonrpc', headers: JSON_HEADERS, body: `["${long}"]` },
    'XML-RPC': xml('common', 'version', []),
    'a sign-in': {
      path: '/web/session/authenticate',
      headers: JSON_HEADERS,
      body: JSON.stringify({ params: { db: 'one', login: 'admin', password: long } }),
    },
    'no session': { path: '/web/dataset/call_kw', headers: JSON_HEADERS, body: session(TOKEN).body },
    'the list of databases': {
      path: '/web/database/list',
      headers: JSON_HEADERS,
      body: JSON.stringify({ junk: long }),
    },
    'a form': {
      path: '/web/database/drop',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `master_pwd=${MASTER}&name=${long}`,
    },
    'a sign-in by a form': {
      path: '/web/login',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `login=${long}`,
    },
  }
  for (const [name, sent] of Object.entries(strangers)) {
    for (const isChunked of [false, true]) {
      const { status, body } = await send(port, sent, isChunked)
      assert.ok(status === 413 || (name === 'XML-RPC' && status === 200), `${name}: ${status}`)
      assert.match(body, /open-body/, name)
    }
  }
  assert.deepEqual([backend.judged, backend.calls.length], [0, 0])
})

test('a key is judged before anything is sent, where the client asks first', async (t) => {
  const { port } = await serve(t)
  for (const [key, status] of [
    ['wrong', '401'],
    [KEY, '100'],
  ] as const) {
    const { headers, path } = json2(key)
    const socket = connect(port, '127.0.0.1')
    const lines = Object.entries({
      ...headers,
      host: 'a',
      expect: '100-continue',
      'content-length': String(2 * OPEN),
    })
    socket.write(
      `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    )
    const [first] = await once(socket, 'data')
    assert.match(String(first), new RegExp(`^HTTP/1.1 ${status} `))
    if (status !== '100') assert.match(String(first), /connection: close/i)
    socket.destroy()
  }
})

test('many values weigh more than their bytes, and what a body held is given back', async (t) => {
  const values = 20_000
  const body = JSON.stringify({ domain: Array.from({ length: values }, () => 0) })
  const { app, backend, port } = await serve(t, { 'open-body': 1024 ** 2, 'in-flight': 128 * values })
  const held: Promise<unknown>[] = []
  const finish = Promise.withResolvers<void>()
  backend.respond = async () => {
    await finish.promise
    return '1'
  }
  const sent = { ...json2(KEY), body }
  for (let n = 0; n < 3; n++) held.push(send(port, sent))
  // The third has no room, and waits or is refused; the two before are answered.
  while (backend.calls.length < 1) await turn()
  finish.resolve()
  const answers = (await Promise.all(held)) as { status: number }[]
  assert.ok(answers.every(({ status }) => status === 200 || status === 503))
  assert.ok(answers.some(({ status }) => status === 200))
  assert.equal((await send(port, sent)).status, 200)
  assert.equal(app.server.listening, true)
})

test('a body of tiny chunks is put together as it comes', async (t) => {
  const { backend, port } = await serve(t, { 'open-body': 1024 ** 2 })
  const socket = connect(port, '127.0.0.1')
  const { headers, path } = json2(KEY)
  const body = `{"a":"${'y'.repeat(100_000)}"}`
  const lines = Object.entries({ ...headers, host: 'a', 'transfer-encoding': 'chunked' })
  socket.write(
    `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  )
  socket.write(`${[...body].map((sign) => `1\r\n${sign}\r\n`).join('')}0\r\n\r\n`)
  const [first] = await once(socket, 'data')
  assert.match(String(first), /^HTTP\/1.1 200 /)
  assert.ok(backend.calls[0]?.body.named?.a === 'y'.repeat(100_000))
  socket.destroy()
})

test('the id of an envelope comes back, unless it is longer than any id', async (t) => {
  const { port } = await serve(t, { 'open-body': 1024 ** 2 })
  const withId = (id: unknown) =>
    send(port, { path: '/jsonrpc', headers: JSON_HEADERS, body: JSON.stringify({ id, params: {} }) })
  for (const id of ['x'.repeat(5000), { deep: ['x'.repeat(5000)] }]) {
    const { status, body } = await withId(id)
    assert.equal(status, 400)
    assert.ok(body.length < 200)
  }
  assert.match((await withId('x'.repeat(900))).body, /x{900}/)
  assert.match((await withId({ a: 1 })).body, /"id":\{"a":1\}/)
})

test('a client that sends a long unwanted body can read the answer, also if the connection ends with it', async (t) => {
  const { port } = await serve(t, { bodyLimit: 32 * 1024 ** 2 })
  const huge = 'z'.repeat(24 * 1024 ** 2)
  const refused: Readonly<Record<string, readonly [Sent, number]>> = {
    'no key': [{ path: '/json/2/res.partner/search', headers: JSON_HEADERS, body: huge }, 401],
    'a wrong key': [{ ...json2('wrong'), body: huge }, 401],
    'no path': [{ path: '/nowhere', headers: JSON_HEADERS, body: huge }, 404],
    'another kind': [{ path: '/jsonrpc', headers: { 'content-type': 'text/plain' }, body: huge }, 415],
    'a path that takes no POST': [{ path: '/web/version', headers: JSON_HEADERS, body: huge }, 404],
    'a stranger': [{ path: '/jsonrpc', headers: JSON_HEADERS, body: `"${huge}"` }, 413],
    'what is no JSON': [{ path: '/jsonrpc', headers: JSON_HEADERS, body: huge }, 400],
  }
  for (const [name, [sent, expected]] of Object.entries(refused)) {
    for (const isChunked of [false, true])
      assert.equal((await send(port, sent, isChunked)).status, expected, name)
  }
})

test('a short body that came with its headers is taken as it is; one that is long, late or waits for leave is not', async (t) => {
  const bodies = new Bodies(1000)
  const server = createServer(async (message, response) => {
    // When the route awaits anything, the content of one packet has arrived.
    await undefined
    response.end(bodies.take(message)?.toString() ?? 'not yet')
    message.resume()
    server.emit('judged')
  })
  server.on('checkContinue', (message, response) => void server.emit('request', message, response))
  t.after(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const answerTo = async (headers: string, body: string, late = '') => {
    const socket = connect(port, '127.0.0.1')
    const length = Buffer.byteLength(body + late)
    socket.write(
      `POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${length}\r\n${headers}\r\n${body}`,
    )
    if (late) void once(server, 'judged').then(() => socket.write(late))
    return (await text(socket)).split('\r\n\r\n').at(-1)
  }
  assert.equal(await answerTo('', '{"a": "é"}'), '{"a": "é"}')
  assert.equal(await answerTo('', 'x'.repeat(1000)), 'x'.repeat(1000))
  assert.equal(await answerTo('', 'x'.repeat(1001)), 'not yet')
  assert.equal(await answerTo('', '{"a"', ': 1}'), 'not yet')
  assert.equal(await answerTo('expect: 100-continue\r\n', '{}'), 'not yet')
})
