// The endpoint for agents: official clients of both protocol generations, scopes of keys, plans,
// elicitation, and limits of an agent. Two nodes: either answers any request.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as ClientOfBefore } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportOfBefore } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createServer, modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { listKeys, restrictKey } from '../../src/services/keys.ts'
import { createUser } from '../../src/services/people.ts'
import { sql } from '../../src/sql/index.ts'
import { message, VERSION } from '../support/mcp.ts'
import { type Heard, type Nodes, openNodes } from '../support/nodes.ts'
import { wholeOf } from '../support/whole.ts'

type Values = Readonly<Record<string, unknown>>

let nodes: Nodes
let plain = ''
before(async () => {
  nodes = await openNodes({ count: 2, known: modules.filter(({ name }) => name === 'base') })
  plain = await keyOf('rpc')
})
after(() => nodes?.close())

let keys = 0
const keyOf = (scope: string, login = 'admin') =>
  createKey(nodes.databases, 'test', login, { scope, name: `agent ${++keys}`, days: 1 })
/** A key by its name. */
const idOf = async (name: string) =>
  (await listKeys(nodes.databases, 'test', 'admin')).find((key) => key.name === name)?.id ?? 0
const rows = async (statement: ReturnType<typeof sql>) => nodes.run(({ unit }) => unit.query(statement))

interface Sent {
  readonly by?: string
  readonly node?: number
  readonly capabilities?: Values
  readonly headers?: Record<string, string>
  readonly extra?: Values
}

/** Sends a message of today's protocol. */
function send(method: string, params: Values = {}, options: Sent = {}): Promise<Heard> {
  const { by = plain, node = 0, capabilities = {}, headers = {} } = options
  const said = message(method, params, capabilities)
  return nodes.post(
    '/x/1/mcp',
    said.body,
    { authorization: `Bearer ${by}`, ...said.headers, ...headers },
    node,
  )
}

interface Result {
  readonly isError?: boolean
  readonly resultType?: string
  readonly structuredContent: Record<string, unknown>
  readonly content: readonly { readonly text: string }[]
  readonly inputRequests?: Values
  readonly requestState?: string
}

/** Calls a tool; the result, or the protocol's error. */
async function use(name: string, parameters: Values = {}, sent: Sent = {}): Promise<Result> {
  const { body, text } = await send('tools/call', { name, arguments: parameters, ...sent.extra }, sent)
  const { result } = body as { result?: Result }
  assert.ok(result, text)
  return result
}
const data = async (name: string, parameters: Values = {}, sent: Sent = {}) => {
  const result = await use(name, parameters, sent)
  assert.ok(!result.isError, JSON.stringify(result))
  return result.structuredContent
}
const refusal = async (name: string, parameters: Values = {}, sent: Sent = {}) => {
  const { isError, structuredContent, content } = await use(name, parameters, sent)
  assert.ok(isError, JSON.stringify(structuredContent))
  assert.ok(content[0]?.text.startsWith(`${structuredContent.code}: `))
  return structuredContent.code
}
const toolNames = async (by: string) => {
  const { body } = await send('tools/list', {}, { by })
  return (body as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name)
}

test('MCP: official clients of both generations list, call and read, on any node', async () => {
  const headers = { authorization: `Bearer ${plain}`, 'x-service-database': 'test' }
  const request = { name: 'search_records', arguments: { model: 'res.partner', limit: 1 } }
  const uri = 'comptoir://records/res.partner/1'
  const modern = new Client(
    { name: 'today', version: '1' },
    { versionNegotiation: { mode: { pin: VERSION } } },
  )
  await modern.connect(
    new StreamableHTTPClientTransport(new URL(`${nodes.servers[0]?.url}/x/1/mcp`), {
      requestInit: { headers },
    }),
  )
  const old = new ClientOfBefore({ name: 'before', version: '1' })
  await old.connect(
    new TransportOfBefore(new URL(`${nodes.servers[1]?.url}/x/1/mcp`), { requestInit: { headers } }),
  )
  for (const client of [modern, old]) {
    const { tools } = await client.listTools()
    assert.equal(tools.length, 12)
    const { structuredContent } = await client.callTool(request)
    assert.equal((structuredContent as { records: unknown[] }).records.length, 1)
    const { contents } = await client.readResource({ uri })
    assert.match(JSON.stringify(contents), /display_name/)
    await assert.rejects(client.readResource({ uri: 'comptoir://records/res.partner/999999' }), /not found/i)
    assert.ok(
      (await client.listResources()).resources.some(
        (resource) => resource.uri === 'comptoir://models/res.partner',
      ),
    )
    assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 2)
    assert.match(client.getInstructions() ?? '', /list_models/)
    await client.close()
  }
})

