// Hostile receivers: answers without end, in crumbs, or before the request is complete.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { after, before, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { setOutgoing } from '../../kit/outgoing.ts'
import { inSlices, Sender } from './send.ts'

const sender = new Sender()
before(() => setOutgoing({ allow: ['127.0.0.1/32'], http: true }))
after(() => {
  sender.close()
  setOutgoing()
})

/** The outcome of one attempt at a receiver that says `first` and then `rest` without end; it is cut off. */
async function outcomeOf(first: string, rest: string) {
  const cut = Promise.withResolvers<void>()
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined).on('close', () => cut.resolve())
    socket.once('data', () => {
      socket.write(first)
      const pour = () => {
        while (!socket.destroyed && socket.write(rest));
      }
      socket.on('drain', pour)
      pour()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const url = `http://127.0.0.1:${port}/`
  const outcome = await sender.send({ url, id: 'evt', body: '{}', secrets: ['whsec_AAAA'] })
  await cut.promise
  server.close()
  return outcome
}

test('answers without end are cut off where enough of them is known, also in crumbs', async () => {
  for (const [first, rest] of [
    ['HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(10_000)],
    ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\nx\r\n'.repeat(2000)],
  ] as const) {
    const { status, error, reply } = await outcomeOf(first, rest)
    assert.deepEqual([status, error], [200, null])
    assert.match(reply, /^x{1,1024}$/)
  }
})

test('a receiver that says something again and again before its answer is not listened to', async () => {
  const { status, error } = await outcomeOf('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100))
  assert.deepEqual([status, error], [null, 'The receiver sent too many informational responses (1xx).'])
})

test('what arrives at once is taken apart in slices, in order, with turns for others between', async () => {
  const line = new Duplex({ read: () => undefined, write: (_, __, done) => done() })
  inSlices(line)
  inSlices(line)
  const chunks: { turn: number; size: number }[] = []
  const pieces: Buffer[] = []
  let turns = 0
  line.on('data', (piece: Buffer) => {
    chunks.push({ turn: turns, size: piece.length })
    pieces.push(piece)
  })
  const sent = Buffer.from(Array.from({ length: 20_001 }, (_, n) => n % 251))
  line.push(sent.subarray(0, 10))
  line.push(sent.subarray(10, 20_000))
  line.push(sent.subarray(20_000))
  line.push(null)
  const end = once(line, 'end').then(() => true)
  while (!(await Promise.race([end, turn(false)]))) turns++
  assert.deepEqual(Buffer.concat(pieces), sent)
  assert.ok(chunks.every(({ size }) => size <= 2048))
  assert.ok(new Set(chunks.map((chunk) => chunk.turn)).size >= 10, 'it came in hardly any turns')
})
