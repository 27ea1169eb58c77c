// Sockets that are cut before or in the middle of an answer: what the server had taken for it is free again.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, test } from 'node:test'

import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { raw } from '../../src/sql/index.ts'

import { message } from '../support/mcp.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { until } from '../support/receiver.ts'
import { recordStatements } from '../support/statements.ts'

/** Streams of one reader (http/extensions/stream.ts). */
const MOST_OF_ONE = 10
const ROWS = 6000

let nodes: Nodes
before(async () => {
  nodes = await openNodes({ known: modules.filter(({ name }) => name === 'base') })
  await nodes.run(({ unit }) =>
    unit.query(
      raw(`INSERT INTO res_bank (name, street, active)
        SELECT 'bank ' || n, md5(n::text) || md5(n || 'a') || md5(n || 'b') || md5(n || 'c') || md5(n || 'd') || md5(n || 'e'), true FROM generate_series(1, ${ROWS}) AS n`),
    ),
  )
})
after(() => nodes?.close())

const create = async (name: string) =>
  ((await nodes.call('res.partner/create', { vals_list: [{ name }] })).body as [number])[0]
const port = () => Number(new URL(nodes.servers[0]?.url ?? '').port)

interface Asked {
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** In place of a body of JSON. */
  readonly text?: string
  readonly key?: string
}

