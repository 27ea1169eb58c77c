// Connections that break in the middle of an answer, from the client's side: after a retry nothing is
// missing or duplicated, and a partial answer is never taken for the whole.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClient, ServiceUnavailable } from '../../src/client/index.ts'
import { modules } from '../../src/main.ts'
import { raw } from '../../src/sql/index.ts'
import { type Cutting, openCutting } from '../support/cutting.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'

const ROWS = 4000

let nodes: Nodes
let line: Cutting
before(async () => {
  nodes = await openNodes({ known: modules.filter(({ name }) => name === 'base') })
  line = await openCutting(nodes.servers[0]?.url ?? '')
  await nodes.run(({ unit }) =>
    unit.query(
      raw(`INSERT INTO res_bank (name, street, active)
        SELECT 'bank ' || n, md5(n::text) || md5(n || 'a') || md5(n || 'b') || md5(n || 'c'), true FROM generate_series(1, ${ROWS}) AS n`),
    ),
  )
})
after(async () => {
  await line?.close()
  await nodes?.close()
})

const client = (attempts = 8) =>
  createClient({ url: line.url, database: 'test', key: nodes.key, retry: { attempts, baseMs: 1 } })
const create = async (...names: string[]) =>
  (await nodes.call('res.partner/create', { vals_list: names.map((name) => ({ name })) })).body as number[]
const named = { models: { 'res.partner': { fields: ['name'] } } }
const now = async () =>
  ((await nodes.post('/x/1/changes', { ...named, from: 'now' })).body as { cursor: string }).cursor

/** Names of the changes in a stream, complete events only, and the id of the last of them. */
async function receiveNames(cursor: string, wanted: number): Promise<{ names: string[]; last: string }> {
  const controller = new AbortController()
  const names: string[] = []
  let [last, text] = [cursor, '']
  try {
    const { body } = await fetch(`${line.url}/x/1/changes?models=res.partner&fields.res.partner=name`, {
      headers: {
        accept: 'text/event-stream',
        authorization: `bearer ${nodes.key}`,
        'x-service-database': 'test',
        'last-event-id': cursor,
      },
      signal: controller.signal,
    })
    const decoder = new TextDecoder()
    for await (const chunk of body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, id] = /^id: (.*)$/m.exec(block) ?? []
        const [, data] = /^event: change\ndata: (.*)$/m.exec(block) ?? []
        if (id) last = id
        if (data) names.push((JSON.parse(data) as { values: { name: string } }).values.name)
      }
      if (names.length >= wanted) break
    }
  } catch (error) {
    // The connection broke before or after the response's head.
    assert.ok(error instanceof TypeError, String(error))
  }
  controller.abort()
  return { names, last }
}

test('client: a stream that is cut at any byte resumes after the last event, without gap or repetition', async () => {
  const cursor = await now()
  const names = ['one', 'zwei', 'três', '四', 'fünf']
  for (const name of names) await create(name)
  const before = line.cut
  let parts = 0
  for (let bytes = 1; bytes < 2200; bytes += 53) {
    line.after.push(bytes)
    const first = await receiveNames(cursor, names.length)
    const rest = names.length - first.names.length
    const second = rest > 0 ? await receiveNames(first.last, rest) : { names: [] }
    if (rest > 0 && rest < names.length) parts++
    assert.deepEqual([...first.names, ...second.names], names, `cut behind ${bytes} bytes`)
    line.after.length = 0
  }
  assert.ok(line.cut - before > 20 && parts > 5, `${line.cut - before} were cut, ${parts} between changes`)
})

test('client: following the feed over an unreliable connection yields each change once, in order', async () => {
  const cursor = await now()
  const names = Array.from({ length: 30 }, (_, n) => `followed ${n}`)
  for (const name of names) await create(name)
  const before = line.cut
  line.after.push(10, 500, 900, 40, 1100, 700, 1)
  const namesAndPositions: { name: unknown; seq: number }[] = []
  for await (const { changes } of client().changes({ ...named, cursor, limit: 4 }, { follow: true })) {
    namesAndPositions.push(...changes.map(({ values, seq }) => ({ name: values?.name, seq: Number(seq) })))
    if (namesAndPositions.length >= names.length) break
  }
  assert.deepEqual(
    namesAndPositions.map(({ name }) => name),
    names,
  )
  assert.ok(namesAndPositions.every(({ seq }, n) => n === 0 || seq > (namesAndPositions[n - 1]?.seq ?? 0)))
  assert.equal(line.cut - before, 7)
})

test('broken connections: an export that is cut reports it', async () => {
  const rows = async (bytes: number | null, stop = ROWS + 1) => {
    if (bytes !== null) line.after.push(bytes)
    let count = 0
    for await (const row of client(1).export('res.bank', { fields: ['name', 'street'], order: 'id' })) {
      assert.ok(String(row.name).startsWith('bank '))
      if (++count === stop) break
    }
    return count
  }
  for (const bytes of [700, 2000, 5001, 70_000, 200_000])
    await assert.rejects(rows(bytes), ServiceUnavailable, `cut behind ${bytes} bytes`)
  assert.equal(await rows(null), ROWS)
  assert.equal(await rows(null, 3), 3, 'who wants no more of it may leave')
  // Without a length and without pieces a line's end is the end of the answer, as old proxies pass it on.
  const ending = (text: string) =>
    createClient({ url: line.url, key: 'none', fetch: async () => new Response(text) })
  for (const text of [
    '',
    '{"id":1}\n',
    '{"id":1}\n{"id":',
    '{"id":1}\n{"id":12}',
    '{"id":1}\n{"$end":{"rows"',
  ])
    await assert.rejects(
      async () => {
        for await (const row of ending(text).export('res.bank', {})) assert.deepEqual(row, { id: 1 })
      },
      ServiceUnavailable,
      text,
    )
  const left = new AbortController()
  await assert.rejects(async () => {
    const all = client(1).export('res.bank', { fields: ['name', 'street'], signal: left.signal })
    for await (const _ of all) left.abort(new Error('enough'))
  }, /enough/)
})

test('broken connections: a long answer is read again, and a write whose answer is cut runs once', async () => {
  const before = line.cut
  line.after.push(1, 300, 100_000)
  const rows = await client()
    .model('res.bank')
    .searchRead({ fields: ['name', 'street'], order: 'id' })
  assert.equal(rows.length, ROWS)
  assert.equal(line.cut - before, 3)
  const idsNamed = async (name: string) =>
    (await nodes.call('res.partner/search', { domain: [['name', '=', name]] })).body as number[]
  // The first time it asks whether this server does a repeated write once; then it knows.
  for (const [name, bytes] of [
    ['Made once', [120]],
    ['Made once more', [1, 120, 250]],
  ] as const) {
    line.after.push(...bytes)
    const id = await client().model('res.partner').create({ name })
    assert.deepEqual(await idsNamed(name), [id].flat())
  }
  assert.equal(line.cut - before, 7)
})
