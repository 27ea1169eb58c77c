// Narrow keys at every other endpoint: jobs and bulk imports, exports and streamed lines, batches with
// references, agents' resources, streams, contents and documents, and values reached through fields of
// other models. A narrow key gets only what its tokens and the plain key allow.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { listKeys, restrictKey } from '../../src/services/keys.ts'
import { sql } from '../../src/sql/index.ts'
import { message } from '../support/mcp.ts'
import { isDoorOpen, listsMethods, type Opened, opens, token, touches } from '../support/narrow-keys.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { until } from '../support/receiver.ts'

/** Rounds of eight ways each: COMPTOIR_TEST_ROUNDS=300 is a long run. */
const ROUNDS = Number(process.env.COMPTOIR_TEST_ROUNDS ?? 10)

let nodes: Nodes
let [key, plain, id] = ['', '', 0]
/** A contact with a country, an account and a picture; its country; a second company. */
const ids = { partner: 0, country: 0, second: 0 }
before(async () => {
  nodes = await openNodes({
    count: 2,
    known: modules.filter(({ name }) => name === 'base'),
    webhookAllow: ['127.0.0.0/8'],
    webhookHttp: true,
  })
  const make = (name: string) => createKey(nodes.databases, 'test', 'admin', { scope: 'rpc', name, days: 1 })
  plain = await make('plain')
  key = await make('narrow')
  id = (await listKeys(nodes.databases, 'test', 'admin')).find(({ name }) => name === 'narrow')?.id ?? 0
  const did = async (path: string, body: object) => {
    const { body: answer, status, text } = await nodes.call(path, body)
    assert.equal(status, 200, text)
    return answer as number[]
  }
  ;[ids.country = 0] = await did('res.country/search', { domain: [['code', '=', 'BE']] })
  ;[ids.second = 0] = await did('res.company/create', { vals_list: [{ name: 'Second' }] })
  await did('res.users/write', { ids: [2], vals: { company_ids: [[4, ids.second]] } })
  const vals = {
    name: 'Hidden behind',
    country_id: ids.country,
    bank_ids: [[0, 0, { acc_number: 'BE71' }]],
  }
  ;[ids.partner = 0] = await did('res.partner/create', { vals_list: [vals] })
})
after(() => nodes?.close())

const bearer = (by: string) => ({ authorization: `bearer ${by}`, 'x-service-database': 'test' })
const rows = async (statement: ReturnType<typeof sql>) => nodes.run(({ unit }) => unit.query(statement))
/** All that the ways below might change. */
const state = async () =>
  String(
    await rows(sql`SELECT (SELECT count(*) || ' ' || max(xmin::text::bigint) FROM res_partner),
    (SELECT md5(string_agg(signature, '' ORDER BY id)) FROM res_users), (SELECT count(*) FROM res_partner_bank), (SELECT count(*) FROM res_users_apikeys), (SELECT count(*) FROM comptoir_webhook)`),
  )

interface Came {
  readonly ok: boolean
  readonly answer: unknown
  /** Whether it was taken on to be done later. */
  readonly queued?: boolean
}

/** A way to something, with what it needs. */
interface Way {
  readonly calls?: readonly Opened[]
  /** Models that it reaches as well, by any method. */
  readonly reaches?: readonly Omit<Opened, 'method'>[]
  readonly doors?: readonly string[]
  /** It is no method: where methods are listed it is closed. */
  readonly noMethod?: boolean
  /** No key that is narrow in these ways gets there. */
  readonly closedBy?: (tokens: readonly string[]) => boolean
  readonly changes?: boolean
  /** A key with the `dry` scope gets an error that says so. */
  readonly notDry?: boolean
  /** The answer differs each time. */
  readonly fresh?: boolean
  readonly run: (by: string, times: number) => Promise<Came>
}

