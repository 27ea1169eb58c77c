// The server over real connections: chunked bodies, bad HTTP, broken-off bodies, and the end of the server.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Call } from '../services/request.ts'
import { fakeBackend, KEY } from '../wire/fake-backend.ts'
import { buildServer } from './server.ts'

const HEADERS = {
  authorization: `bearer ${KEY}`,
  'content-type': 'application/json',
  'x-service-database': 'one',
}

async function serve(t: TestContext, bodyLimit?: number) {
  const backend = fakeBackend()
  const app = await buildServer({ backend, bodyLimit })
  t.after(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, backend, port: (app.server.address() as AddressInfo).port }
}

/** Posts the chunks of a body one after the other; resolves to status and answer. */
function post(
  port: number,
  chunks: readonly string[],
  { agent, headers = {} }: { agent?: Agent; headers?: Record<string, string> } = {},
) {
  return new Promise<{ status: number | undefined; connection: string | undefined; body: string }>(
    (resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port,
          method: 'POST',
          path: '/json/2/res.partner/search',
          headers: { ...HEADERS, ...headers },
          agent,
        },
        async (answer) => {
          resolve({
            status: answer.statusCode,
            connection: answer.headers.connection,
            body: await text(answer),
          })
        },
      )
      sent.on('error', reject)
      for (const chunk of chunks) sent.write(chunk)
      sent.end()
    },
  )
}

/** Sends bytes as they are; resolves to all that comes back until the server hangs up. */
function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(bytes)
  return text(socket)
}

test('a chunked body is read like any other', async (t) => {
  const { port } = await serve(t, 1000)
  const answer = await post(port, ['{"domain"', ': [', ']}'], { headers: { 'transfer-encoding': 'chunked' } })
  assert.deepEqual([answer.status, answer.body], [200, '{"domain":[]}'])
  const large = await post(port, ['{"a": "', 'x'.repeat(600), 'x'.repeat(600), '"}'], {
    headers: { 'transfer-encoding': 'chunked' },
  })
  assert.equal(large.status, 413)
})

test('bad HTTP and headers without end get a whole answer', async (t) => {
  const { port } = await serve(t)
  assert.match(
    await raw(port, 'NO HTTP AT ALL\r\n\r\n'),
    /^HTTP\/1\.1 400 .*\r\nerror-code: bad_request\r\n.*"name":"werkzeug\.exceptions\.BadRequest"/s,
  )
  for (const verb of ['post', 'FETCH'])
    assert.match(
      await raw(port, `${verb} /x/1 HTTP/1.1\r\nhost: a\r\n\r\n`),
      /^HTTP\/1\.1 400 .*\r\nerror-code: bad_request\r\n/s,
      verb,
    )
  assert.match(
    await raw(port, `GET /web/version HTTP/1.1\r\nhost: a\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`),
    /^HTTP\/1\.1 431 .*\r\nerror-code: bad_request\r\n.*"name":/s,
  )
  assert.equal((await post(port, ['{}'])).status, 200)
})

