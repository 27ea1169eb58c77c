// Parts of answers that jobs keep besides the body: headers, and complete problem details.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { modules } from '../../src/main.ts'
import { type Heard, type Nodes, openNodes } from '../support/nodes.ts'

let nodes: Nodes
before(async () => {
  nodes = await openNodes({ known: modules.filter(({ name }) => name === 'base') })
})
after(() => nodes?.close())

interface Job {
  readonly id: string
  readonly state: string
  readonly error?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly result_url?: string
}

const prefer = 'respond-async'
const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${nodes.servers[0]?.url}${path}`, {
    headers: { authorization: `bearer ${nodes.key}`, 'x-service-database': 'test', ...headers },
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const idOf = ({ body }: Heard) => (body as Job).id
async function over(id: string): Promise<Job> {
  for (;;) {
    const job = JSON.parse((await get(`/x/1/jobs/${id}`)).text) as Job
    if (!['queued', 'running'].includes(job.state)) return job
    await sleep(20)
  }
}

test('jobs: a result has the headers of its call, for waiting callers too', async () => {
  await nodes.call('res.partner/create', { vals_list: [1, 2, 3].map((n) => ({ name: `paged ${n}` })) })
  const body = { domain: [['name', '=like', 'paged %']], fields: ['name'], limit: 2 }
  const preferences = 'paging=keyset, count=exact, etag, values=typed, timezone=Europe/Brussels'
  const names = ['next-cursor', 'total-count', 'etag', 'record-versions', 'preference-applied']
  const headersOf = ({ headers }: { headers: Headers }) => names.map((name) => headers.get(name))
  const direct = await nodes.call('res.partner/search_read', body, { prefer: preferences })
  assert.ok(headersOf(direct).every(Boolean), String(headersOf(direct)))
  const strictly = { prefer: `${prefer}, ${preferences}, handling=strict` }
  const queued = await nodes.call('res.partner/search_read', body, strictly)
  const job = await over(idOf(queued))
  const kept = job.headers ?? {}
  const result = await get(job.result_url as string)
  assert.deepEqual([result.text, headersOf(result)], [direct.text, headersOf(direct)])
  assert.deepEqual(
    names.map((name) => kept[name]),
    headersOf(direct),
  )
  const etag = result.headers.get('etag') ?? ''
  for (const tags of [etag, `"other", W/${etag}`, '*'])
    assert.equal((await get(job.result_url as string, { 'if-none-match': tags })).status, 304, tags)
  const next = { cursor: kept['next-cursor'] ?? '', prefer: `${prefer}, wait=30, ${preferences}` }
  const waited = await nodes.call('res.partner/search_read', body, next)
  assert.deepEqual(
    [waited.status, (waited.body as object[]).length, waited.headers.get('next-cursor')],
    [200, 1, null],
  )
  assert.equal(waited.headers.get('total-count'), '3')
  assert.match(waited.headers.get('preference-applied') ?? '', /^respond-async, .*paging=keyset/)
  // The same call with the same key is the same job; another page conflicts with the key.
  const keyed = (cursor: object) =>
    nodes.call('res.partner/search_read', body, { ...strictly, ...cursor, 'idempotency-key': 'pages' })
  const [first, again] = [await keyed({}), await keyed({})]
  assert.equal(idOf(first), idOf(again))
  assert.equal((await keyed({ cursor: next.cursor })).headers.get('error-code'), 'idempotency_key_reused')
  // Written records get a new version, and an If-Match with the tag of the job's result is satisfied.
  const ids = (direct.body as { id: number }[]).map(({ id }) => id)
  const write = await nodes.call(
    'res.partner/write',
    { ids, vals: { color: 3 } },
    { prefer: `${prefer}, etag`, 'if-match': etag },
  )
  const written = await over(idOf(write))
  const tag = (await get(written.result_url as string)).headers.get('etag') ?? ''
  const read = await nodes.call('res.partner/read', { ids, fields: ['color'] }, { prefer: 'etag' })
  assert.deepEqual([written.state, tag], ['done', read.headers.get('etag')])
  assert.notEqual(tag, etag)
  const strict = { prefer: `${prefer}, paging=keyset, handling=strict` }
  const unkept = await nodes.call('res.partner/write', { ids, vals: {} }, strict)
  assert.equal(unkept.headers.get('error-code'), 'unknown_preference')
})

test('jobs: a failed one has problem details if its call asked for them', async () => {
  const body = { vals_list: [{ name: 'x' }, { name: 'y', nam: 1 }] }
  const accept = 'application/problem+json'
  const direct = await nodes.call('res.partner/create', body, { accept })
  const queued = await nodes.call('res.partner/create', body, { accept, prefer })
  const job = await over(idOf(queued))
  const result = await get(`/x/1/jobs/${job.id}/result`)
  assert.equal(result.headers.get('content-type'), 'application/problem+json; charset=utf-8')
  assert.equal(result.headers.get('error-code'), direct.headers.get('error-code'))
  const { instance, ...problem } = JSON.parse(result.text) as Record<string, unknown>
  const { instance: other, ...expected } = direct.body as Record<string, unknown>
  assert.deepEqual([result.status, problem], [direct.status, expected])
  assert.ok(expected.errors && instance !== other)
  assert.deepEqual(job.error, { ...problem, instance })
  const waited = await nodes.call('res.partner/create', body, { accept, prefer: `${prefer}, wait=30` })
  assert.deepEqual((waited.body as typeof expected).errors, expected.errors)
  // Those who did not ask get the five keys, or what they ask for when they look.
  const plain = await over(idOf(await nodes.call('res.partner/create', body, { prefer })))
  const five = ['name', 'message', 'arguments', 'context', 'debug']
  assert.deepEqual(Object.keys(plain.error as object), five)
  const text = (await get(`/x/1/jobs/${plain.id}/result`)).text
  assert.deepEqual(Object.keys(JSON.parse(text)), five)
  const late = await get(`/x/1/jobs/${plain.id}/result`, { accept })
  assert.match(late.headers.get('content-type') ?? '', /problem/)
})

for (const [accept, type] of [
  ['application/x-ndjson', 'application/x-ndjson; charset=utf-8'],
  ['text/csv', 'text/csv; charset=utf-8; header=present'],
] as const)
  test(`jobs: rows requested as ${accept} come as lines`, async () => {
    await nodes.call('res.partner/create', { vals_list: [1, 2, 3].map((n) => ({ name: `${accept} ${n}` })) })
    const ask = (headers: Record<string, string>) =>
      fetch(`${nodes.servers[0]?.url}/json/2/res.partner/search_read`, {
        method: 'POST',
        headers: {
          authorization: `bearer ${nodes.key}`,
          'x-service-database': 'test',
          'content-type': 'application/json',
          accept,
          ...headers,
        },
        body: JSON.stringify({
          domain: [['name', '=like', `${accept} %`]],
          fields: ['name', 'country_id', 'active'],
          order: 'id',
        }),
      })
    const atOnce = await (await ask({})).text()
    assert.equal(atOnce.trim().split(/\r?\n/).length, 4)
    const queued = await ask({ prefer })
    assert.equal(queued.status, 202)
    const { id } = (await queued.json()) as Job
    assert.equal((await over(id)).state, 'done')
    const result = await get(`/x/1/jobs/${id}/result`)
    assert.deepEqual([result.status, result.headers.get('content-type')], [200, type])
    assert.equal(result.text, atOnce)
    const waited = await ask({ prefer: `${prefer}, wait=20` })
    assert.deepEqual([waited.status, waited.headers.get('content-type')], [200, type])
    assert.equal(await waited.text(), atOnce)
  })
