// Failures in OpenAPI compared with those of the server: every operation of the document gets many
// invalid requests, and each answer must be documented by status and code.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { type KeyChanges, listKeys, restrictKey } from '../../src/services/keys.ts'
import { problems } from '../../src/services/problems/table.ts'
import { sql } from '../../src/sql/index.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { until } from '../support/receiver.ts'

interface Answer {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, { readonly schema: { readonly enum?: readonly string[] } }>>
}
interface Operation {
  readonly responses: Readonly<Record<string, Answer>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly responses: Readonly<Record<string, Answer>>
    readonly schemas: Readonly<
      Record<string, { readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>> }>
    >
  }
}
type Headers = Readonly<Record<string, string>>

const VERBS = ['get', 'post', 'patch', 'put', 'delete'] as const
type Verb = (typeof VERBS)[number]

let nodes: Nodes
let openapi: Document
const keys = { narrow: '', dry: '', slow: '', wanting: '', rightless: '' }
before(async () => {
  nodes = await openNodes({
    known: modules.filter(({ name }) => name === 'base'),
    // One address that webhooks may have; others of the loopback stay refused.
    webhookAllow: ['127.0.0.8/32'],
  })
  const keyOf = async (scope: string | null, changes: KeyChanges = {}, login = 'admin') => {
    const name = crypto.randomUUID()
    const key = await createKey(nodes.databases, 'test', login, { scope, name, days: 1 })
    const id = (await listKeys(nodes.databases, 'test', login)).find((key) => key.name === name)?.id ?? 0
    if (Object.keys(changes).length) await restrictKey(nodes.databases, 'test', id, changes)
    return key
  }
  keys.narrow = await keyOf('rpc model:res.country:r')
  keys.dry = await keyOf('rpc dry')
  keys.slow = await keyOf('rpc', { rate: '1/600s' })
  keys.wanting = await keyOf('rpc', { idempotency_required: true })
  await nodes.call('res.users/create', {
    vals_list: [{ name: 'Rightless', login: 'rightless', group_ids: [[5]] }],
  })
  keys.rightless = await keyOf('rpc', {}, 'rightless')
  const answer = await fetch(`${nodes.servers[0]?.url}/x/1/openapi.json?model=res.partner`, {
    headers: { authorization: `bearer ${nodes.key}`, 'x-service-database': 'test' },
  })
  openapi = (await answer.json()) as Document
})
after(() => nodes?.close())

interface Asked {
  readonly verb: Verb
  /** As the document has it. */
  readonly path: string
  /** Replaces `{id}` and `{model}` in the path. */
  readonly place?: string
  readonly query?: string
  readonly headers?: Headers
  readonly body?: string | undefined
}

/** Failures that were answered, as `verb path: status code`. */
const seen = new Set<string>()
const untold = new Set<string>()

/** Sends a request. A failure must be documented for the operation. */
async function ask({ verb, path, place = '999999', query = '', headers = {}, body }: Asked): Promise<number> {
  const url = `${nodes.servers[0]?.url}${path.replaceAll(/\{\w+\}/g, place)}${query}`
  const answer = await fetch(url, {
    method: verb.toUpperCase(),
    headers: {
      authorization: `bearer ${nodes.key}`,
      'x-service-database': 'test',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body }),
  })
  const text = await answer.text()
  const { status } = answer
  if (status < 400) return status
  const code = answer.headers.get('error-code') ?? (JSON.parse(text) as { code?: string }).code ?? ''
  seen.add(`${status} ${code}`)
  assert.notEqual(status, 500, `${verb} ${path}: ${text}`)
  const part = openapi.paths[path]?.[verb]?.responses[status]
  const response = part?.$ref ? openapi.components.responses[part.$ref.split('/').at(-1) ?? ''] : part
  const codes = response?.headers?.['Error-Code']?.schema.enum
  // The protocol of agents has codes of its own, in its messages.
  const isMessage = path === '/x/1/mcp' && code === ''
  if (!response || !(isMessage || codes?.includes(code)))
    untold.add(`${verb} ${path}: ${status} ${code} (${text.slice(0, 100)})`)
  return status
}

const operations = (): (readonly [string, Verb, Operation])[] =>
  Object.entries(openapi.paths).flatMap(([path, verbs]) =>
    VERBS.flatMap((verb) => (verbs[verb] ? [[path, verb, verbs[verb]] as const] : [])),
  )

