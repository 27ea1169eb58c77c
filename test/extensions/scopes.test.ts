// Narrow keys over all wires, on two nodes: never more than the plain key, nothing outside of their tokens,
// from the next call on.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { modules } from '../../src/main.ts'
import { missingFor, parseScope } from '../../src/models/rights/key-scope.ts'
import { createKey } from '../../src/services/admin.ts'
import { listKeys, restrictKey } from '../../src/services/keys.ts'
import { createUser } from '../../src/services/people.ts'
import { sql } from '../../src/sql/index.ts'
import { message } from '../support/mcp.ts'
import { isDoorOpen, listsMethods, opens as opensMethod, token } from '../support/narrow-keys.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { wholeOf } from '../support/whole.ts'

let nodes: Nodes
/** The key that is narrowed, and its id; the one that is not. */
let [key, plain, id] = ['', '', 0]
before(async () => {
  nodes = await openNodes({ count: 2, known: modules.filter(({ name }) => name === 'base') })
  const make = (name: string, login = 'admin') =>
    createKey(nodes.databases, 'test', login, { scope: 'rpc', name, days: 1 })
  plain = await make('plain')
  key = await make('narrow')
  id = (await listKeys(nodes.databases, 'test', 'admin')).find(({ name }) => name === 'narrow')?.id ?? 0
})
after(() => nodes?.close())

const bearer = (by: string) => ({ authorization: `bearer ${by}` })
const restrict = (scope: string, addresses = '') =>
  restrictKey(nodes.databases, 'test', id, { scope, addresses })
const call = (path: string, body: unknown = {}, by = key, node = 1) =>
  nodes.call(path, body, bearer(by), node)
const rows = async (statement: ReturnType<typeof sql>) => nodes.run(({ unit }) => unit.query(statement))
const partners = async () => Number((await rows(sql`SELECT count(*) FROM res_partner`))[0]?.[0])

/** The outcome of a call: the result, or the error's message. */
interface Came {
  readonly ok: boolean
  readonly answer: unknown
}

type Values = Readonly<Record<string, unknown>>
type Wire = (by: string, model: string, method: string, body: Values) => Promise<Came>

const xml = (value: unknown): string => {
  if (Array.isArray(value))
    return `<array><data>${value.map((element) => `<value>${xml(element)}</value>`).join('')}</data></array>`
  if (typeof value === 'number') return `<int>${value}</int>`
  if (typeof value === 'string') return `<string>${value}</string>`
  const members = Object.entries(value as Values).map(
    ([name, member]) => `<member><name>${name}</name><value>${xml(member)}</value></member>`,
  )
  return `<struct>${members.join('')}</struct>`
}

/** Ids come first, and values of new records. */
const argsOf = (by: string, model: string, method: string, { ids, vals_list, ...named }: Values) => [
  'test',
  2,
  by,
  model,
  method,
  [ids ?? vals_list].filter((first) => first !== undefined),
  named,
]

const wires: Readonly<Record<string, Wire>> = {
  json2: async (by, model, method, body) => {
    const { status, body: answer } = await call(`${model}/${method}`, body, by)
    return { ok: status === 200, answer: status === 200 ? answer : (answer as Values).message }
  },
  jsonrpc: async (by, model, method, body) => {
    const params = { service: 'object', method: 'execute_kw', args: argsOf(by, model, method, body) }
    const { result, error } = (await nodes.post('/jsonrpc', { jsonrpc: '2.0', id: 1, params }, {}, 1))
      .body as {
      result?: unknown
      error?: { data: { message: string } }
    }
    return error ? { ok: false, answer: error.data.message } : { ok: true, answer: result }
  },
  xmlrpc: async (by, model, method, body) => {
    const params = argsOf(by, model, method, body).map(
      (argument) => `<param><value>${xml(argument)}</value></param>`,
    )
    const text = `<?xml version="1.0"?><methodCall><methodName>execute_kw</methodName><params>${params.join('')}</params></methodCall>`
    const answer = await nodes.post('/xmlrpc/2/object', text, { 'content-type': 'text/xml' }, 1)
    return {
      ok: !answer.text.includes('<fault>'),
      answer: /<name>faultString<\/name>\s*<value><string>([^<]*)/.exec(answer.text)?.[1] ?? null,
    }
  },
  batch: (by, model, method, body) => batched(by, { calls: [{ model, method, body }] }),
  'calls one by one': (by, model, method, body) =>
    batched(by, { atomic: false, calls: [{ model, method, body }] }),
}

