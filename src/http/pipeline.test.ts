// Requests sent without waiting for answers: all have theirs, in order, a few run at once, and not without
// number.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { setLimits } from '../limits.ts'
import { lineUp } from './pipeline.ts'

async function serve(t: TestContext, answer: RequestListener) {
  const server = createServer(answer)
  lineUp(server)
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
  const statuses = [...(await text(socket)).matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)
  assert.equal(statuses.length, 500)
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
