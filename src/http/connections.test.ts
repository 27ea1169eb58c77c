// Clients that take nothing of an answer are given up; those who wait for us, or take their time, are not.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { watchConnections } from './connections.ts'

const STALLED = 150
const LARGE = 'x'.repeat(32 * 1024 ** 2)

async function serve(t: TestContext, answer: RequestListener) {
  const server = createServer(answer)
  watchConnections(server, STALLED)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { server, port: (server.address() as AddressInfo).port }
}

test('a client that takes nothing is given up, with what it was to get', async (t) => {
  const { server, port } = await serve(t, (_request, answer) => void answer.end(LARGE))
  const accepted = once(server, 'connection')
  const client = connect(port, '127.0.0.1')
  client.on('error', () => undefined)
  client.pause()
  client.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
  const [socket] = await accepted
  // Without the watch this waits for ever.
  await once(socket, 'close')
  assert.ok(socket.bytesWritten < LARGE.length || client.bytesRead < LARGE.length)
  client.destroy()
})

test('an answer that we are slow to make arrives whole, though its client waits longer than a stalled one may', async (t) => {
  const part = 'y'.repeat(8 * 1024 ** 2)
  const { port } = await serve(t, async (_request, answer) => {
    answer.write(part)
    await sleep(STALLED * 4)
    answer.end(part)
  })
  const sent = request({ host: '127.0.0.1', port, agent: false }).end()
  const [answer] = await once(sent, 'response')
  // Slow to begin, so that the watch sees an answer that waits.
  await sleep(STALLED / 2)
  let length = 0
  for await (const chunk of answer) length += (chunk as Buffer).length
  assert.equal(length, 2 * part.length)
})