/** The tools of agents. */
async function tool(by: string, name: string, parameters: Values, node = 1): Promise<Came> {
  const said = message('tools/call', { name, arguments: parameters })
  const { status, body } = await nodes.post('/x/1/mcp', said.body, { ...bearer(by), ...said.headers }, node)
  const { result, message: refusal } = body as {
    result?: { isError?: boolean; structuredContent: Values }
    message?: string
  }
  if (!result) return { ok: false, answer: refusal ?? status }
  return result.isError
    ? { ok: false, answer: result.structuredContent.detail }
    : { ok: true, answer: result.structuredContent }
}

async function batched(by: string, body: Values): Promise<Came> {
  const { body: answer } = await nodes.post('/x/1/batch', body, bearer(by), 1)
  const { results, message } = answer as { results?: { status: number; body: unknown }[]; message?: string }
  const [first] = results ?? []
  return {
    ok: first?.status === 200,
    answer: first ? (first.status === 200 ? first.body : (first.body as Values).message) : message,
  }
}

interface Tried {
  readonly model: string
  readonly method: string
  readonly body: Values
  /**
   * The letter that it needs; null for none that the test knows: it is refused by one of the others, or not
   * at all.
   */
  readonly letter: 'r' | 'w' | 'c' | 'd'
}

const tried: readonly Tried[] = [
  { model: 'res.partner', method: 'search_count', body: { domain: [['id', '=', 1]] }, letter: 'r' },
  { model: 'res.partner', method: 'read', body: { ids: [1], fields: ['name'] }, letter: 'r' },
  { model: 'res.partner', method: 'create', body: { vals_list: [{ name: 'made by a key' }] }, letter: 'c' },
  { model: 'res.partner', method: 'write', body: { ids: [1], vals: { comment: 'x' } }, letter: 'w' },
  {
    model: 'res.country',
    method: 'search_read',
    body: { domain: [['code', '=', 'BE']], fields: ['name'] },
    letter: 'r',
  },
  // Users read their own user without a right on the model, and keys by a method: a scope applies to
  // both.
  { model: 'res.users', method: 'read', body: { ids: [2], fields: ['login'] }, letter: 'r' },
  { model: 'res.users', method: 'write', body: { ids: [2], vals: { signature: 'x' } }, letter: 'w' },
  { model: 'res.users.apikeys', method: 'overview', body: {}, letter: 'r' },
]

/** Whether tokens allow a method on a wire. */
const opens = (tokens: readonly string[], attempt: Tried, wire: string): boolean =>
  opensMethod(tokens, attempt) && (!/^(?:batch|calls)/.test(wire) || isDoorOpen(tokens, 'batch'))

test('scopes: a narrow key does what its tokens and the plain key allow, on every wire; other nodes know at the next call', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(token, { maxLength: 4 }),
      fc.array(fc.tuple(fc.constantFrom(...tried), fc.constantFrom(...Object.keys(wires))), {
        minLength: 6,
        maxLength: 6,
      }),
      async (tokens, calls) => {
        await restrict(['rpc', ...tokens].join(' '))
        for (const [attempt, wire] of calls) {
          const { model, method, body, letter } = attempt
          const about = `${tokens.join(' ')}: ${model}/${method} by ${wire}`
          const run = wires[wire] as Wire
          const before = await partners()
          const narrow = await run(key, model, method, body)
          assert.equal(narrow.ok, opens(tokens, attempt, wire), `${about}: ${JSON.stringify(narrow.answer)}`)
          if (!narrow.ok) assert.match(String(narrow.answer), /scope of this API key does not allow/, about)
          const created = (await partners()) - before
          assert.equal(created, narrow.ok && method === 'create' && !tokens.includes('dry') ? 1 : 0, about)
          if (letter === 'r' && narrow.ok)
            assert.deepEqual(narrow, await run(plain, model, method, body), about)
        }
      },
    ),
    { numRuns: 15 },
  )
})