async function get(path: string, by: string, headers: Record<string, string> = {}): Promise<Came> {
  const answer = await fetch(`${nodes.servers[1]?.url}${path}`, {
    headers: { ...bearer(by), ...headers },
  })
  if (answer.ok && headers.accept === 'text/event-stream') {
    await answer.body?.cancel()
    return { ok: true, answer: null }
  }
  return { ok: answer.ok, answer: await answer.text() }
}

async function post(path: string, body: unknown, by: string, headers: Record<string, string> = {}) {
  const { status, text, body: answer } = await nodes.post(path, body, { ...bearer(by), ...headers }, 1)
  return { ok: status === 200 || status === 201, status, answer: answer ?? text }
}

async function agent(by: string, method: string, params: Readonly<Record<string, unknown>>): Promise<Came> {
  const said = message(method, params)
  const { answer } = await post('/x/1/mcp', said.body, by, said.headers)
  const { result, error } = answer as { result?: Record<string, unknown>; error?: unknown }
  if (!result) return { ok: false, answer: error ?? answer }
  return { ok: result.isError !== true, answer: result.structuredContent ?? result.contents ?? result }
}
const tool = (by: string, name: string, parameters: Readonly<Record<string, unknown>>) =>
  agent(by, 'tools/call', { name, arguments: parameters })

/** Waits for a job that the key made, with the eyes of the plain one. */
async function ended(jobId: string): Promise<Came> {
  let job: { state: string; result?: unknown; error?: unknown } = { state: '' }
  await until(async () => {
    job = JSON.parse((await get(`/x/1/jobs/${jobId}`, plain)).answer as string) as typeof job
    return !['receiving', 'queued', 'running'].includes(job.state)
  }, 'the job is over')
  if (job.state === 'done') return { ok: true, answer: job.result ?? 'done' }
  return { ok: false, answer: job.error ?? (await get(`/x/1/jobs/${jobId}/result`, plain)).answer }
}

async function later(path: string, body: object, by: string): Promise<Came> {
  const { status, answer } = await post(path, body, by, { prefer: 'respond-async' })
  if (status !== 202) return { ok: false, answer }
  return { ...(await ended((answer as { id: string }).id)), queued: true }
}

/** A job that was queued before the key became what it is: done with the scope of then. */
async function queuedBefore(by: string, work: object): Promise<Came> {
  const name = by === key ? 'narrow' : 'plain'
  const job = crypto.randomUUID()
  await rows(sql`INSERT INTO comptoir_job (id, uid, key_hash, call)
    SELECT ${job}::uuid, user_id, key_hash, ${JSON.stringify({ work, asks: {} })} FROM res_users_apikeys WHERE name = ${name}`)
  await post('/json/2/res.country/search_count', { domain: [] }, plain, { prefer: 'respond-async' })
  return ended(job)
}

const partner = (method: string, letter: Opened['letter']): Opened => ({
  model: 'res.partner',
  method,
  letter,
})
const country = (method: string): Opened => ({ model: 'res.country', method, letter: 'r' })
const byCode = { domain: [['code', '=', 'BE']], fields: ['name'] }
const create = { vals_list: [{ name: 'made at a door' }] }
const making = { calls: [partner('create', 'c')], changes: true, fresh: true } as const
const writes = ['mcp', 'mcp:write']
const result = ({ answer }: Came) => JSON.stringify(answer)