test('MCP: the list of tools is short and stable, and omits tools that the key does not allow', async () => {
  const [first, other] = [await send('tools/list'), await send('tools/list', {}, { node: 1 })]
  assert.equal(first.text, other.text)
  assert.ok(first.text.length < 6144, `${first.text.length}`)
  const { result } = first.body as { result: Values & { tools: { description: string }[] } }
  assert.deepEqual([result.ttlMs, result.cacheScope], [300_000, 'private'])
  assert.ok(result.tools.every(({ description }) => description.length < 400))
  const reads = ['list_models', 'describe_model', 'search_records', 'read_records', 'aggregate_records']
  assert.deepEqual(await toolNames(await keyOf('rpc mcp')), reads)
  assert.deepEqual(await toolNames(await keyOf('rpc mcp changes')), [...reads, 'read_changes'])
  assert.deepEqual((await toolNames(await keyOf('rpc mcp mcp:write'))).slice(5), [
    'create_records',
    'update_records',
    'upsert_records',
    'delete_records',
    'call_method',
  ])
})

test('MCP: invalid messages, other versions and unauthenticated calls are refused as the protocol says', async () => {
  const codeOf = ({ body }: Heard) => (body as { error?: { code: number } } | null)?.error?.code
  const stranger = await send('tools/list', {}, { headers: { 'mcp-method': 'tools/call' } })
  assert.deepEqual([stranger.status, codeOf(stranger)], [400, -32020])
  const future = await send('tools/list', {}, { headers: { 'mcp-protocol-version': '2999-01-01' } })
  assert.deepEqual([future.status, codeOf(future)], [400, -32020])
  const said = message('tools/list')
  const unserved = JSON.stringify(said.body).replaceAll(VERSION, '2999-01-01')
  const headers = { ...said.headers, 'mcp-protocol-version': '2999-01-01' }
  const version = await nodes.post('/x/1/mcp', unserved, { ...headers, authorization: `Bearer ${plain}` })
  assert.deepEqual([version.status, codeOf(version)], [400, -32022])
  assert.match(version.text, new RegExp(`"supported":\\[[^\\]]*"${VERSION}"`))
  const unknown = await send('tools/dance')
  assert.deepEqual([unknown.status, codeOf(unknown)], [404, -32601])
  const noTool = await send('tools/call', { name: 'dance', arguments: {} })
  assert.equal(codeOf(noTool), -32602)
  const broken = await nodes.post('/x/1/mcp', '{', { authorization: `Bearer ${plain}` })
  assert.deepEqual([broken.status, codeOf(broken)], [400, -32700])
  const nobody = await send('tools/list', {}, { by: '0'.repeat(40) })
  assert.deepEqual([nobody.status, nobody.headers.get('www-authenticate')], [401, 'Bearer'])
  const closed = await send('tools/list', {}, { by: await keyOf('rpc batch') })
  assert.equal(closed.status, 403)
  assert.match(closed.headers.get('www-authenticate') ?? '', /insufficient_scope", scope="mcp"/)
  const origin = await send('tools/list', {}, { headers: { origin: 'https://evil.example' } })
  assert.equal(origin.status, 403)
  const metadata = '/.well-known/oauth-protected-resource/x/1/mcp'
  const guarded = await createServer({
    databases: nodes.databases,
    mcpAuthorizationServer: 'https://login.example',
  })
  try {
    const open = await fetch(`${guarded.url}/x/1/mcp`, { method: 'POST', body: '{}' })
    assert.equal(open.status, 401)
    const challenge = open.headers.get('www-authenticate') ?? ''
    assert.ok(
      challenge.startsWith('Bearer ') && challenge.includes(`resource_metadata="${guarded.url}${metadata}"`),
      challenge,
    )
    const described = (await (await fetch(`${guarded.url}${metadata}`)).json()) as Values
    assert.deepEqual(described.authorization_servers, ['https://login.example'])
  } finally {
    await guarded.close()
  }
  const large = await nodes.post('/x/1/mcp', JSON.stringify({ pad: 'x'.repeat(1_100_000) }), {
    authorization: `Bearer ${plain}`,
  })
  assert.equal(large.status, 413)
  for (const method of ['GET', 'DELETE'])
    assert.equal((await fetch(`${nodes.servers[0]?.url}/x/1/mcp`, { method })).status, 405)
  assert.equal(await refusal('search_records', { model: 'res.partner', limit: 9999 }), 'unprocessable_entity')
  assert.equal(await refusal('search_records', { model: 'res.partnr' }), 'not_found')
  const textOf = async (parameters: Values) =>
    (await use('search_records', parameters)).content[0]?.text ?? ''
  const odd = await textOf({ model: 'res.partner', domains: [] })
  assert.match(
    odd,
    /: search_records has no argument 'domains'; its arguments are model, domain,.*\. Perhaps: domain\. \w/,
  )
  const misspelled = await textOf({ model: 'res.partner', domain: [['nmae', '=', 'x']] })
  assert.match(misspelled, /^unknown_field: .*"nmae".*"\. Perhaps: name\. \w/)
})

test('MCP: reads return few fields, short texts without markup, and pages by cursor', async () => {
  const [id] = (
    await nodes.call('res.partner/create', {
      vals_list: [{ name: 'Reader\u200b', comment: `<p>${'long '.repeat(200)}</p>`, image_1920: false }],
    })
  ).body as number[]
  const all = await use('read_records', { model: 'res.partner', ids: [id], fields: ['*'] })
  assert.ok(JSON.stringify(all).length <= 40 * 1024)
  const [record] = all.structuredContent.records as Record<string, unknown>[]
  assert.ok(record && !('image_1920' in record))
  assert.ok(String(record.comment).startsWith('long ') && String(record.comment).length <= 301)
  assert.ok(!all.content[0]?.text.includes('\u200b'))
  const brief = await data('read_records', { model: 'res.partner', ids: [id] })
  assert.ok(Object.keys((brief.records as object[])[0] ?? {}).length <= 14)
  const seen: unknown[] = []
  for (let cursor: unknown; ; ) {
    const page = await data('search_records', {
      model: 'res.country',
      fields: ['name', 'code'],
      limit: 100,
      count: true,
      budget: 4,
      ...(cursor ? { cursor } : {}),
    })
    const records = page.records as { id: number }[]
    assert.ok(JSON.stringify(page).length < 4096)
    seen.push(...records.map((record) => record.id))
    cursor = page.next_cursor
    if (!cursor) {
      assert.equal(new Set(seen).size, page.total)
      assert.equal(seen.length, page.total)
      break
    }
  }
  const groups = await data('aggregate_records', { model: 'res.country', groupby: ['currency_id'] })
  assert.ok((groups.groups as unknown[]).length > 10)
  const described = await data('describe_model', { model: 'res.partner', fields: ['nam', 'email'] })
  assert.match(JSON.stringify(described.unknown), /perhaps name/)
  const wide = await keyOf('rpc mcp')
  const mine = await idOf(`agent ${keys}`)
  const countries = async (by: string) =>
    JSON.stringify(await use('search_records', { model: 'res.country', fields: ['*'], limit: 200 }, { by }))
      .length
  const usual = await countries(wide)
  await restrictKey(nodes.databases, 'test', mine, { budget: 200 })
  const more = await countries(wide)
  assert.ok(usual <= 40 * 1024 && more > usual, `${usual}, then ${more}`)
  await assert.rejects(restrictKey(nodes.databases, 'test', mine, { budget: 201 }), /200 kilobytes/)
  const { models } = await data('list_models', { search: 'country' })
  assert.ok((models as { model: string }[]).some(({ model }) => model === 'res.country'))
})

test('MCP: a dry run changes nothing; its plan runs once, on any node, if nothing else changed', async () => {
  const ann = await keyOf('rpc mcp mcp:write')
  const [id] = (await nodes.call('res.partner/create', { vals_list: [{ name: 'Ann', city: 'Ghent' }] }))
    .body as number[]
  const listing = await keyOf('rpc mcp mcp:write method:res.partner/action_archive')
  const batching = await keyOf('rpc mcp mcp:write batch')
  const state = () => wholeOf(nodes)
  const before = await state()
  const parameters = { model: 'res.partner', ids: [id], values: { city: 'Bruges' } }
  const dry = await data('update_records', parameters, { by: ann })
  assert.deepEqual(await state(), before)
  assert.equal('hidden' in dry, false)
  const [change] = dry.changes as { before: Values; after: Values; op: string }[]
  assert.deepEqual([change?.op, change?.before.city, change?.after.city], ['update', 'Ghent', 'Bruges'])
  for (const [tool, more] of [
    ['create_records', { model: 'res.partner', values: [{ name: 'New' }] }],
    [
      'upsert_records',
      { model: 'res.partner', key: 'external_id', values: [{ external_id: 'a.b', name: 'U' }] },
    ],
    ['delete_records', { model: 'res.partner', ids: [id] }],
  ] as const)
    assert.equal((await data(tool, more, { by: ann })).more, 0)
  await data('call_method', { model: 'res.partner', method: 'action_archive', ids: [id] }, { by: listing })
  const calls = [
    { id: 'a', model: 'res.partner', method: 'create', parameters: { vals_list: [{ name: 'In a batch' }] } },
    { model: 'res.partner', method: 'write', ids: { $ref: '/a' }, parameters: { vals: { city: 'Mons' } } },
  ]
  await data('run_batch', { calls }, { by: batching })
  assert.deepEqual(await state(), before)
  const { plan } = dry
  const run = { ...parameters, dry_run: false, plan }
  assert.equal(
    await refusal('update_records', { ...parameters, dry_run: false }, { by: ann }),
    'plan_required',
  )
  assert.equal(
    await refusal('update_records', { ...run, values: { city: 'Liège' } }, { by: ann }),
    'plan_mismatch',
  )
  await createUser(nodes.databases, 'test', {
    login: 'bob',
    name: 'Bob',
    password: 'a long one',
    roles: ['user'],
  })
  assert.equal(await refusal('update_records', run, { by: await keyOf('rpc', 'bob') }), 'plan_mismatch')
  assert.equal(await refusal('update_records', { ...run, plan: `${plan}x` }, { by: ann }), 'plan_mismatch')
  const both = await Promise.all([0, 1].map((node) => use('update_records', run, { by: ann, node })))
  const done = both.filter(({ isError }) => !isError)
  assert.ok(
    done.length >= 1 &&
      both.every(({ structuredContent: result, isError }) => !isError || result.status === 409),
  )
  assert.equal((await data('update_records', run, { by: ann })).replayed, true)
  const stale = await data('update_records', { ...parameters, values: { city: 'Mons' } }, { by: ann })
  await nodes.call('res.partner/write', { ids: [id], vals: { phone: '1' } })
  const outdated = { ...parameters, values: { city: 'Mons' }, plan: stale.plan }
  assert.equal(
    await refusal('update_records', { ...outdated, dry_run: false }, { by: ann }),
    'version_mismatch',
  )
  const twice = { model: 'res.partner', values: [{ name: 'Once' }], dry_run: false, request_key: 'k1' }
  const first = await data('create_records', twice, { by: ann })
  assert.deepEqual((await data('create_records', twice, { by: ann, node: 1 })).result, first.result)
  const [audit] = await rows(
    sql`SELECT name, detail->>'tool' FROM comptoir_audit WHERE event = 'agent.call' ORDER BY id DESC LIMIT 1`,
  )
  assert.deepEqual(audit, ['test 1', 'create_records'])
})

test('MCP: a batch is one plan, with values that one call takes from another', async () => {
  const count = async () => Number((await rows(sql`SELECT count(*) FROM res_partner`))[0]?.[0])
  const before = await count()
  const calls = [
    { id: 'a', model: 'res.partner', method: 'create', parameters: { vals_list: [{ name: 'Batch' }] } },
    { model: 'res.partner', method: 'write', ids: { $ref: '/a' }, parameters: { vals: { city: 'Namur' } } },
  ]
  const dry = await data('run_batch', { calls })
  assert.equal(await count(), before)
  const [change] = dry.changes as { op: string; after: Values }[]
  assert.deepEqual([change?.op, change?.after.city], ['create', 'Namur'])
  const named = await data('run_batch', { calls, plan: dry.plan })
  assert.deepEqual([named.dry_run, await count()], [true, before], 'nothing is meant until it is said')
  const misnamed = [{ model: 'res.partner', method: 'create', body: { vals_list: [{ name: 'Batch' }] } }]
  assert.equal(await refusal('run_batch', { calls: misnamed }), 'unprocessable_entity')
  const done = await data('run_batch', { calls, dry_run: false, plan: dry.plan })
  assert.deepEqual([done.done, await count()], [true, before + 1])
  const { plan } = await data(
    'update_records',
    { model: 'res.partner', ids: [1], values: { city: { $ref: '/a' } } },
    {
      by: await keyOf('rpc'),
    },
  ).catch(() => ({ plan: null }))
  assert.equal(plan, null, 'what an agent writes is no reference: a city is a text')
})

test('MCP: no tool creates keys, users or rules, or calls a method, unless the key lists it', async () => {
  const by = await keyOf('rpc mcp mcp:write batch')
  const once = { dry_run: false, request_key: 'x' }
  const user = { name: 'Eve', login: 'eve' }
  assert.equal(
    await refusal('create_records', { model: 'res.users', values: [user], ...once }, { by }),
    'scope_missing',
  )
  assert.equal(
    await refusal(
      'create_records',
      { model: 'res.partner', values: [{ name: 'P', user_ids: [[0, 0, user]] }], ...once },
      { by },
    ),
    'scope_missing',
  )
  assert.equal(
    await refusal(
      'call_method',
      { model: 'res.partner', method: 'action_archive', ids: [1], ...once },
      { by },
    ),
    'scope_missing',
  )
  const calls = [{ model: 'res.partner', method: 'action_archive', ids: [1] }]
  assert.equal(await refusal('run_batch', { calls, ...once }, { by }), 'scope_missing')
  assert.deepEqual(await rows(sql`SELECT id FROM res_users WHERE login = 'eve'`), [])
  const listing = await keyOf('rpc mcp mcp:write method:res.partner/action_archive')
  const parameters = { model: 'res.partner', method: 'action_archive', ids: [1] }
  const dry = await data('call_method', parameters, { by: listing })
  assert.deepEqual([dry.changes, dry.hidden], [[], true], 'values are not its to see, and it says so')
  assert.match(String(dry.note), /More would change than is shown/)
  const seeing = await keyOf('rpc mcp mcp:write method:res.partner/action_archive method:res.partner/read')
  const seen = await data('call_method', parameters, { by: seeing })
  assert.equal((seen.changes as unknown[]).length, 1)
  assert.equal('hidden' in seen, false)
  assert.equal(
    await refusal('read_records', { model: 'res.partner', ids: [1] }, { by: listing }),
    'scope_missing',
  )
  const closed = await keyOf('rpc mcp')
  const write = { model: 'res.partner', values: [{ name: 'x' }], ...once }
  assert.equal(await refusal('create_records', write, { by: closed }), 'scope_missing')
})

test('MCP: missing and hidden records are reported alike, by their ids', async () => {
  const model = 'res.partner.category'
  const [visible, hidden, other, gone] = (
    await nodes.call(`${model}/create`, {
      vals_list: [{ name: 'One' }, { name: 'Hidden' }, { name: 'Archived', active: false }, { name: 'Gone' }],
    })
  ).body as number[]
  await nodes.call(`${model}/unlink`, { ids: [gone] })
  const ids = [gone, other, visible]
  const partly = await use('read_records', { model, ids, fields: ['name'] })
  assert.deepEqual(partly.structuredContent, {
    records: [
      { id: other, name: 'Archived' },
      { id: visible, name: 'One' },
    ],
    truncated: false,
    missing_ids: [gone],
  })
  assert.match(partly.content[0]?.text ?? '', new RegExp(`"missing_ids":\\[${gone}\\]`))
  const [model_id] = (await nodes.call('ir.model/search', { domain: [['model', '=', model]] }))
    .body as number[]
  const rule = { name: 'hides', model_id, domain_force: "[('name', '!=', 'Hidden')]" }
  const [createdRule] = (await nodes.call('ir.rule/create', { vals_list: [rule] })).body as number[]
  const read = async (...ids: unknown[]) => await data('read_records', { model, ids, fields: ['name'] })
  try {
    assert.deepEqual(await read(visible, hidden, gone), {
      records: [{ id: visible, name: 'One' }],
      truncated: false,
      missing_ids: [hidden, gone],
    })
    const alone = { records: [], truncated: false }
    assert.deepEqual(await read(hidden), { ...alone, missing_ids: [hidden] })
    assert.deepEqual(await read(gone), { ...alone, missing_ids: [gone] })
  } finally {
    await nodes.call('ir.rule/unlink', { ids: [createdRule] })
  }
  assert.deepEqual(await read(visible, hidden), {
    records: [
      { id: visible, name: 'One' },
      { id: hidden, name: 'Hidden' },
    ],
    truncated: false,
  })
})

test('MCP: a client with elicitation asks a person before records are deleted', async () => {
  const [id] = (await nodes.call('res.partner/create', { vals_list: [{ name: 'Doomed' }] })).body as number[]
  const parameters = { model: 'res.partner', ids: [id], dry_run: false, request_key: 'doom' }
  const capabilities = { elicitation: { form: {} } }
  const deletion = await use('delete_records', parameters, { capabilities })
  assert.equal(deletion.resultType, 'input_required')
  const reply = (action: string, content: Values, over: Sent = {}) =>
    send(
      'tools/call',
      {
        name: 'delete_records',
        arguments: parameters,
        inputResponses: { consent: { action, content } },
        requestState: deletion.requestState,
      },
      { capabilities, ...over },
    )
  const declined = (await reply('decline', {})).body as { result: Result }
  assert.equal(declined.result.structuredContent.code, 'consent_refused')
  const other = (await reply('accept', { sure: true }, { by: await keyOf('rpc', 'bob') })).body as {
    error?: { code: number }
  }
  assert.equal(other.error?.code, -32602)
  for (const lacking of [{}, { elicitation: { url: {} } }]) {
    const unable = await reply('decline', {}, { capabilities: lacking })
    const { error } = unable.body as { error?: { code: number; data: Values } }
    assert.deepEqual(
      [unable.status, error?.code, error?.data.requiredCapabilities],
      [400, -32021, { elicitation: { form: {} } }],
    )
  }
  const agreed = (await reply('accept', { sure: true }, { node: 1 })).body as { result: Result }
  assert.equal(agreed.result.structuredContent.done, true)
})

const ends: Readonly<Record<string, (by: string, name: string) => Promise<unknown>>> = {
  'is gone': (by) => nodes.call('res.users.apikeys/revoke', { key: by }),
  'opens the feed alone': async (_by, name) =>
    restrictKey(nodes.databases, 'test', await idOf(name), { scope: 'rpc changes' }),
}
for (const [what, end] of Object.entries(ends))
  test(`MCP: a stream reports changed records, until its key ${what}`, async () => {
    const by = await keyOf('rpc mcp changes')
    const name = `agent ${keys}`
    const uri = 'comptoir://records/res.partner/1'
    const said = message('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } })
    const response = await fetch(`${nodes.servers[1]?.url}/x/1/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${by}`,
        'x-service-database': 'test',
        'content-type': 'application/json',
        ...said.headers,
      },
      body: JSON.stringify(said.body),
    })
    assert.match(response.headers.get('content-type') ?? '', /event-stream/)
    let text = ''
    let [isWritten, isOver] = [false, false]
    const updateCount = () => text.split('resources/updated').length - 1
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString()
      if (!isWritten && text.includes('acknowledged')) {
        isWritten = true
        await nodes.call('res.partner/write', { ids: [1], vals: { phone: `${what} 2` } })
      }
      if (!isOver && updateCount() > 0) {
        isOver = true
        await end(by, name)
        await nodes.call('res.partner/write', { ids: [1], vals: { phone: `${what} 3` } })
      }
      if (updateCount() > 1) break
    }
    // The stream ended by itself: such a key gets no further messages.
    assert.ok(text.includes(uri) && isOver)
    assert.equal(updateCount(), 1)
  })

test("MCP: fields of the caller's missing groups are hidden, and the usual limits apply", async () => {
  const by = await keyOf('rpc')
  const model = 'ir.model.data'
  assert.ok(nodes.database.registry.get(model)?.fields.get('readable')?.groups.length)
  const [visibleId] = (await nodes.call(`${model}/search`, { domain: [], limit: 1 })).body as number[]
  for (const answer of [
    await use('describe_model', { model, budget: 40 }),
    await use('describe_model', { model, fields: ['readabl'] }),
    await use('read_records', { model, ids: [visibleId], fields: ['*'] }),
    await use('search_records', { model, fields: ['readabl'] }),
  ])
    assert.doesNotMatch(JSON.stringify(answer), /readable/)
  await restrictKey(nodes.databases, 'test', await idOf(`agent ${keys}`), { rate: '2/60s' })
  const answers = [
    await send('tools/list', {}, { by }),
    await send('tools/list', {}, { by }),
    await send('tools/list', {}, { by }),
  ]
  const statuses = answers.map(({ status }) => status)
  assert.ok(statuses.includes(429) && statuses[0] === 200, statuses.join())
  assert.ok(answers.at(-1)?.headers.get('retry-after'))
})
