// Pipelined requests: all are answered, in order, and only a few run at once. Long bodies: a turn reads a
// bounded part of all connections together.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { setLimits } from '../limits.ts'
import { serializeRequests } from './pipeline.ts'
import { portion } from './portions.ts'

async function serve(t: TestContext, answer: RequestListener) {
  const server = createServer(answer)
  serializeRequests(server)
  portion(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    setLimits()
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const requests = (count: number) =>
  Array.from(
    { length: count },
    (_, n) => `GET /${n} HTTP/1.1\r\nhost: a\r\n${n === count - 1 ? 'connection: close\r\n' : ''}\r\n`,
  ).join('')

test('a few run at once, and all are answered in order', async (t) => {
  let running = 0
  let most = 0
  const port = await serve(t, async (request, answer) => {
    most = Math.max(most, ++running)
    await turn()
    running--
    answer.end(`answer ${request.url} `)
  })
  const socket = connect(port, '127.0.0.1')
  socket.write(requests(60))
  const answers = [...(await text(socket)).matchAll(/answer \/(\d+) /g)].map(([, n]) => Number(n))
  assert.deepEqual(
    answers,
    Array.from({ length: 60 }, (_, n) => n),
  )
  assert.ok(most > 1 && most <= 8, `${most} at once`)
})

test('more than may wait are refused, each with an answer in its place', async (t) => {
  setLimits({ pipelined: 10 })
  let handled = 0
  const port = await serve(t, (_request, answer) => {
    handled++
    setImmediate(() => answer.end('done'))
  })
  const socket = connect(port, '127.0.0.1')
  socket.write(requests(500))
  const answers = (await text(socket)).split(/(?=HTTP\/1\.1 )/)
  const statuses = answers.map((answer) => answer.slice(9, 12))
  assert.equal(statuses.length, 500)
  for (const answer of answers)
    assert.equal(/x-comptoir-outcome: undone/.test(answer), answer.startsWith('HTTP/1.1 503'))
  assert.equal(statuses.filter((status) => status === '200').length, handled)
  assert.deepEqual([...new Set(statuses)].sort(), ['200', '503'])
  assert.ok(handled >= 18, `${handled} handled`)
})

test('a long line gives others their turn', async (t) => {
  let turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  const port = await serve(t, (_request, answer) => void answer.end('x'))
  const socket = connect(port, '127.0.0.1')
  socket.write(requests(100))
  setImmediate(count)
  await text(socket)
  isOver = true
  assert.ok(turns >= 10, `${turns} turns`)
})

test('who does not read gets no more answers made', async (t) => {
  const large = 'x'.repeat(8 * 1024 ** 2)
  let handled = 0
  const port = await serve(t, (_request, answer) => {
    handled++
    answer.end(large)
  })
  const socket = connect(port, '127.0.0.1')
  socket.pause()
  socket.write(requests(100))
  for (let n = 0; n < 200; n++) await turn()
  assert.ok(handled <= 9, `${handled} handled`)
  socket.destroy()
})

const [KB, MB] = [1024, 1024 ** 2]

/**
 * Sends the same body on this many connections at once; returns the most bytes that one turn read of them.
 */
async function flood(
  t: TestContext,
  connections: number,
  { head, body }: { head: string; body: Buffer },
  take: (message: IncomingMessage) => Promise<number>,
): Promise<{ lengths: readonly string[]; bytes: number; pieces: number }> {
  let now = { bytes: 0, pieces: 0 }
  const most = { bytes: 0, pieces: 0 }
  let isOver = false
  const watch = () => {
    most.bytes = Math.max(most.bytes, now.bytes)
    most.pieces = Math.max(most.pieces, now.pieces)
    now = { bytes: 0, pieces: 0 }
    if (!isOver) setImmediate(watch)
  }
  setImmediate(watch)
  const port = await serve(t, async (message, answer) => {
    const { push } = message
    message.push = (piece: Buffer | null, encoding?: BufferEncoding) => {
      now.bytes += piece?.length ?? 0
      now.pieces++
      return push.call(message, piece, encoding)
    }
    answer.end(String(await take(message)))
  })
  const lengths = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(port, '127.0.0.1')
      socket.write(`POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${head}\r\n\r\n`)
      socket.write(body)
      return (await text(socket)).split('\r\n\r\n')[1] ?? ''
    }),
  )
  isOver = true
  return { lengths, ...most }
}

/** Lets a body pass by as fast as it comes. */
async function flowing(message: IncomingMessage): Promise<number> {
  let length = 0
  message.on('data', (piece: Buffer) => {
    length += piece.length
  })
  await once(message, 'end')
  return length
}

test('a turn takes a portion of long bodies, of all connections together', async (t) => {
  const body = Buffer.alloc(4 * MB, 'b')
  const sent = { head: `content-length: ${body.length}`, body }
  const { lengths, bytes } = await flood(t, 12, sent, flowing)
  assert.deepEqual(
    lengths,
    Array.from({ length: 12 }, () => String(body.length)),
  )
  // Bytes that were read together with the head of each are added.
  assert.ok(bytes <= MB + 13 * 64 * KB, `${bytes} bytes`)
})

test('a turn takes so many pieces, and what is read together with the last of them', async (t) => {
  const body = Buffer.from(`${'1\r\na\r\n'.repeat(40_000)}0\r\n\r\n`)
  const { lengths, pieces } = await flood(t, 2, { head: 'transfer-encoding: chunked', body }, flowing)
  assert.deepEqual(lengths, ['40000', '40000'])
  assert.ok(pieces <= 2048 + 3 * ((64 * KB) / 6), `${pieces} pieces`)
})

test('a reader that takes its time has all of a body', async (t) => {
  const body = Buffer.alloc(3 * MB, 'b')
  const slowly = async (message: IncomingMessage) => {
    let length = 0
    for await (const piece of message) {
      length += (piece as Buffer).length
      await turn()
    }
    return length
  }
  const { lengths } = await flood(t, 4, { head: `content-length: ${body.length}`, body }, slowly)
  assert.deepEqual(
    lengths,
    Array.from({ length: 4 }, () => String(body.length)),
  )
})

test('an unwanted body is read in portions, and the next request has its answer', async (t) => {
  const port = await serve(t, (message, answer) => answer.end(`answer ${message.url} `))
  const socket = connect(port, '127.0.0.1')
  socket.write(`POST /0 HTTP/1.1\r\nhost: a\r\ncontent-length: ${4 * MB}\r\n\r\n`)
  socket.write(Buffer.alloc(4 * MB, 'b'))
  socket.write('GET /1 HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
  assert.match(await text(socket), /answer \/0 [\s\S]*answer \/1 /)
})