const ways: Readonly<Record<string, Way>> = {
  'a job that reads': {
    ...{ calls: [country('search_read')], doors: ['jobs'], notDry: true },
    run: (by) => later('/json/2/res.country/search_read', byCode, by),
  },
  'a job that writes': {
    ...{ ...making, doors: ['jobs'], notDry: true },
    run: (by) => later('/json/2/res.partner/create', create, by),
  },
  'a job of a batch': {
    ...{ ...making, doors: ['jobs', 'batch'], notDry: true },
    run: (by) =>
      later('/x/1/batch', { calls: [{ model: 'res.partner', method: 'create', body: create }] }, by),
  },
  'a job that was queued before': {
    ...{ ...making, doors: ['jobs'], notDry: true },
    run: (by) =>
      queuedBefore(by, { kind: 'call', model: 'res.partner', method: 'create', body: { named: create } }),
  },
  'a batch that was queued before': {
    ...{ ...making, doors: ['jobs', 'batch'], notDry: true },
    run: (by) =>
      queuedBefore(by, {
        kind: 'batch',
        body: { calls: [{ model: 'res.partner', method: 'create', body: create }] },
      }),
  },
  'a bulk import': {
    ...{ ...making, calls: [partner('upsert', 'c')], doors: ['jobs'], notDry: true },
    run: async (by, times) => {
      const line = JSON.stringify({ external_id: `door.row_${times}`, name: 'in bulk' })
      const headers = { 'content-type': 'application/x-ndjson' }
      const path = '/x/1/bulk/res.partner?key=external_id'
      const { status, answer } = await post(path, `${line}\n`, by, headers)
      if (status !== 202) return { ok: false, answer }
      return { ...(await ended((answer as { id: string }).id)), queued: true }
    },
  },
  'an export': {
    calls: [country('search_read')],
    run: (by) => get(`/x/1/export?model=res.country&fields=name&domain=[["code","=","BE"]]`, by),
  },
  'an export by pages': {
    calls: [partner('search_read', 'r')],
    run: (by) => get('/x/1/export?model=res.partner&fields=name&limit=2&order=id', by),
  },
  lines: {
    calls: [country('search_read')],
    run: (by) => post('/json/2/res.country/search_read', byCode, by, { accept: 'application/x-ndjson' }),
  },
  'a page by cursor': {
    calls: [country('search')],
    run: (by) =>
      post('/json/2/res.country/search', { domain: [], limit: 3 }, by, {
        prefer: 'paging=keyset, count=exact',
      }),
  },
  'a batch with references': {
    ...{ calls: [country('search'), partner('search_read', 'r')], doors: ['batch'] },
    run: (by) =>
      post(
        '/x/1/batch',
        {
          calls: [
            { id: 'a', model: 'res.country', method: 'search', body: { domain: byCode.domain } },
            {
              model: 'res.partner',
              method: 'search_read',
              body: {
                domain: [
                  ['country_id', 'in', { $ref: '/a' }],
                  ['id', '<=', ids.partner],
                ],
                fields: ['name'],
              },
            },
          ],
        },
        by,
      ),
  },
  'a batch that writes': {
    ...{ ...making, doors: ['batch'] },
    run: (by) =>
      post('/x/1/batch', { calls: [{ model: 'res.partner', method: 'create', body: create }] }, by),
  },
  // Users may change these fields of their user without a right on the model, so no mask applies.
  "one's own words, by a batch": {
    ...{ calls: [{ model: 'res.users', method: 'write', letter: 'w' }], doors: ['batch'] },
    ...{ changes: true, fresh: true },
    run: (by, times) => {
      const body = { ids: [2], vals: { signature: `<p>${times}</p>` } }
      return post('/x/1/batch', { calls: [{ model: 'res.users', method: 'write', body }] }, by)
    },
  },
  'calls that write, one by one': {
    ...{ ...making, doors: ['batch'] },
    run: async (by) => {
      const calls = [{ model: 'res.partner', method: 'create', body: create }]
      const { answer } = await post('/x/1/batch', { atomic: false, calls }, by)
      return { ok: (answer as { results?: { status: number }[] }).results?.[0]?.status === 200, answer }
    },
  },
  'a batch whose second call is another': {
    ...{ calls: [partner('read', 'r'), country('search_read')], doors: ['batch'] },
    run: async (by) => {
      const calls = [
        { model: 'res.partner', method: 'read', body: { ids: [1], fields: ['name'] } },
        { model: 'res.country', method: 'search_read', body: byCode },
      ]
      const response = await post('/x/1/batch', { atomic: false, calls }, by)
      const { results } = response.answer as { results?: { status: number }[] }
      return { ok: results?.every(({ status }) => status === 200) ?? false, answer: response.answer }
    },
  },
  'lines of another model': {
    ...making,
    reaches: [{ model: 'res.partner.bank', letter: 'c' }],
    run: (by) =>
      post(
        '/json/2/res.partner/create',
        { vals_list: [{ name: 'with an account', bank_ids: [[0, 0, { acc_number: 'BE68' }]] }] },
        by,
      ),
  },
  'rows of another model': {
    calls: [partner('web_read', 'r')],
    reaches: [{ model: 'res.partner.bank', letter: 'r' }],
    run: (by) =>
      post(
        '/json/2/res.partner/web_read',
        { ids: [ids.partner], specification: { bank_ids: { fields: { acc_number: {} } } } },
        by,
      ),
  },
  'the name behind a link': {
    calls: [partner('read', 'r')],
    run: (by) => post('/json/2/res.partner/read', { ids: [ids.partner], fields: ['country_id'] }, by),
  },
  'groups of a hidden kind': {
    calls: [country('formatted_read_group')],
    run: (by) =>
      post(
        '/json/2/res.country/formatted_read_group',
        { domain: byCode.domain, groupby: ['currency_id'] },
        by,
      ),
  },
  'the feed, every change': {
    ...{ doors: ['changes'], noMethod: true, reaches: [{ model: 'res.country', letter: 'r' }] },
    run: (by) =>
      post('/x/1/changes', { models: { 'res.country': {} }, compact: false, limit: 2, from: 'now' }, by),
  },
  'two models of the feed': {
    ...{ doors: ['changes'], noMethod: true },
    reaches: [
      { model: 'res.partner', letter: 'r' },
      { model: 'res.country', letter: 'r' },
    ],
    run: async (by) => {
      const question = { models: { 'res.partner': { fields: [] }, 'res.country': { fields: ['name'] } } }
      const { ok, answer } = await post('/x/1/changes', { ...question, limit: 5 }, by)
      return { ok, answer: (answer as { changes?: unknown }).changes ?? answer }
    },
  },
  'a stream': {
    ...{ doors: ['changes'], noMethod: true, reaches: [{ model: 'res.country', letter: 'r' }] },
    run: (by) => get('/x/1/changes?models=res.country&from=now', by, { accept: 'text/event-stream' }),
  },
  'a record as a resource': {
    ...{ calls: [country('read')], doors: ['mcp'] },
    run: (by) => agent(by, 'resources/read', { uri: `comptoir://records/res.country/${ids.country}` }),
  },
  'a batch of an agent': {
    ...{ ...making, doors: [...writes, 'batch'] },
    run: (by, times) =>
      tool(by, 'run_batch', {
        calls: [{ model: 'res.partner', method: 'create', parameters: create }],
        ...{ dry_run: false, request_key: `door ${times}` },
      }),
  },
  'an upsert of an agent': {
    ...{ ...making, calls: [partner('upsert', 'c')], doors: writes },
    run: (by, times) =>
      tool(by, 'upsert_records', {
        ...{ model: 'res.partner', key: 'external_id' },
        values: [{ external_id: `door.agent_${times}`, name: 'by an agent' }],
        ...{ dry_run: false, request_key: `upsert ${times}` },
      }),
  },
  'lines of another model, by an agent': {
    ...{ ...making, doors: writes, reaches: [{ model: 'res.partner.bank', letter: 'c' }] },
    run: (by, times) =>
      tool(by, 'create_records', {
        model: 'res.partner',
        values: [{ name: 'with an account', bank_ids: [[0, 0, { acc_number: 'BE69' }]] }],
        ...{ dry_run: false, request_key: `lines ${times}` },
      }),
  },
  'an endpoint of webhooks': {
    ...{ calls: [{ model: 'comptoir.webhook', method: 'create', letter: 'c' }], doors: ['webhooks'] },
    closedBy: (tokens) => tokens.some((token) => /^(model|company|method):/.test(token)),
    ...{ changes: true, fresh: true, notDry: true },
    run: (by) =>
      post('/x/1/webhooks', { url: 'http://127.0.0.1:9999/hook', events: ['res.country.created'] }, by),
  },
  'the list of endpoints': {
    ...{ calls: [{ model: 'comptoir.webhook', method: 'overview', letter: 'r' }], doors: ['webhooks'] },
    fresh: true,
    run: (by) => get('/x/1/webhooks', by),
  },
}