/** A tool of agents, or the feed, with what it is by another name. */
interface Aside extends Omit<Tried, 'body'> {
  readonly name: string
  readonly body: Values
  readonly doors: readonly string[]
  /** Nothing but a token that lists the method opens it. */
  readonly listed?: boolean
  /** It is no method: keys that list methods do not open it. */
  readonly noMethod?: boolean
}

const partner = { model: 'res.partner' }
const reads = { doors: ['mcp'], letter: 'r' } as const
const writes = ['mcp', 'mcp:write']
const asides: readonly Aside[] = [
  { ...partner, ...reads, name: 'search_records', method: 'search_read', body: { domain: [['id', '=', 1]] } },
  { ...partner, ...reads, name: 'read_records', method: 'read', body: { ids: [1], fields: ['name'] } },
  { ...reads, model: 'res.country', name: 'search_records', method: 'search_read', body: { limit: 2 } },
  {
    ...reads,
    model: 'res.users',
    name: 'read_records',
    method: 'read',
    body: { ids: [2], fields: ['login'] },
  },
  {
    ...partner,
    ...reads,
    name: 'aggregate_records',
    method: 'formatted_read_group',
    body: { groupby: ['is_company'] },
  },
  {
    ...partner,
    name: 'create_records',
    method: 'create',
    letter: 'c',
    doors: writes,
    body: { values: [{ name: 'x' }] },
  },
  {
    ...partner,
    name: 'update_records',
    method: 'write',
    letter: 'w',
    doors: writes,
    body: { ids: [1], values: { comment: 'x' } },
  },
  {
    model: 'res.users',
    name: 'update_records',
    method: 'write',
    letter: 'w',
    doors: writes,
    listed: true,
    body: { ids: [2], values: { signature: 'x' } },
  },
  {
    ...partner,
    name: 'call_method',
    method: 'write',
    letter: 'w',
    doors: writes,
    listed: true,
    body: { ids: [1], parameters: { vals: { comment: 'y' } } },
  },
  {
    ...partner,
    name: 'read_changes',
    method: '',
    letter: 'r',
    doors: ['mcp', 'changes'],
    noMethod: true,
    body: {},
  },
  { ...partner, name: 'feed', method: '', letter: 'r', doors: ['changes'], noMethod: true, body: {} },
]

/** The arguments of a tool as it takes them. */
function argumentsOf({ name, model, method, body }: Aside, key: string): Values {
  if (name === 'read_changes') return { models: [model] }
  const isWriting = ['create_records', 'update_records', 'call_method'].includes(name)
  return {
    model,
    ...body,
    ...(name === 'call_method' && { method }),
    ...(isWriting && { dry_run: false, request_key: key }),
  }
}

async function aside(attempt: Aside, by: string, key: string): Promise<Came> {
  if (attempt.name !== 'feed') return tool(by, attempt.name, argumentsOf(attempt, key))
  const question = { models: { [attempt.model]: { fields: ['name'] } }, limit: 3 }
  const { status, body } = await nodes.post('/x/1/changes', question, bearer(by), 1)
  const { changes, message } = body as { changes?: unknown; message?: string }
  return { ok: status === 200, answer: changes ?? message }
}

test('scopes: agents and the change feed give no access beyond the scope, by tools or by values', async () => {
  let calls = 0
  const state = async () => String(await rows(sql`SELECT count(*), max(xmin::text::bigint) FROM res_partner`))
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(token, { maxLength: 5 }),
      fc.array(fc.constantFrom(...asides), { minLength: 5, maxLength: 5 }),
      async (tokens, tries) => {
        await restrict(['rpc', ...tokens].join(' '))
        const lists = listsMethods(tokens)
        for (const attempt of tries) {
          const about = `${tokens.join(' ')}: ${attempt.name} of ${attempt.model}`
          const isOpen =
            opens(
              lists && attempt.noMethod ? [] : tokens,
              { ...attempt, method: attempt.method || 'read' },
              '',
            ) &&
            attempt.doors.every((ability) => isDoorOpen(tokens, ability)) &&
            (lists || !attempt.listed) &&
            !(lists && attempt.noMethod)
          const before = await state()
          const narrow = await aside(attempt, key, `narrow ${++calls}`)
          assert.equal(narrow.ok, isOpen, `${about}: ${JSON.stringify(narrow.answer)}`)
          if (!narrow.ok) assert.match(String(narrow.answer), /scope of this API key does not allow/, about)
          const stays =
            isOpen && attempt.letter !== 'r' && attempt.model === 'res.partner' && !tokens.includes('dry')
          assert.equal((await state()) !== before, stays, about)
          if (isOpen && attempt.letter === 'r' && attempt.name !== 'read_changes')
            assert.deepEqual(narrow, await aside(attempt, plain, ''), about)
        }
      },
    ),
    { numRuns: 12 },
  )
})

