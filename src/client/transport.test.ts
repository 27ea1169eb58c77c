// One call over HTTP: what is sent, how answers and failures are taken, and what becomes of writes when
// nothing is certain.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ConcurrencyError,
  InvalidValue,
  LockError,
  ServiceError,
  ServiceUnavailable,
  UserError,
} from '../errors.ts'
import { type FakeAnswer, fakeFetch, ok, refusal, unreachable } from './fake-fetch.ts'
import { Position } from './position.ts'
import { type ConnectOptions, type Outgoing, send } from './transport.ts'

const wait = async () => undefined
const read: Outgoing = {
  method: 'POST',
  path: '/json/2/res.partner/search',
  body: { domain: [] },
  safe: true,
}
const write: Outgoing = { method: 'POST', path: '/json/2/res.partner/write', body: { vals: {} }, safe: false }

function to(answers: FakeAnswer[], options: Partial<ConnectOptions> = {}) {
  const fake = fakeFetch(...answers)
  return {
    requests: fake.requests,
    options: { url: 'http://shop.test/base/', key: 'k1', fetch: fake.fetch, retry: { wait }, ...options },
  }
}

test('a request carries key, database under both names, and JSON', async () => {
  const { requests, options } = to([ok([1])], { database: 'shop', userAgent: 'till/1' })
  assert.deepEqual(await send(options, read), [1])
  const [request] = requests
  assert.ok(request)
  assert.deepEqual(
    [request.method, request.url, request.body],
    ['POST', 'http://shop.test/base/json/2/res.partner/search', { domain: [] }],
  )
  assert.deepEqual(Object.fromEntries(request.headers), {
    accept: 'application/json',
    authorization: 'bearer k1',
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'till/1',
    'x-odoo-database': 'shop',
    'x-service-database': 'shop',
  })
})

test('the key may change between attempts', async () => {
  const keys = ['old', 'new']
  const { requests, options } = to([refusal(409, LockError.wireName), ok(true)], {
    key: async () => keys.shift() as string,
  })
  await send(options, read)
  assert.deepEqual(
    requests.map((request) => request.headers.get('authorization')),
    ['bearer old', 'bearer new'],
  )
})

test('reads are repeated after lost answers, gateways and 503; business refusals are not', async () => {
  const { requests, options } = to([
    unreachable('ECONNRESET'),
    refusal(503, ServiceUnavailable.wireName, 'Busy', { 'retry-after': '2' }),
    ok(3),
  ])
  assert.equal(await send(options, read), 3)
  assert.equal(requests.length, 3)
  const refused = to([refusal(422, UserError.wireName, 'No such order.'), ok(3)])
  await assert.rejects(
    send(refused.options, read),
    (error) => error instanceof UserError && error.message === 'No such order.',
  )
  assert.equal(refused.requests.length, 1)
})

test('writes are repeated when they were discarded or never arrived', async () => {
  for (const answer of [
    refusal(409, ConcurrencyError.wireName),
    refusal(500, ConcurrencyError.wireName),
    refusal(500, 'psycopg2.errors.DeadlockDetected'),
    new Response('Slow down', { status: 429 }),
    unreachable('ECONNREFUSED'),
    unreachable('ENOTFOUND'),
  ]) {
    const { requests, options } = to([answer, ok(true)])
    assert.equal(await send(options, write), true)
    assert.equal(requests.length, 2)
  }
})

test('writes of unknown fate are not repeated', async () => {
  for (const answer of [
    unreachable('ECONNRESET'),
    new TypeError('Failed to fetch'),
    refusal(503, ServiceUnavailable.wireName, 'Gone', { 'retry-after': '1' }),
    new Response('Bad gateway', { status: 502 }),
    new Response('Conflict', { status: 409 }),
    refusal(500, 'builtins.Exception'),
  ]) {
    const { requests, options } = to([answer, ok(true)])
    await assert.rejects(send(options, write))
    assert.equal(requests.length, 1)
  }
})

test('a server that keeps keys gets a write again under the same key', async () => {
  for (const answer of [unreachable('ECONNRESET'), new Response('Bad gateway', { status: 502 })]) {
    const { requests, options } = to([answer, ok(true)], { url: 'http://keeping.example' })
    assert.equal(await send(options, write), true)
    const keys = requests.map(({ headers }) => headers.get('idempotency-key'))
    assert.match(String(keys[0]), /^"[0-9a-f]{32}"$/)
    assert.equal(keys[1], keys[0])
  }
  const transport = to([ok(true)])
  await send(transport.options, write, { idempotencyKey: 'mine "1"' })
  assert.equal(transport.requests[0]?.headers.get('idempotency-key'), '"mine \\"1\\""')
  const kept = refusal(409, 'odoo.exceptions.LockError', 'Not kept.', {
    'error-code': 'idempotency_answer_not_kept',
  })
  const { requests, options } = to([kept, ok(true)], { url: 'http://keeping.example' })
  await assert.rejects(send(options, write))
  assert.equal(requests.length, 1)
})

test('whether a server keeps keys is asked before the first write leaves, and once', async () => {
  const names: string[] = []
  let questions: FakeAnswer[] = [unreachable('ECONNREFUSED'), ok({ extensions: ['idempotency'] })]
  let writes: FakeAnswer[] = [unreachable('ECONNRESET'), ok(7), ok(8)]
  const fetching = async (address: unknown) => {
    const path = new URL(String(address)).pathname
    names.push(path)
    const next = (path === '/x/1' ? questions : writes).shift()
    if (next instanceof Response) return next
    throw next
  }
  const options = { url: 'http://asked.test', key: 'k', fetch: fetching as typeof fetch, retry: { wait } }
  const { path } = write
  assert.deepEqual([await send(options, write), await send(options, write)], [7, 8])
  assert.deepEqual(names, ['/x/1', '/x/1', path, path, path])
  // A server that was away all the time got no write.
  questions = Array.from({ length: 4 }, () => new Response('Bad gateway', { status: 502 }))
  writes = []
  await assert.rejects(send({ ...options, url: 'http://away.test' }, write), { status: 502 })
  // Nothing is asked for a write that is never repeated.
  writes = [ok(9)]
  assert.equal(await send({ ...options, url: 'http://once.test', retry: { attempts: 1 } }, write), 9)
})