let times = 0

/** Goes a way with a key of these tokens, and judges what came of it. */
async function judge(tokens: readonly string[], name: string): Promise<void> {
  const way = ways[name] as Way
  const about = `${tokens.join(' ')}: ${name}`
  const isRefusedDry = way.notDry === true && tokens.includes('dry')
  const isOpen =
    (way.calls ?? []).every((call) => opens(tokens, call)) &&
    (way.reaches ?? []).every(({ model, letter }) => touches(tokens, model, letter)) &&
    (way.doors ?? []).every((ability) => isDoorOpen(tokens, ability)) &&
    !(way.noMethod && listsMethods(tokens)) &&
    !way.closedBy?.(tokens) &&
    !isRefusedDry
  const before = await state()
  const narrow = await way.run(key, ++times)
  assert.equal(narrow.ok, isOpen, `${about}: ${result(narrow)}`)
  // A key without the scope for jobs cannot queue them.
  const queues = isDoorOpen(tokens, 'jobs') && !tokens.includes('dry')
  assert.ok(queues || !narrow.queued, about)
  if (!isOpen && !isRefusedDry)
    assert.match(result(narrow), /scope of this API key does not allow|scope_missing/, about)
  const [stays, now] = [isOpen && way.changes === true && !tokens.includes('dry'), await state()]
  assert.equal(now !== before, stays, `${about}: ${before} → ${now} ${result(narrow)}`)
  if (isOpen && !way.fresh && !tokens.includes('company:1'))
    assert.deepEqual(narrow, await way.run(plain, ++times), about)
}