test('scopes: a removed token is refused from the next call on, for every tool and for the feed', async () => {
  const abilities = ['changes', 'webhooks', 'mcp', 'mcp:write', 'jobs', 'batch']
  let calls = 0
  for (const attempt of asides.filter(({ listed }) => !listed))
    for (const closed of attempt.doors) {
      await restrict('rpc')
      const open = await aside(attempt, key, `open ${++calls}`)
      assert.equal(open.ok, true, `${attempt.name}: ${JSON.stringify(open.answer)}`)
      await restrict(['rpc', ...abilities.filter((ability) => ability !== closed)].join(' '))
      const refused = await aside(attempt, key, `closed ${calls}`)
      assert.equal(refused.ok, false, `${attempt.name} without ${closed}: ${JSON.stringify(refused.answer)}`)
      assert.equal(
        refused.answer,
        `The scope of this API key does not allow this: it lacks ${closed}.`,
        attempt.name,
      )
    }
})

test('scopes: an error names the missing token by RFC 6750; documents show what the key allows', async () => {
  await restrict('rpc model:res.partner:r')
  const refused = await call('res.partner/create', { vals_list: [{ name: 'x' }] })
  assert.deepEqual([refused.status, refused.headers.get('error-code')], [403, 'scope_missing'])
  assert.equal(
    refused.headers.get('www-authenticate'),
    'Bearer error="insufficient_scope", scope="model:res.partner:c"',
  )
  assert.deepEqual(Object.keys(refused.body as object), ['name', 'message', 'arguments', 'context', 'debug'])
  const index = await fetch(`${nodes.servers[0]?.url}/doc-bearer/index.json`, {
    headers: { ...bearer(key), 'x-service-database': 'test' },
  })
  const text = await index.text()
  assert.equal(index.status, 200)
  assert.ok(text.includes('res.partner') && !text.includes('"res.country"'))
  await restrict('rpc method:res.partner/read')
  const closed = await fetch(`${nodes.servers[0]?.url}/doc-bearer/index.json`, {
    headers: { ...bearer(key), 'x-service-database': 'test' },
  })
  assert.equal(closed.status, 403)
})

test('scopes: a read key changes nothing by any public method', async () => {
  await restrict('rpc read')
  const before = await wholeOf(nodes)
  const model = nodes.database.registry.get('res.partner')
  assert.ok(model)
  for (const method of model.methods.values()) {
    if (method.private || method.name.startsWith('_')) continue
    const { status, body } = await call(
      `res.partner/${method.name}`,
      method.level === 'model' ? {} : { ids: [1] },
    )
    if (!method.readonly && status !== 422)
      assert.match((body as { message: string }).message, /lacks rpc without read/, method.name)
    if (!method.readonly) assert.notEqual(status, 200, method.name)
  }
  // Methods of every other model that are its own, and say that they read.
  for (const { name, methods } of nodes.database.registry.models.values())
    for (const method of methods.values())
      if (method.readonly && !method.private && method.module !== 'core' && !method.name.startsWith('_'))
        await call(`${name}/${method.name}`, method.level === 'model' ? {} : { ids: [1] })
  assert.deepEqual(await wholeOf(nodes), before)
  // Of all models: what does not say that it reads is not opened, and what does runs where PostgreSQL takes
  // no writes.
  const scope = parseScope('rpc read')
  assert.ok(scope)
  for (const { name, methods } of nodes.database.registry.models.values())
    for (const method of methods.values())
      assert.equal(missingFor(scope, name, method) === null, method.readonly, `${name}/${method.name}`)
})