/** Sends a request over a socket of its own. */
async function send({ path, headers = {}, body, key = nodes.key, ...options }: Asked): Promise<Socket> {
  const socket = connect(port(), '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  const text = options.text ?? (body === undefined ? '' : JSON.stringify(body))
  const all = {
    host: '127.0.0.1',
    connection: 'close',
    authorization: `bearer ${key}`,
    'x-service-database': 'test',
    ...(text ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } : {}),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${text ? 'POST' : 'GET'} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`)
  return socket
}

const statusOf = (chunk: Buffer) => Number(/^HTTP\/1.1 (\d+)/.exec(chunk.toString('latin1'))?.[1])

/** Sends a request and cuts its socket once so many bytes came; gives the status. */
async function cut(request: Asked, bytes: number): Promise<number> {
  const socket = await send(request)
  let [came, status] = [0, 0]
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    status ||= statusOf(chunk)
    came += chunk.length
    if (came >= bytes) break
  }
  socket.resetAndDestroy()
  return status
}

const feed = '/x/1/changes?models=res.partner&fields.res.partner=name&from=now'
const asStream = { accept: 'text/event-stream' }
const listening = () => {
  const said = message('subscriptions/listen', {
    notifications: { resourceSubscriptions: ['comptoir://records/res.partner/1'] },
  })
  return { path: '/x/1/mcp', headers: said.headers, body: said.body }
}

/** Asserts that all streams a reader may have can be opened. */
async function assertAllFree(request: Asked, key: string): Promise<void> {
  await until(async () => {
    const open = await Promise.all(Array.from({ length: MOST_OF_ONE }, () => send({ ...request, key })))
    const firstData = await Promise.all(open.map((socket) => once(socket, 'data') as Promise<[Buffer]>))
    for (const socket of open) socket.destroy()
    return firstData.every(([chunk]) => statusOf(chunk) === 200)
  }, 'all streams of a reader are free')
}

const streams: Readonly<Record<string, () => Asked>> = {
  'of changes': () => ({ path: feed, headers: asStream }),
  'of changes that is asked for by POST': () => ({
    path: '/x/1/changes',
    headers: asStream,
    body: { models: { 'res.partner': { fields: ['name'] } }, from: 'now' },
  }),
  'of an agent': listening,
}
for (const [what, request] of Object.entries(streams)) {
  test(`broken connections: a stream ${what} releases its slot, and stops reading`, async () => {
    const key = await createKey(nodes.databases, 'test', 'admin', { scope: 'rpc', name: what, days: 1 })
    for (let round = 0; round < 2 * MOST_OF_ONE; round++)
      assert.equal(await cut({ ...request(), key }, 1), 200)
    await assertAllFree(request(), key)
    // At any moment before it begins, too: while the key is judged, or the first page read.
    const tries = Array.from({ length: 6 * MOST_OF_ONE }, async (_, n) => {
      const socket = await send({ ...request(), key })
      for (let turns = 0; turns < n; turns++) await new Promise(setImmediate)
      socket.resetAndDestroy()
    })
    await Promise.all(tries)
    await assertAllFree(request(), key)
    const recorder = recordStatements()
    const reads = () =>
      recorder.statements.filter(({ text }) => text.includes('FROM comptoir_change ')).length
    try {
      const firstData = await send({ ...request(), key })
      await once(firstData, 'data')
      recorder.forget()
      await create('Heard by one')
      await until(() => reads() > 0, 'the one who is left is read for')
      firstData.destroy()
      await until(() => nodes.database.pool.quiet, 'nothing is under way')
      assert.ok(reads() <= 2, `${reads()} reads for one reader`)
    } finally {
      recorder.stop()
    }
  })
}

const banks = { domain: [], fields: ['name', 'street'] }
const rpc = () => ['test', 2, nodes.key, 'res.bank', 'search_read', [[]], { fields: banks.fields }]
const xml = () =>
  `<?xml version="1.0"?><methodCall><methodName>execute_kw</methodName><params>${[
    'test',
    2,
    nodes.key,
    'res.bank',
    'search_read',
  ]
    .map(
      (argument) =>
        `<param><value>${typeof argument === 'number' ? `<int>${argument}</int>` : argument}</value></param>`,
    )
    .join(
      '',
    )}<param><value><array><data><value><array><data/></array></value></data></array></value></param></params></methodCall>`
/** Every way to an answer that comes in pieces. */
const long: Readonly<Record<string, () => Asked>> = {
  'a long answer': () => ({ path: '/json/2/res.bank/search_read', body: banks }),
  'a long answer that is packed': () => ({
    path: '/json/2/res.bank/search_read',
    body: banks,
    headers: { 'accept-encoding': 'gzip' },
  }),
  'a long answer of JSON-RPC': () => ({
    path: '/jsonrpc',
    body: { jsonrpc: '2.0', id: 1, params: { service: 'object', method: 'execute_kw', args: rpc() } },
  }),
  'a long answer of XML-RPC': () => ({
    path: '/xmlrpc/2/object',
    text: xml(),
    headers: { 'content-type': 'text/xml' },
  }),
  'lines of JSON': () => ({
    path: '/json/2/res.bank/search_read',
    body: banks,
    headers: { accept: 'application/x-ndjson' },
  }),
  'an export in lines of JSON': () => ({ path: '/x/1/export?model=res.bank&fields=name,street' }),
  'an export as CSV': () => ({
    path: '/x/1/export?model=res.bank&fields=name,street',
    headers: { accept: 'text/csv' },
  }),
  'an export as CSV that is packed': () => ({
    path: '/x/1/export?model=res.bank&fields=name,street',
    headers: { accept: 'text/csv', 'accept-encoding': 'br' },
  }),
}
for (const [what, longRequest] of Object.entries(long)) {
  test(`${what} that is cut gives back its connection and its place`, async () => {
    const request = { ...longRequest() }
    for (const bytes of [1, 100_000, 400_000]) assert.equal(await cut(request, bytes), 200)
    await until(() => nodes.database.pool.quiet, 'no connection is in use')
    // Before its first byte, too, at whatever moment.
    for (let n = 0; n < 24; n++) {
      const socket = await send(request)
      for (let turns = 0; turns < n; turns++) await new Promise(setImmediate)
      socket.resetAndDestroy()
    }
    await until(() => nodes.database.pool.quiet, 'no connection is in use')
    // More at once than one user reads, and each comes to its end.
    const all = await Promise.all(Array.from({ length: 4 }, () => cut(request, 1)))
    assert.deepEqual(all, [200, 200, 200, 200])
    await until(() => nodes.database.pool.quiet, 'no connection is in use')
  })
}