test('client: a page in the place of an answer says for a minute only that a server keeps no keys', async (t) => {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const questions = [new Response('<h1>Not Found</h1>', { status: 404 }), ok({ extensions: ['idempotency'] })]
  const writes: FakeAnswer[] = [ok(1), unreachable('ECONNRESET'), unreachable('ECONNRESET'), ok(2)]
  const fetching = async (address: unknown) => {
    const next = (new URL(String(address)).pathname === '/x/1' ? questions : writes).shift()
    if (next instanceof Response) return next
    throw next
  }
  const options = { url: 'http://gateway.test', key: 'k', fetch: fetching as typeof fetch, retry: { wait } }
  assert.equal(await send(options, write), 1)
  now = 59_000
  await assert.rejects(send(options, write), 'the answer of the gateway still counts')
  now = 60_000
  assert.equal(await send(options, write), 2, 'a lost answer is asked for again under the same key')
  assert.equal(questions.length, 0)
})

test('a 503 says whether the work was done: undone is repeated without a key, an earlier attempt at work with it', async () => {
  const away = (outcome: string) =>
    refusal(503, ServiceUnavailable.wireName, 'Away', { 'retry-after': '1', 'x-comptoir-outcome': outcome })
  const undone = to([away('undone'), ok(1)])
  assert.equal(await send(undone.options, write), 1)
  const done = to([away('done'), ok(1)])
  await assert.rejects(send(done.options, write), { outcome: 'unknown' })
  await assert.rejects(send(to([away('undone')], { retry: { attempts: 1 } }).options, write), {
    outcome: 'undone',
  })
  const running = () =>
    refusal(409, LockError.wireName, 'Running', {
      'error-code': 'idempotency_in_progress',
      'retry-after': '1',
    })
  const { options } = to([...Array.from({ length: 20 }, running), ok(1)], { url: 'http://keeping.example' })
  assert.equal(await send(options, write), 1)
})

test('Retry-After is read as seconds or as a date, and is in the error', async () => {
  const waits: number[] = []
  const retry = { wait: async (ms: number) => void waits.push(ms), attempts: 2 }
  const busy = (after: string) => refusal(503, ServiceUnavailable.wireName, 'Busy', { 'retry-after': after })
  const { options } = to([busy('4'), busy('4')], { retry })
  await assert.rejects(
    send(options, read),
    (error) => error instanceof ServiceUnavailable && error.retryAfter === 4,
  )
  await send(to([busy('Wed, 21 Oct 2015 07:28:00 GMT'), ok(1)], { retry }).options, read)
  assert.deepEqual(waits, [4000, 0])
})

test('an answer that is no JSON, and a redirect, are errors that say so', async () => {
  await assert.rejects(
    send(to([new Response('<html>')]).options, read),
    (error) => error instanceof ServiceError && error.wireName === 'HTTP 200',
  )
  const moved = new Response(null, { status: 301, headers: { location: 'https://shop.test/' } })
  await assert.rejects(
    send(to([moved]).options, read),
    (error) => error instanceof ServiceError && error.status === 301,
  )
})

test('numbers that JSON cannot carry are refused before anything is sent', async () => {
  const { requests, options } = to([])
  await assert.rejects(send(options, { ...write, body: { vals: { price: Number.NaN } } }), InvalidValue)
  assert.equal(requests.length, 0)
})

/** A fetch that never answers, until its signal is aborted. */
const silent = ((_url: unknown, { signal }: RequestInit = {}) =>
  new Promise((_, fail) => {
    const alive = setInterval(() => undefined, 1000)
    signal?.addEventListener('abort', () => {
      clearInterval(alive)
      fail(signal.reason)
    })
  })) as typeof fetch

test('aborts and time limits end a call with their own reasons', async () => {
  const { options } = to([], { fetch: silent })
  const controller = new AbortController()
  const call = send(options, read, { signal: controller.signal, timeoutMs: 0 })
  setImmediate(() => controller.abort(new Error('closed the page')))
  await assert.rejects(call, /closed the page/)
  await assert.rejects(send(options, read, { signal: controller.signal }), /closed the page/)
  await assert.rejects(send(options, read, { timeoutMs: 5 }), { name: 'TimeoutError' })
})

test('replica: calls carry the last position, and none after a write whose answer had none', async () => {
  const replica = new Position()
  const telling = (position?: string) =>
    Response.json(true, { headers: position ? { 'comptoir-position': position } : {} })
  const { requests, options } = to(
    [telling('7-0/9'), telling('7-0/10'), telling('7-0/A'), telling(), telling('8-0/1')],
    { replica },
  )
  const shown: (string | null)[] = []
  for (const call of [read, write, read, write, read]) {
    await send(options, call)
    shown.push(replica.value)
  }
  assert.deepEqual(shown, ['7-0/9', '7-0/10', '7-0/10', null, '8-0/1'])
  assert.deepEqual(
    requests.map(({ headers }) => [headers.get('prefer'), headers.get('comptoir-position')]),
    [null, '7-0/9', '7-0/10', '7-0/10', null].map((position) => ['replica', position]),
  )
})
