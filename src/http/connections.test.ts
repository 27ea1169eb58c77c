// Clients that read nothing of an answer are cut off; those that wait for the server, or are slow, are not.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { setLimits } from '../limits.ts'
import { type Connections, watchConnections } from './connections.ts'

const MB = 1024 ** 2
const LARGE = 'x'.repeat(32 * MB)

async function serve(t: TestContext, answer: RequestListener) {
  const server = createServer(answer)
  const connections = watchConnections(server, { lookMs: 1_000_000 })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { server, connections, port: (server.address() as AddressInfo).port }
}

/** Checks for longer than it takes to disconnect a client that reads nothing. */
function lookLong({ look }: Connections): void {
  for (let n = 0; n < 100; n++) look()
}

test('connections: a client that reads nothing is disconnected, and its answer dropped', async (t) => {
  const { server, connections, port } = await serve(t, (_request, answer) => void answer.end(LARGE))
  const accepted = once(server, 'connection')
  const client = connect(port, '127.0.0.1')
  client.on('error', () => undefined)
  client.pause()
  client.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  const [socket] = await accepted
  while (socket.writableLength === 0) await turn()
  connections.look()
  assert.equal(socket.destroyed, false, 'it has a while')
  lookLong(connections)
  assert.equal(socket.destroyed, true)
  client.destroy()
})

test('an answer that we are slow to make arrives whole, however long its client waits', async (t) => {
  const part = 'y'.repeat(8 * 1024 ** 2)
  const begun = Promise.withResolvers<ServerResponse>()
  const { connections, port } = await serve(t, (_request, answer) => {
    answer.write(part)
    begun.resolve(answer)
  })
  const sent = request({ host: '127.0.0.1', port, agent: false }).end()
  const [answer] = await once(sent, 'response')
  let length = 0
  answer.on('data', (chunk: Buffer) => {
    length += chunk.length
  })
  const ended = once(answer, 'end')
  while (length < part.length) await turn()
  lookLong(connections)
  const response = await begun.promise
  response.end(part)
  await ended
  assert.equal(length, 2 * part.length)
})

test('one address may open a limited number of connections, and gets a refusal; proxies may open more', async (t) => {
  t.after(() => setLimits())
  setLimits({ connections: 3 })
  const { port } = await serve(t, (_request, answer) => void answer.end('here'))
  const open = async () => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    return socket
  }
  const sockets = [await open(), await open(), await open()]
  const refused = await open()
  assert.match(
    String((await once(refused, 'data'))[0]),
    /^HTTP\/1\.1 503 .*retry-after.*x-comptoir-outcome: undone/is,
  )
  await once(refused, 'close')
  const [first] = sockets
  first?.destroy()
  for (;;) {
    const again = await open()
    again.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    const [answer] = await once(again, 'data')
    again.destroy()
    if (/200 OK/.test(String(answer))) break
  }
  for (const socket of sockets) socket.destroy()
})

test('connections: if too many bytes wait, the clients with the most are disconnected', async (t) => {
  t.after(() => setLimits())
  setLimits({ waiting: 80 * MB })
  const ask = await readers(t)
  const [large, small] = [await ask(32), await ask(16)]
  setLimits({ waiting: 60 * MB })
  // The server looks as soon as another large answer waits.
  const other = await ask(12)
  assert.deepEqual([large.destroyed, small.destroyed, other.destroyed], [true, false, false])
})

test('what waits of one address is half of what may wait: others keep their answers', async (t) => {
  t.after(() => setLimits())
  setLimits({ waiting: 60 * MB })
  const ask = await readers(t)
  const theirs = await ask(28, '127.0.0.2')
  const ours = [await ask(24), await ask(24)]
  assert.deepEqual(
    [theirs, ...ours].map((socket) => socket.destroyed),
    [false, true, false],
  )
})

/** Clients that ask for so many megabytes and take nothing; gives the server's ends of their connections. */
async function readers(t: TestContext) {
  const { server, port } = await serve(
    t,
    (request, answer) => void answer.end(LARGE.slice(0, Number(request.url?.slice(1)) * MB)),
  )
  return async (megabytes: number, localAddress = '127.0.0.1'): Promise<Socket> => {
    const accepted = once(server, 'connection')
    const client = connect({ port, host: '127.0.0.1', localAddress })
    t.after(() => client.destroy())
    client.on('error', () => undefined)
    client.pause()
    const answered = once(server, 'request')
    client.write(`GET /${megabytes} HTTP/1.1\r\nhost: a\r\n\r\n`)
    const [socket] = await accepted
    await answered
    while (socket.writableLength === 0 && !socket.destroyed) await turn()
    return socket
  }
}
