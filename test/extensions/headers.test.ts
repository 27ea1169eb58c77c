// Preferences in headers apply on every path and to every HTTP method. A path that cannot apply one
// rejects the request instead of ignoring it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { BadRequest, createClient } from '../../src/client/index.ts'
import { modules } from '../../src/main.ts'
import { type Heard, type Nodes, openNodes } from '../support/nodes.ts'

let nodes: Nodes
before(async () => {
  nodes = await openNodes({
    known: modules.filter(({ name }) => ['base', 'mail', 'uom', 'product', 'account'].includes(name)),
    webhookHttp: true,
    webhookAllow: ['127.0.0.0/8'],
  })
})
after(() => nodes?.close())

type Asked = Record<string, string>

/** A request under /x/1 by any verb. */
async function ask(verb: string, path: string, headers: Asked = {}, body?: unknown): Promise<Heard> {
  const type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json'
  const response = await fetch(`${nodes.servers[0]?.url}${path}`, {
    method: verb,
    headers: {
      authorization: `bearer ${nodes.key}`,
      'x-service-database': 'test',
      ...(body === undefined ? {} : { 'content-type': type }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && response.status !== 206 && text ? JSON.parse(text) : text,
  }
}

const codeOf = ({ status, headers }: Heard) => [status, headers.get('error-code')]
const appliedIn = ({ headers }: Heard) => headers.get('preference-applied')
const batch = (calls: unknown[], more: object = {}, headers: Asked = {}) =>
  ask('POST', '/x/1/batch', headers, { calls, ...more })
const countOf = async (name: string) =>
  (await nodes.call('res.partner/search_count', { domain: [['name', '=', name]] })).body

const dry = { prefer: 'tx=rollback' }
const typed = { prefer: 'values=typed' }

test('headers: a dry run rolls back PATCH and DELETE too', async () => {
  const endpoint = await ask(
    'POST',
    '/x/1/webhooks',
    {},
    { url: 'http://127.0.0.1:9999/', events: ['res.partner.*'] },
  )
  const path = `/x/1/webhooks/${(endpoint.body as { id: number }).id}`
  const stateNow = async () => ((await ask('GET', path)).body as { state: string }).state
  const paused = await ask('PATCH', path, dry, { state: 'paused' })
  assert.deepEqual([paused.status, appliedIn(paused), await stateNow()], [200, 'tx=rollback', 'active'])
  const removed = await ask('DELETE', path, dry)
  assert.deepEqual([removed.status, appliedIn(removed), await stateNow()], [200, 'tx=rollback', 'active'])
  assert.deepEqual(codeOf(await ask('PATCH', path, { 'if-match': '"v1-other"' }, { state: 'paused' })), [
    412,
    'version_mismatch',
  ])
  assert.deepEqual(codeOf(await ask('DELETE', path, { 'idempotency-key': '"' })), [400, 'malformed_header'])
  assert.equal(await stateNow(), 'active')
  const job = await nodes.call('res.partner/search_count', { domain: [] }, { prefer: 'respond-async' })
  const cancelled = await ask('DELETE', job.headers.get('location') as string, dry)
  assert.deepEqual([cancelled.status, appliedIn(cancelled)], [200, 'tx=rollback'])
})

test('headers: a client in dry run imports nothing', async () => {
  const client = createClient({ url: nodes.servers[0]?.url ?? '', database: 'test', key: nodes.key })
  await assert.rejects(
    client.dryRun().import('res.partner', [{ name: 'Rehearsed' }], { key: [] }),
    BadRequest,
  )
  assert.equal(await countOf('Rehearsed'), 0)
})

test('client: errors have the code of a refusal, which says more than its class', async () => {
  const client = createClient({ url: nodes.servers[0]?.url ?? '', database: 'test', key: nodes.key })
  const wrong = { ids: [1], fields: ['nam'] }
  await assert.rejects(client.untyped('res.partner').call('read', wrong), { code: 'unknown_field' })
  await assert.rejects(client.changes({ models: { 'res.partner': {} }, cursor: 'c1.x' }).next(), {
    code: 'cursor_mismatch',
  })
  await assert.rejects(client.export('res.partner', { fields: ['nam'] }).next(), { code: 'unknown_field' })
})

test('headers: the form of values applies to every way of reading', async () => {
  const [id] = (await nodes.call('res.partner/create', { vals_list: [{ name: 'Formed' }] })).body as [number]
  const domain = encodeURIComponent(JSON.stringify([['id', '=', id]]))
  const exported = await ask('GET', `/x/1/export?model=res.partner&fields=email&domain=${domain}`, typed)
  assert.deepEqual(
    [exported.text.split('\n')[0], appliedIn(exported)],
    [`{"id":${id},"email":null}`, 'values=typed'],
  )
  const models = {
    'res.partner': { fields: ['email', 'parent_id', 'write_date'], domain: [['id', '=', id]] },
  }
  const zoned = { prefer: 'values=typed, timezone=Europe/Brussels' }
  const page = await ask('POST', '/x/1/changes', zoned, { models })
  const [{ values }] = (page.body as { changes: [{ values: Record<string, unknown> }] }).changes
  assert.deepEqual([values.email, values.parent_id], [null, null])
  assert.match(String(values.write_date), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0[12]:00$/)
  assert.equal(appliedIn(page), zoned.prefer)
  const path = `/x/1/changes?models=res.partner&fields.res.partner=email&domain.res.partner=${domain}`
  assert.match((await ask('GET', path, typed)).text, /"email":null/)
  assert.match((await ask('GET', path)).text, /"email":false/)
  const stream = await fetch(`${nodes.servers[0]?.url}${path}`, {
    headers: {
      ...{ authorization: `bearer ${nodes.key}`, 'x-service-database': 'test' },
      ...{ accept: 'text/event-stream', ...typed },
    },
  })
  assert.equal(stream.headers.get('preference-applied'), 'values=typed')
  for await (const piece of stream.body as unknown as AsyncIterable<Uint8Array>) {
    const text = new TextDecoder().decode(piece)
    if (!text.includes('data: {"model"')) continue
    assert.match(text, /"email":null/)
    break
  }
  const read = { ids: [id], fields: ['email'] }
  const later = await nodes.call('res.partner/read', read, { prefer: 'respond-async, wait=20, values=typed' })
  assert.deepEqual([later.body, appliedIn(later)], [[{ id, email: null }], 'respond-async, values=typed'])
  const calls = [{ model: 'res.partner', method: 'read', body: read }]
  for (const atomic of [true, false]) {
    const answer = await batch(calls, { atomic }, { prefer: 'values=typed, tx=rollback' })
    assert.deepEqual(answer.body, { results: [{ status: 200, body: [{ id, email: null }] }] })
    assert.deepEqual(appliedIn(answer)?.split(', ').sort(), ['tx=rollback', 'values=typed'])
  }
  const queued = await ask(
    'POST',
    '/x/1/batch',
    { prefer: 'respond-async, wait=20, values=typed' },
    { calls },
  )
  assert.deepEqual(queued.body, { results: [{ status: 200, body: [{ id, email: null }] }] })
})

test('headers: the typed client gets its form from the feed, from batches and from exports', async () => {
  const [id] = (await nodes.call('res.partner/create', { vals_list: [{ name: 'By Client' }] })).body as [
    number,
  ]
  const client = createClient({
    ...{ url: nodes.servers[0]?.url ?? '', database: 'test', key: nodes.key },
    ...{ values: 'typed', timezone: 'Europe/Brussels' },
  })
  const domain = [['id', '=', id]]
  const fields = ['email', 'write_date']
  const rows: (Readonly<Record<string, unknown>> | undefined)[] = []
  for await (const row of client.export('res.partner', { domain, fields })) rows.push(row)
  for await (const { changes } of client.changes({ models: { 'res.partner': { fields, domain } } }))
    rows.push(...changes.map(({ values }) => values))
  const [result] = await client.batch([{ model: 'res.partner', method: 'read', body: { ids: [id], fields } }])
  rows.push(...((result?.body ?? []) as Record<string, unknown>[]))
  assert.equal(rows.length, 3)
  for (const row of rows) {
    assert.equal(row?.email, null)
    assert.match(String(row?.write_date), /\+0[12]:00$/)
  }
})

test('headers: strict handling rejects preferences that a path cannot apply, and versions are never ignored', async () => {
  const calls = [{ model: 'res.partner', method: 'write', body: { ids: [1], vals: { ref: 'x' } } }]
  const models = { 'res.partner': {} }
  const strict = (preference: string) => ({ prefer: `handling=strict, ${preference}` })
  const attempts: readonly [string, Promise<Heard>][] = [
    ['a batch', batch(calls, {}, strict('paging=keyset'))],
    ['the feed', ask('POST', '/x/1/changes', strict('count=exact'), { models })],
    ['a count', nodes.call('res.partner/search_count', { domain: [] }, strict('etag'))],
    ['a zone', nodes.call('res.partner/read', { ids: [1] }, strict('timezone=Europe/Brussels'))],
    ['a job', nodes.call('res.partner/search_count', { domain: [] }, strict('respond-async, paging=keyset'))],
    ['rows', ask('POST', '/x/1/bulk/res.partner?key=', strict('etag'), '{"name":"Strict"}')],
  ]
  for (const [what, response] of attempts)
    assert.deepEqual(codeOf(await response), [400, 'unknown_preference'], what)
  const match = { 'if-match': '*' }
  assert.equal((await batch(calls, {}, match)).status, 422)
  assert.equal((await batch(calls, {}, { ...match, prefer: 'respond-async' })).status, 422)
  assert.equal((await ask('POST', '/x/1/bulk/res.partner?key=', match, '{"name":"Matched"}')).status, 422)
  assert.equal((await ask('POST', '/x/1/changes', match, { models })).status, 422)
  assert.deepEqual([await countOf('Strict'), await countOf('Matched')], [0, 0])
})

test('headers: a quoted star is a tag; a call of a batch takes the members that headers have', async () => {
  const [id] = (await nodes.call('res.partner/create', { vals_list: [{ name: 'Star' }] })).body as [number]
  const write = { ids: [id], vals: { name: 'Changed' } }
  assert.equal((await nodes.call('res.partner/write', write, { 'if-match': '"*"' })).status, 412)
  const matched = (ifMatch: unknown) =>
    batch([{ model: 'res.partner', method: 'write', ifMatch, body: write }]).then(({ status }) => status)
  for (const ifMatch of ['"*"', '"v1-other"', 'v1-other']) assert.equal(await matched(ifMatch), 412, ifMatch)
  for (const ifMatch of ['W/"v1-other"', '"a", "b"', '']) assert.equal(await matched(ifMatch), 400, ifMatch)
  assert.equal(await countOf('Changed'), 0)
  assert.equal(await matched('*'), 200)
  const gone = await nodes.call('res.partner/unlink', { ids: [id] }, { prefer: 'etag' })
  assert.deepEqual(
    [gone.status, gone.headers.get('etag'), gone.headers.get('record-versions'), appliedIn(gone)],
    [200, null, null, null],
  )
})

test('headers: modules cannot change in a batch, atomic or not', async () => {
  const uomModules = await nodes.call('ir.module.module/search', { domain: [['name', '=', 'uom']] })
  const body = { ids: uomModules.body }
  const { body: answer } = await batch(
    [{ model: 'ir.module.module', method: 'button_immediate_upgrade', body }],
    { atomic: false },
  )
  const [result] = (answer as { results: { status: number; code: string }[] }).results
  assert.deepEqual([result?.status, result?.code], [422, 'not_in_batch'])
})

test('headers: a job has the error code and problem details of its call, and keeps its address', async () => {
  const wrong = { ids: [1], fields: ['nam'] }
  const waiting = { prefer: 'respond-async, wait=20' }
  assert.deepEqual(codeOf(await nodes.call('res.partner/read', wrong, waiting)), [422, 'unknown_field'])
  const problem = await nodes.call('res.partner/read', wrong, {
    ...waiting,
    accept: 'application/problem+json',
  })
  assert.match(problem.headers.get('content-type') ?? '', /^application\/problem\+json/)
  const { code, status, title } = problem.body as Record<string, unknown>
  assert.deepEqual([code, status, title], ['unknown_field', 422, 'Unknown field'])
  const key = { 'idempotency-key': '"told-by-address"' }
  const call = { vals_list: [{ name: 'Addressed' }] }
  const first = await nodes.call('res.partner/create', call, { ...key, prefer: 'respond-async' })
  const path = first.headers.get('location') as string
  const again = await nodes.call('res.partner/create', call, { ...key, ...waiting })
  assert.equal(again.status, 200)
  const result = await ask('GET', `${path}/result`)
  assert.deepEqual(result.body, again.body)
  const part = { range: 'bytes=0-0' }
  assert.equal((await ask('GET', `${path}/result`, { ...part, 'if-range': '"another"' })).text, result.text)
  const range = { ...part, 'if-range': result.headers.get('etag') as string }
  assert.deepEqual([(await ask('GET', `${path}/result`, range)).text], ['['])
  const inForm = { prefer: `${waiting.prefer}, values=typed` }
  const same = await nodes.call('res.partner/create', call, { ...key, ...inForm })
  assert.deepEqual([same.status, same.body], [200, again.body])
  const calls = [{ model: 'res.partner', method: 'create', body: call }]
  const named = { 'idempotency-key': '"two-forms"' }
  assert.equal((await ask('POST', '/x/1/batch', { ...named, ...waiting }, { calls })).status, 200)
  assert.deepEqual(codeOf(await ask('POST', '/x/1/batch', { ...named, ...inForm }, { calls })), [
    422,
    'idempotency_key_reused',
  ])
})

test('headers: a cursor holds for any order of members in the body', async () => {
  const [a, b] = [{ 'res.partner': { fields: ['name'] } }, { 'res.country': {} }]
  const now = await ask('POST', '/x/1/changes', {}, { models: { ...a, ...b }, from: 'now' })
  const { cursor } = now.body as { cursor: string }
  assert.equal((await ask('POST', '/x/1/changes', {}, { models: { ...b, ...a }, cursor })).status, 200)
})

test('headers: trace and key headers are read by their standards', async () => {
  const trace = (traceparent: string, tracestate = 'a=b') =>
    nodes
      .call('res.partner/search_count', { domain: [] }, { traceparent, tracestate })
      .then((response) => [response.status, response.headers.get('error-code')])
  const [id, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
  assert.deepEqual(await trace(`00-${id}-${span}-01`, 'rojo=1,congo@x=t61'), [200, null])
  assert.deepEqual(await trace(`01-${id}-${span}-01-more`), [200, null])
  for (const wrong of [`00-${'0'.repeat(32)}-${span}-01`, `00-${id}-${span}-01-more`, 'x'])
    assert.deepEqual(await trace(wrong), [400, 'malformed_header'], wrong)
  assert.deepEqual(await trace(`00-${id}-${span}-01`, 'no state'), [400, 'malformed_header'])
  const vals = { vals_list: [{ name: 'With Parameters' }] }
  const key = '"with-parameters"'
  assert.equal(
    (await nodes.call('res.partner/create', vals, { 'idempotency-key': `${key};p=1` })).status,
    200,
  )
  const again = await nodes.call('res.partner/create', vals, { 'idempotency-key': key })
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
})

test('headers: a cursor on a call without pages is rejected, on every wire', async () => {
  const first = await nodes.call('res.partner/search', { domain: [], limit: 1 }, { prefer: 'paging=keyset' })
  const cursor = first.headers.get('next-cursor')
  assert.ok(cursor)
  const create = { vals_list: [{ name: 'By cursor' }] }
  const calls = [{ model: 'res.partner', method: 'create', body: create }]
  for (const response of [
    await batch(calls, {}, { cursor }),
    await batch(calls, { atomic: false }, { cursor }),
    await batch(calls, {}, { cursor, prefer: 'respond-async' }),
    await ask('POST', '/x/1/changes', { cursor }, { models: { 'res.partner': {} } }),
    await nodes.call('res.partner/create', create, { cursor }),
    await nodes.call('res.partner/read', { ids: [1], fields: ['name'] }, { cursor }),
  ])
    assert.deepEqual(codeOf(response), [422, 'cursor_mismatch'], response.text)
  assert.equal(await countOf('By cursor'), 0)
})