const narrowTo = (tokens: readonly string[]) =>
  restrictKey(nodes.databases, 'test', id, { scope: ['rpc', ...tokens].join(' ') })

/** Each opens some of the ways and closes others; every way is closed by one and open by another. */
const lists = [
  [],
  ['read'],
  ['dry'],
  ['jobs'],
  ['mcp', 'mcp:write'],
  ['mcp', 'batch'],
  ['model:res.country:r', 'changes'],
  ['model:res.partner:rwc'],
  ['model:res.partner:c', 'jobs', 'batch', 'mcp', 'mcp:write'],
  ['model:res.*:r', 'batch', 'mcp'],
  ['model:comptoir.*:rwcd', 'webhooks', 'batch'],
  ['company:1'],
  ['method:res.country/search_read'],
  ['method:res.partner/*'],
]
for (const tokens of lists)
  test(`scopes: a key of "${['rpc', ...tokens].join(' ')}" at every endpoint`, async () => {
    await narrowTo(tokens)
    for (const name of Object.keys(ways)) await judge(tokens, name)
  })

test('scopes: at every endpoint a scoped key does what its tokens allow, and gets the same answers as a plain key', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(token, { maxLength: 4 }),
      fc.uniqueArray(fc.constantFrom(...Object.keys(ways)), { minLength: 8, maxLength: 8 }),
      async (tokens, names) => {
        await narrowTo(tokens)
        // A user has twenty endpoints at most.
        await rows(sql`DELETE FROM comptoir_webhook`)
        for (const name of names) await judge(tokens, name)
      },
    ),
    { numRuns: ROUNDS, endOnFailure: true },
  )
})