test('scopes: companies of a key are the only ones of its user', async () => {
  const company = await nodes.call('res.company/create', { vals_list: [{ name: 'Second' }] })
  const [second] = company.body as number[]
  assert.equal(
    (await nodes.call('res.users/write', { ids: [2], vals: { company_ids: [[4, second]] } })).status,
    200,
  )
  await restrict(`rpc company:${second}`)
  const seen = async (by: string) =>
    ((await call('res.company/search', { domain: [] }, by)).body as number[]).length
  assert.equal(await seen(plain), 2)
  const options = { fields: ['name'], context: { allowed_company_ids: [1] } }
  assert.equal((await call('res.partner/search_read', options, plain)).status, 200)
  assert.equal((await call('res.partner/search_read', options)).status, 403)
  assert.equal(
    (
      await call('res.partner/search_read', {
        fields: ['name'],
        limit: 1,
        context: { allowed_company_ids: [second] },
      })
    ).status,
    200,
  )
  await restrict('rpc company:987654')
  assert.equal((await call('res.users/context_get')).status, 401)
})

test('scopes: from another address a key gets the same answer as a wrong one; the audit log shows it', async () => {
  await restrict('rpc', '127.0.0.0/8')
  assert.equal((await call('res.users/context_get')).status, 200)
  await restrict('rpc', '192.0.2.0/24 2001:db8::/32')
  const [outside, wrong] = [
    await call('res.users/context_get'),
    await call('res.users/context_get', {}, '0'.repeat(40)),
  ]
  assert.deepEqual([outside.status, outside.text], [wrong.status, wrong.text])
  const named = ({ headers }: typeof wrong) =>
    [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name))
  assert.deepEqual(named(outside), named(wrong))
  const rpc = await wires.jsonrpc?.(key, 'res.users', 'context_get', {})
  assert.deepEqual([rpc?.ok, rpc?.answer], [false, 'Access Denied'])
  const [entry] = await rows(
    sql`SELECT address, res_id FROM comptoir_audit WHERE event = 'key.address' LIMIT 1`,
  )
  assert.deepEqual(entry, ['127.0.0.1', id])
  await restrict('rpc', '')
  assert.equal((await call('res.users/context_get')).status, 200, 'who is let in again need not wait')
})

test('scopes: users narrow their own keys; only administrators widen them, and never by a narrow key', async () => {
  await createUser(nodes.databases, 'test', {
    login: 'ann',
    name: 'Ann',
    password: 'a long one',
    roles: ['user'],
  })
  const annsKey = await createKey(nodes.databases, 'test', 'ann', { scope: 'rpc', name: 'own', days: 1 })
  const ownId = (await listKeys(nodes.databases, 'test', 'ann'))[0]?.id
  const change = async (values: Values, by: string, of = ownId) =>
    (await call('res.users.apikeys/restrict', { ids: [of], ...values }, by)).status
  assert.equal(await change({ scope: 'rpc read' }, annsKey, id), 403, 'a key of somebody else')
  assert.equal(
    await change(
      { scope: 'rpc model:res.*:rw model:res.users.apikeys:rw', addresses: '127.0.0.0/8' },
      annsKey,
    ),
    200,
  )
  assert.equal(await change({ scope: 'rpc' }, annsKey), 403)
  assert.equal(await change({ addresses: '' }, annsKey), 403)
  assert.equal(
    await change({ addresses: '127.0.0.1/32', scope: 'rpc model:res.users.apikeys:rw' }, annsKey),
    200,
  )
  assert.equal(await change({ scope: 'rpc nonsense' }, plain), 422)
  assert.equal(await change({ addresses: '10.0.0.0/99' }, plain), 422)
  assert.equal(
    await change({ addresses: '10.0.0.0/8 '.repeat(1000) }, plain),
    422,
    'the same one again and again',
  )
  assert.equal(await change({ scope: `rpc${' company:1'.repeat(1000)}` }, plain), 422)
  assert.equal(await change({ rate: `${'9'.repeat(1000)}/1s` }, plain), 422)
  assert.equal(await change({ scope: 'rpc', addresses: '' }, plain), 200)
  await restrict('rpc model:res.users.apikeys:rw')
  assert.equal(
    await change({ scope: 'rpc' }, key, id),
    403,
    'a narrow key of an administrator does not widen itself',
  )
  const generated = (scope: string) =>
    call('res.users.apikeys/generate', {
      key,
      scope,
      name: 'more',
      expiration_date: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10),
    })
  assert.equal((await generated('rpc')).status, 403)
  assert.equal((await generated('rpc model:res.users.apikeys:rw')).status, 200)
})