/** Ways to ask wrongly that have nothing to do with what is asked. */
const wrongly: readonly Omit<Asked, 'verb' | 'path'>[] = [
  { headers: { authorization: '' } },
  { headers: { authorization: 'basic eA==' } },
  { headers: { authorization: `bearer ${'0'.repeat(40)}` } },
  { headers: { 'x-service-database': 'nowhere' } },
  { headers: { 'content-type': 'text/plain' }, body: 'x' },
  { body: '{' },
  { body: '[]' },
  { body: '{"nonsense": 1}' },
  { body: '{"context": 1}' },
  { body: `{${Array.from({ length: 1200 }, (_, n) => `"m${n}": 1`).join()}}` },
  { headers: { prefer: 'handling=strict, nonsense' }, body: '{}' },
  { headers: { prefer: '=' }, body: '{}' },
  { headers: { traceparent: 'x' }, body: '{}' },
  { headers: { 'idempotency-key': '"é"'.replace('é', '\u00e9') }, body: '{}' },
  { headers: { 'if-match': 'W/"x"' }, body: '{}' },
  { headers: { 'if-match': '"v1-00000000000000000000000000000000"' }, body: '{"ids": [1]}' },
  { headers: { 'if-match': '*' }, body: '{"ids": [999999]}' },
  { headers: { cursor: 'k1.nonsense' }, body: '{"domain": []}' },
  { headers: { prefer: 'values=typed; timezone=Nowhere/City, timezone=Nowhere/City' }, body: '{}' },
  { body: '{"ids": [999999]}' },
  { body: '{"ids": "all"}' },
  { body: '{"ids": [1], "vals": {"nonsense": 1}}' },
  { body: '{"ids": [1], "vals": {"parent_id": 999999}}' },
  { body: '{"domain": [["nonsense", "=", 1]]}' },
  { body: '{"domain": "x", "fields": ["nonsense"]}' },
  { body: '{"vals_list": [{"color": "red"}]}' },
  { place: 'no.model' },
  { place: 'res.partner' },
  { place: '..%2f' },
  { query: '?model=no.model&models=no.model&key=nonsense&domain=x&fields=nonsense&cursor=k1.x&limit=0' },
  { query: '?model=res.partner&models=res.partner&cursor=c1.x&limit=x' },
  { query: '?model=res.partner&domain=%5B%5B%22nonsense%22%2C%22%3D%22%2C1%5D%5D' },
]
const bodiless = (verb: Verb) => verb === 'get' || verb === 'delete'

test('OpenAPI: every operation documents its answers to invalid requests, with their codes', async () => {
  const all = operations()
  assert.ok(all.length > 40, String(all.length))
  const asks: Asked[] = []
  for (const [path, verb] of all) {
    for (const way of wrongly) {
      if (bodiless(verb) && way.body !== undefined && !way.headers) continue
      asks.push({ path, verb, ...way, ...(bodiless(verb) ? { body: undefined } : {}) })
    }
    for (const by of Object.values(keys))
      for (const body of bodiless(verb) ? [undefined] : ['{}', '{"ids": [1], "vals": {"name": "x"}}'])
        asks.push({ path, verb, body, headers: { authorization: `bearer ${by}` } })
  }
  for (let n = 0; n < asks.length; n += 8) await Promise.all(asks.slice(n, n + 8).map(ask))
  assert.deepEqual([...untold], [])
})