test('requests that two readers could understand in two ways are refused, and others answered', async (t) => {
  const { backend, port } = await serve(t)
  const post = 'POST /json/2/res.partner/search HTTP/1.1\r\nhost: a\r\n'
  const head = Object.entries(HEADERS)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  const odd = {
    'a length and chunks': `${post}${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    'two lengths': `${post}${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`,
    'an odd length': `${post}${head}content-length: 2x\r\n\r\n{}`,
    'a negative length': `${post}${head}content-length: -1\r\n\r\n{}`,
    'an odd encoding': `${post}${head}transfer-encoding: xchunked\r\n\r\n{}`,
    'an odd chunk': `${post}${head}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    'a long chunk extension': `${post}${head}transfer-encoding: chunked\r\n\r\n2;${'x'.repeat(40_000)}\r\n{}\r\n0\r\n\r\n`,
    'a folded header': `GET /web/version HTTP/1.1\r\nhost: a\r\nx: y\r\n z\r\n\r\n`,
    'a blank before the colon': `GET /web/version HTTP/1.1\r\nhost : a\r\n\r\n`,
    'no host': 'GET /web/version HTTP/1.1\r\n\r\n',
  }
  for (const [name, bytes] of Object.entries(odd))
    assert.match(await raw(port, bytes), /^HTTP\/1\.1 4(00|13|31) /, name)
  assert.equal(backend.calls.length, 0)
  const close = 'connection: close\r\n\r\n'
  const sane = {
    'a whole address': [`GET http://a/web/version HTTP/1.1\r\nhost: a\r\n${close}`, 200],
    'a body with GET': [`GET /web/version HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n${close}hello`, 200],
    trailers: [`${post}${head}transfer-encoding: chunked\r\n${close}2\r\n{}\r\n0\r\nx-more: y\r\n\r\n`, 200],
    'a database named twice': [
      `${post}${head}x-service-database: two\r\ncontent-length: 2\r\n${close}{}`,
      404,
    ],
    'an expectation that nobody knows': [
      `GET /web/version HTTP/1.1\r\nhost: a\r\nexpect: wonders\r\n${close}`,
      417,
    ],
    'many headers': [`GET /web/version HTTP/1.1\r\nhost: a\r\n${'a: b\r\n'.repeat(500)}${close}`, 200],
  } as const
  for (const [name, [bytes, status]] of Object.entries(sane))
    assert.match(await raw(port, bytes), new RegExp(`^HTTP/1\\.1 ${status} `), name)
})

test('a body that breaks off calls nothing, and the server goes on', async (t) => {
  const { app, backend, port } = await serve(t)
  const socket = connect(port, '127.0.0.1')
  const head = Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}`)
  socket.write(
    ['POST /json/2/res.partner/search HTTP/1.1', 'host: a', ...head, 'content-length: 100', '', '{"a"'].join(
      '\r\n',
    ),
  )
  await new Promise((resolve) => app.server.once('request', resolve))
  socket.destroy()
  assert.equal((await post(port, ['{}'])).status, 200)
  assert.equal(backend.calls.length, 1)
})

test('closing lets a call in flight finish, and refuses new ones on open connections', async (t) => {
  const { app, backend, port } = await serve(t)
  const started = Promise.withResolvers<void>()
  const finish = Promise.withResolvers<void>()
  backend.respond = async () => {
    started.resolve()
    await finish.promise
    return '"finished"'
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const slow = post(port, ['{}'], { agent })
  await started.promise
  // A second connection is in the middle of a request when the server begins to close.
  const accepted = once(app.server, 'connection')
  const other = connect(port, '127.0.0.1')
  other.write('GET /web/version HTTP/1.1\r\nhost: a\r\n')
  const [socket] = (await accepted) as [Socket]
  while (socket.bytesRead === 0) await turn()
  const closed = app.close()
  while (app.server.listening) await turn()
  await assert.rejects(post(port, ['{}']), { code: 'ECONNREFUSED' })
  other.write('\r\n')
  assert.match(
    await text(other),
    /^HTTP\/1\.1 503 .*connection: close.*werkzeug\.exceptions\.ServiceUnavailable/is,
  )
  finish.resolve()
  assert.equal((await slow).body, '"finished"')
  await closed
  agent.destroy()
})

test('a connection that never said anything does not hold up the end of the server', async (t) => {
  const { app, port } = await serve(t)
  const socket = connect(port, '127.0.0.1')
  await once(app.server, 'connection')
  const ended = once(socket, 'close')
  socket.on('error', () => undefined)
  socket.resume()
  await app.close()
  await ended
})

test('a long body is put together in steps and arrives as it was sent, in whatever chunks', async (t) => {
  const { backend, port } = await serve(t)
  // Bytes of several lengths, so that no chunk ends where a step does.
  const chunk = `"${'é1'.repeat(700_001)}",`
  const chunks = ['{"domain": [', ...Array.from({ length: 12 }, () => chunk), '"end"]}']
  const answer = await post(port, chunks, { headers: { 'transfer-encoding': 'chunked' } })
  assert.deepEqual([answer.status, answer.body], [200, JSON.stringify(JSON.parse(chunks.join('')))])
  assert.equal(backend.calls.length, 1)
})

test('a client that goes away before its long answer begins is no failure of ours, and what it was to read is let go', async (t) => {
  const logged: string[] = []
  const log = {
    info: () => undefined,
    warn: () => undefined,
    error: (message: string) => void logged.push(message),
  }
  let [requested, ready, left] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ]
  async function* pieces() {
    try {
      yield '[1'
      yield ']'
    } finally {
      left.resolve()
    }
  }
  let gone: (() => boolean) | undefined
  const backend = {
    ...fakeBackend(),
    call: async (_server: unknown, request: Call) => {
      gone = request.gone
      requested.resolve()
      await ready.promise
      const more = pieces()
      return { json: (await more.next()).value as string, more }
    },
  }
  const app = await buildServer({ backend, log })
  t.after(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  for (const encoding of ['identity', 'gzip']) {
    ;[requested, ready, left] = [
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
    ]
    const sent = request({
      host: '127.0.0.1',
      port: (app.server.address() as AddressInfo).port,
      method: 'POST',
      path: '/json/2/res.partner/search_read',
      headers: { ...HEADERS, 'accept-encoding': encoding },
    })
    sent.on('error', () => undefined)
    const accepted = once(app.server, 'request') as Promise<[IncomingMessage]>
    sent.end('{}')
    const [{ socket }] = await accepted
    await requested.promise
    assert.equal(gone?.(), false)
    sent.destroy()
    await once(socket, 'close')
    assert.equal(gone?.(), true)
    ready.resolve()
    await left.promise
    for (let i = 0; i < 20; i++) await turn()
  }
  assert.deepEqual(logged, [])
})