test('key policies: created, narrowed and widened by users who may do so with the key', async () => {
  await createUser(nodes.databases, 'test', {
    ...{ login: 'bea', name: 'Bea', password: 'a long one', roles: ['user'] },
  })
  const beasKey = await createKey(nodes.databases, 'test', 'bea', { scope: 'rpc', name: 'own', days: 1 })
  const key_id = (await listKeys(nodes.databases, 'test', 'bea'))[0]?.id
  const does = (method: string, body: Values, by = beasKey) => call(`comptoir.key.policy/${method}`, body, by)
  const status = async (...parameters: Parameters<typeof does>) => (await does(...parameters)).status
  const create = (vals: Values, by = beasKey) => status('create', { vals_list: [vals] }, by)
  assert.equal(await create({ key_id: id, addresses: '10.0.0.0/8' }), 403, 'a key of somebody else')
  assert.equal(await create({ key_id, addresses: '10.0.0.0/99' }), 422)
  assert.equal(await create({ key_id, speed: 1 }), 422)
  assert.equal(await create({ key_id, rate: 'fast' }), 422)
  const creation = await does('create', {
    vals_list: [{ key_id, addresses: '127.0.0.0/8', rate: '600/60s' }],
  })
  assert.equal(creation.status, 200)
  const ids = creation.body
  assert.equal(await create({ key_id, concurrency: 1 }, plain), 422, 'it has one already')
  const fields = ['addresses', 'rate', 'concurrency']
  const now = async () => (await does('read', { ids, fields })).body
  const [policy] = ids as [number]
  const policyRow = { id: policy, addresses: '127.0.0.0/8', rate: '600/60s', concurrency: 4 }
  assert.equal(await status('write', { ids, vals: { concurrency: 4 } }), 200)
  assert.deepEqual(await now(), [policyRow])
  assert.equal(await status('write', { ids, vals: { concurrency: 5 } }), 403)
  assert.equal(await status('write', { ids, vals: { addresses: false } }), 403)
  assert.equal(await status('write', { ids, vals: { key_id: id } }), 403)
  assert.equal(await status('unlink', { ids }), 403)
  assert.deepEqual(await now(), [policyRow])
  await restrict('rpc model:comptoir.key.policy:r')
  assert.equal(await create({ key_id: id, concurrency: 1 }, key), 403, 'a narrow key makes what it opens')
  assert.equal(await status('write', { ids: [policy + 99], vals: { concurrency: 1 } }, plain), 404)
  assert.equal(await status('write', { ids, vals: { concurrency: 9, rate: false } }, plain), 200)
  assert.deepEqual(await now(), [{ ...policyRow, concurrency: 9, rate: false }])
  assert.equal(await status('unlink', { ids }, plain), 200)
  assert.deepEqual((await does('search_read', { domain: [] })).body, [])
  const [audit] = await rows(
    sql`SELECT count(*)::int FROM comptoir_audit WHERE event = 'key.restrict' AND res_id = ${key_id}::int`,
  )
  assert.deepEqual(audit, [4])
})

test('scopes: if they are switched off, a narrow key allows nothing', async () => {
  await restrict('rpc read')
  const { Callers } = await import('../../src/access/index.ts')
  const { pool, registry } = nodes.database
  assert.equal((await new Callers({ pool, registry }).byKey(key)).profile.login, 'admin')
  await assert.rejects(
    async () => new Callers({ pool, registry, narrowsKeys: false }).byKey(key),
    /Invalid apikey/,
  )
})