test('OpenAPI: documents failures that take more than one request', async () => {
  const post = (path: string, body: unknown, headers: Headers = {}, more: Partial<Asked> = {}) =>
    ask({ verb: 'post', path, body: JSON.stringify(body), headers, ...more })
  const [create, write] = ['/json/2/res.partner/create', '/json/2/res.partner/write']
  // Retries.
  const named = { 'idempotency-key': '"openapi"' }
  assert.equal(await post(create, { vals_list: [{ name: 'Once' }] }, named), 200)
  assert.equal(await post(create, { vals_list: [{ name: 'Twice' }] }, named), 422)
  // Batches: references, what is not a part of one, and the status of the call that failed.
  const batch = (...calls: object[]) => post('/x/1/batch', { calls })
  assert.equal(await batch({ model: 'res.partner', method: 'read', body: { ids: { $ref: '/a' } } }), 422)
  assert.equal(await batch({ model: 'res.partner', method: 'nothing', body: {} }), 404)
  assert.equal(
    await batch({ model: 'res.partner', method: 'write', body: { ids: [1], vals: {} }, ifMatch: '"v1-x"' }),
    412,
  )
  assert.equal(
    await batch(
      ...Array.from({ length: 101 }, () => ({ model: 'res.users', method: 'context_get', body: {} })),
    ),
    422,
  )
  assert.equal(await batch({ model: 'res.users.apikeys', method: 'generate', body: {} }), 422)
  // A lost race: a lock of a record that another holds.
  assert.equal(await post(write, { ids: [1], vals: { name: null } }), 422)
  // The feed: of another question, too old, of another database.
  const cursorOf = async (question: object) =>
    ((await nodes.post('/x/1/changes', { ...question, from: 'now' })).body as { cursor: string }).cursor
  const partners = { models: { 'res.partner': {} } }
  const cursor = await cursorOf(partners)
  assert.equal(await post('/x/1/changes', { models: { 'res.country': {} }, cursor }), 422)
  await nodes.run(({ unit }) => unit.query(sql`UPDATE comptoir_feed SET id = gen_random_uuid()`))
  assert.equal(await post('/x/1/changes', { ...partners, cursor }), 410)
  assert.equal(
    await ask({ verb: 'get', path: '/x/1/changes', query: `?models=res.partner&cursor=${cursor}` }),
    410,
  )
  // Jobs: refused, forgotten.
  const later = { prefer: 'respond-async' }
  assert.equal(
    await post(create, { vals_list: [{ name: 'x' }] }, { prefer: 'respond-async, tx=rollback' }),
    400,
  )
  const queued = await nodes.call('res.users/context_get', {}, later)
  const { id } = queued.body as { id: string }
  const stateOf = async () => {
    const answer = await fetch(`${nodes.servers[0]?.url}/x/1/jobs/${id}`, {
      headers: { authorization: `bearer ${nodes.key}`, 'x-service-database': 'test' },
    })
    return ((await answer.json()) as { state: string }).state
  }
  await until(async () => (await stateOf()) === 'done', 'the job is done')
  await nodes.run(async (env) => {
    await env.query(
      sql`UPDATE comptoir_job SET finished = finished - interval '4 days', created = created - interval '4 days'`,
    )
    await env.model('ir.autovacuum').run_vacuum_cleaner({})
  })
  assert.equal(await ask({ verb: 'get', path: '/x/1/jobs/{id}/result', place: id }), 410)
  await ask({ verb: 'get', path: '/x/1/jobs/{id}', place: id })
  await ask({ verb: 'delete', path: '/x/1/jobs/{id}', place: id })
  assert.equal(await ask({ verb: 'get', path: '/x/1/jobs/{id}/result', place: crypto.randomUUID() }), 404)
  // Webhooks: addresses that are refused, deliveries of long ago.
  const hook = { url: 'https://127.0.0.1/hook', events: ['res.partner.*'] }
  assert.equal(await post('/x/1/webhooks', hook), 422)
  assert.equal(
    await post('/x/1/webhooks', { ...hook, url: 'https://erp.example/hook', events: ['no.model.*'] }),
    422,
  )
  const endpoint = (await nodes.post('/x/1/webhooks', { ...hook, url: 'https://127.0.0.8:1024/hook' }))
    .body as {
    id: number
  }
  assert.ok(endpoint.id, JSON.stringify(endpoint))
  const place = String(endpoint.id)
  for (const body of [{ url: 'http://x' }, { state: 'x' }, { nonsense: 1 }, { concurrency: -1 }])
    await ask({ verb: 'patch', path: '/x/1/webhooks/{id}', place, body: JSON.stringify(body) })
  await post('/x/1/webhooks/{id}/replay', { since: 'x', states: ['x'] }, {}, { place })
  await post('/x/1/webhooks/{id}/rotate_secret', { hours: -1 }, {}, { place })
  const delivery = await nodes.run(async ({ unit }) =>
    unit.query(sql`INSERT INTO comptoir_webhook_delivery (webhook_id, user_id, event, type, res_model, res_id, body, state, attempts, created, finished, next_at)
      VALUES (${endpoint.id}::int, 2, 'evt_1_1_1_w1', 'res.partner.created', 'res.partner', 1, NULL, 'done', 1, now(), now(), now()) RETURNING id`),
  )
  const sent = String(delivery[0]?.[0])
  const [retry, cancel] = ['/x/1/webhook-deliveries/{id}/retry', '/x/1/webhook-deliveries/{id}/cancel']
  for (const path of [retry, cancel]) assert.equal(await post(path, {}, {}, { place: sent }), 200)
  // A delivery that VACUUM removed is gone (410), one that never existed is not found (404).
  await nodes.run(({ unit }) => unit.query(sql`DELETE FROM comptoir_webhook_delivery`))
  for (const path of [retry, cancel]) {
    assert.equal(await post(path, {}, {}, { place: sent }), 410)
    assert.equal(await post(path, {}, {}, { place: String(Number(sent) + 1000) }), 404)
  }
  // Bulk: a job of rows that cannot be.
  for (const query of ['?key=nonsense', '?on_error=x', '?atomic=x'])
    await ask({
      verb: 'post',
      path: '/x/1/bulk/{model}',
      place: 'res.partner',
      query,
      body: '{',
      headers: { 'content-type': 'application/x-ndjson' },
    })
  // Agents: too long a message.
  assert.equal(await post('/x/1/mcp', { pad: 'x'.repeat(1_100_000) }), 413)
  assert.equal(await post('/x/1/mcp', {}, { origin: 'https://evil.example' }), 403)
  assert.deepEqual([...untold], [])
})

test('OpenAPI failures: nearly all documented ones occur, and every code is in the list of problem details', () => {
  const listed = openapi.components.schemas.Problem?.properties.code?.enum ?? []
  assert.deepEqual([...listed].sort(), [...problems.keys()].sort())
  for (const failure of seen) {
    const [status, code = ''] = failure.split(' ')
    if (code) assert.equal(String(problems.get(code)?.status), status, failure)
  }
  const statuses = new Set([...seen].map((outcome) => outcome.split(' ')[0]))
  assert.deepEqual([...statuses].sort(), [
    '400',
    '401',
    '403',
    '404',
    '410',
    '412',
    '413',
    '415',
    '422',
    '429',
  ])
  assert.ok(seen.size >= 25, [...seen].sort().join('\n'))
})
