// Readers of a stream that stop reading: the server reads nothing more for them, still checks their
// key, and continues without a gap when they read again.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sendStream } from '../../src/http/extensions/stream.ts'
import { modules } from '../../src/main.ts'
import { openNodes } from '../support/nodes.ts'
import { until } from '../support/receiver.ts'
import { recordStatements } from '../support/statements.ts'

const MEGABYTE = 1024 * 1024
const PAGES = 40
const text = 'x'.repeat(100_000)
const values = JSON.stringify({ text })

/** Signs of life that are due in five minutes, one every fourteen seconds. */
const IN_FIVE_MINUTES = Math.ceil((5 * 60) / 14)

/** A stream of forty pages of 100 kB to a reader who takes nothing yet. */
function streamTo(prove: () => Promise<void>) {
  const raw = new PassThrough({ highWaterMark: 1024 })
  const controller = new AbortController()
  let pages = 0
  const page = (cursor: string) => ({
    changes: pages === PAGES ? [] : [{ model: 'a', id: ++pages, op: 'upsert' as const, values }],
    cursor: `${cursor}.`,
    more: pages < PAGES,
    held: false,
    caughtUp: false,
    behind: () => cursor,
  })
  const sent = sendStream(
    raw as unknown as ServerResponse,
    { page: page(''), beat: 0 },
    {
      pulse: { beat: 0, next: async () => controller.abort() },
      page: async (cursor) => page(cursor),
      prove,
      signal: controller.signal,
      alive: 2,
    },
  )
  return { raw, sent, pages: () => pages }
}

test('slow reader: gets nothing for five minutes without reading, and then everything', async () => {
  let proofs = 0
  const { raw, sent, pages } = streamTo(async () => {
    proofs++
  })
  await until(() => proofs > 0, 'a megabyte waits')
  const [held, read] = [raw.writableLength, pages()]
  assert.ok(held > MEGABYTE && held < 1.2 * MEGABYTE && read < PAGES, `${held} bytes of ${read} pages`)
  await until(() => proofs >= IN_FIVE_MINUTES, 'five minutes of signs of life are over')
  assert.deepEqual([raw.writableLength, pages()], [held, read])
  let received = ''
  raw.setEncoding('utf8').on('data', (chunk: string) => {
    received += chunk
  })
  await sent
  await until(() => received.length > PAGES * text.length, 'all is read')
  const ids = [...received.matchAll(/^data: \{"model":"a","id":(\d+)/gm)].map(([, id]) => Number(id))
  assert.deepEqual(
    ids,
    Array.from({ length: PAGES }, (_, n) => n + 1),
  )
})

test('slow reader: its key is still checked, and the stream ends with it', async () => {
  let proofs = 0
  const { sent } = streamTo(async () => {
    if (++proofs === 3) throw new Error('revoked')
  })
  await assert.rejects(sent, /revoked/)
})

test('slow readers: buffered data is bounded by the connection, and nothing is lost or repeated', async (t: TestContext) => {
  const nodes = await openNodes({ known: modules.filter(({ name }) => name === 'base') })
  t.after(() => nodes.close())
  const [url = ''] = nodes.servers.map((server) => server.url)
  const question = { models: { 'res.partner': { fields: ['name', 'comment'] } }, from: 'now' }
  const { cursor } = (await nodes.post('/x/1/changes', question)).body as { cursor: string }
  const names = Array.from({ length: 400 }, (_, n) => `slow ${n}`)
  for (let n = 0; n < names.length; n += 50) {
    const vals_list = names.slice(n, n + 50).map((name) => ({ name, comment: `<p>${text}</p>` }))
    assert.equal((await nodes.call('res.partner/create', { vals_list })).status, 200)
  }
  const recorder = recordStatements()
  t.after(() => recorder.stop())
  const reads = () =>
    recorder.statements.filter(({ text: statement }) => statement.includes('FROM comptoir_change ')).length
  const stream = request(`${url}/x/1/changes?models=res.partner&fields.res.partner=name,comment&limit=5`, {
    headers: {
      accept: 'text/event-stream',
      authorization: `bearer ${nodes.key}`,
      'x-service-database': 'test',
      'last-event-id': cursor,
    },
  })
  stream.end()
  const [answer] = (await once(stream, 'response')) as [IncomingMessage]
  assert.equal(answer.statusCode, 200)
  answer.pause()
  const all = names.length / 5
  await until(() => reads() > 1, 'some pages are read')
  for (let before = -1; before < reads(); await sleep(300)) before = reads()
  assert.ok(reads() < all / 2, `${reads()} of ${all} pages were read for nobody`)
  const received: string[] = []
  let rest = ''
  answer.setEncoding('utf8')
  for await (const chunk of answer) {
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, data] = /^data: (\{"model".*)$/m.exec(block) ?? []
      if (data) received.push((JSON.parse(data) as { values: { name: string } }).values.name)
    }
    if (received.length >= names.length) break
  }
  stream.destroy()
  assert.deepEqual(received, names)
})
