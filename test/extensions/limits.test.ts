// Rate limits on two nodes: header fields, rejected calls, and no statement for callers without a
// limit.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Rates } from '../../src/access/index.ts'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { type KeyChanges, listKeys, restrictKey } from '../../src/services/keys.ts'
import { sql } from '../../src/sql/index.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { until } from '../support/receiver.ts'
import { statementsOf } from '../support/statements.ts'

let nodes: Nodes
before(async () => {
  nodes = await openNodes({ count: 2, known: modules.filter(({ name }) => name === 'base') })
})
after(() => nodes?.close())

/** A separate key for each test, whose quota other tests do not use. */
async function keyed(changes: KeyChanges) {
  const name = crypto.randomUUID()
  const key = await createKey(nodes.databases, 'test', 'admin', { scope: 'rpc', name, days: 1 })
  const id = (await listKeys(nodes.databases, 'test', 'admin')).find((key) => key.name === name)?.id ?? 0
  const restrict = (to: KeyChanges) => restrictKey(nodes.databases, 'test', id, to)
  await restrict(changes)
  const headers = { authorization: `bearer ${key}` }
  const call = (node = 0, method = 'res.users/context_get', body: unknown = {}) =>
    nodes.call(method, body, headers, node)
  return { key, id, headers, call, restrict }
}

/** Both nodes have been called, and know of each other. */
async function acquainted(call: (node: number) => Promise<unknown>) {
  await Promise.all([call(0), call(1)])
  for (const { databases } of nodes.servers)
    while ((await databases.nodes.of(await databases.database('test'))) < 2) await sleep(5)
}

/** An item of a structured list with its parameters, as RFC 9651 writes them. */
function itemsIn(field: string | null): Record<string, Record<string, string | number>> {
  const items = (field ?? '').split(', ').map((text) => {
    const [, name = '', rest = ''] = /^"([a-z]+)"((?:;[a-z]+=(?:\d+|"[a-z-]+"))*)$/.exec(text) ?? []
    assert.ok(name, `${text} is an item with parameters`)
    const pairs = rest.split(';').filter(Boolean)
    return [
      name,
      Object.fromEntries(pairs.map((pair) => [pair.split('=')[0], JSON.parse(pair.split('=')[1] as string)])),
    ]
  })
  return Object.fromEntries(items)
}

test('rate limits: a rate over two nodes stays within its quota; headers report what is left, 429 when to retry', async () => {
  const { call } = await keyed({ rate: '10/60s' })
  const answers = []
  for (let n = 0; n < 16; n++) answers.push(await call(n % 2))
  const good = answers.filter(({ status }) => status === 200)
  assert.ok(good.length <= 10 && good.length >= 8, `${good.length} of 16`)
  assert.ok(answers.every(({ status }) => status === 200 || status === 429))
  const [first] = answers
  assert.deepEqual(itemsIn(first?.headers.get('ratelimit-policy') ?? null), { key: { q: 10, w: 60 } })
  const left = itemsIn(first?.headers.get('ratelimit') ?? null)
  assert.ok(Number(left.key?.r) <= 9 && Number(left.key?.t) <= 60 && Number(left.key?.t) > 0)
  const refused = answers.find(({ status }) => status === 429)
  assert.ok(refused)
  const { name, context } = refused.body as { name: string; context: object }
  assert.equal(name, 'werkzeug.exceptions.TooManyRequests')
  assert.deepEqual(context, { 'violated-policies': ['key'] })
  assert.equal(refused.headers.get('error-code'), 'rate_exceeded')
  const items = itemsIn(refused.headers.get('ratelimit') ?? null).key
  assert.ok(Number(refused.headers.get('retry-after')) >= Number(items?.t))
})

test('limits: of a hundred calls at once, as many run as allowed', async () => {
  const { call } = await keyed({ concurrency: 8 })
  await acquainted(call)
  // A lock on the company's row keeps the admitted calls running.
  const release = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const holding = nodes.run(async ({ unit }) => {
    await unit.query(sql`SELECT FROM res_company WHERE id = 1 FOR UPDATE`)
    held.resolve()
    await release.promise
  })
  await held.promise
  let [refused, others] = [0, 0]
  const all = Array.from({ length: 100 }, () =>
    call(0, 'res.company/write', { ids: [1], vals: { color: 3 } }).then((answer) => {
      if (answer.status === 429) {
        refused++
        assert.equal(answer.headers.get('error-code'), 'too_many_at_once')
        assert.match(
          answer.headers.get('ratelimit-policy') ?? '',
          /"concurrent";q=8;qu="concurrent-requests"/,
        )
      } else others++
      if (refused === 96) release.resolve()
    }),
  )
  await Promise.all([...all, holding])
  assert.deepEqual([refused, others], [96, 4], 'two nodes have half of it each')
})

test('limits: of a hundred calls over two nodes never more than four run, and none is lost', async () => {
  const { call } = await keyed({ concurrency: 4 })
  await acquainted(call)
  const name = `Sent ${crypto.randomUUID()}`
  const running = () =>
    nodes.run(async ({ unit }) => {
      const [row] = await unit.query(
        sql`SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND classid = 23 AND objid = 5`,
      )
      return row?.[0] as number
    })
  // Each running call waits for this lock after its insert.
  await nodes.run(async ({ unit }) => {
    await unit.query(sql`CREATE FUNCTION wait_for_test() RETURNS trigger LANGUAGE plpgsql AS
      $$BEGIN PERFORM pg_advisory_xact_lock_shared(23, 5); RETURN NEW; END$$`)
    await unit.query(sql`CREATE TRIGGER wait_for_test AFTER INSERT ON res_partner_category
      FOR EACH ROW EXECUTE FUNCTION wait_for_test()`)
  })
  const release = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const holding = nodes.run(async ({ unit }) => {
    await unit.query(sql`SELECT pg_advisory_xact_lock(23, 5)`)
    held.resolve()
    await release.promise
  })
  await held.promise
  const came: number[] = []
  const all = Array.from({ length: 100 }, async (_, n) => {
    const answer = await call(n % 2, 'res.partner.category/create', {
      vals_list: [{ name: `${name} ${n}` }],
    })
    came.push(answer.status)
    if (answer.status === 429) {
      assert.equal(answer.headers.get('error-code'), 'too_many_at_once')
      assert.ok(Number(answer.headers.get('retry-after')) >= 1)
    }
    return { n, status: answer.status }
  })
  try {
    await until(() => came.length === 96, 'those beyond are refused while the others run')
    // The one who holds it, and those who wait: the last may be on its way still.
    await until(async () => (await running()) >= 1 + 4, 'four run')
    assert.equal(await running(), 1 + 4)
  } finally {
    release.resolve()
    await Promise.allSettled([...all, holding])
  }
  const answers = await Promise.all([...all, holding.then(() => null)])
  const good = answers.flatMap((answer) => (answer?.status === 200 ? [`${name} ${answer.n}`] : []))
  assert.deepEqual([good.length, came.filter((status) => status === 429).length], [4, 96])
  const categories = () =>
    nodes.call('res.partner.category/search_read', { domain: [['name', 'like', name]], fields: ['name'] })
  const names = async () =>
    ((await categories()).body as { name: string }[]).map((category) => category.name).sort()
  assert.deepEqual(await names(), good.sort(), 'what was refused left nothing, what was answered is there')
  // Retries that follow Retry-After are admitted: all records exist, each once.
  const left = answers.flatMap((answer) => (answer && answer.status !== 200 ? [answer.n] : []))
  const again = async (node: number) => {
    for (let n = left.pop(); n !== undefined; n = left.pop()) {
      const vals_list = [{ name: `${name} ${n}` }]
      for (let status = 429; status === 429; )
        ({ status } = await call(node, 'res.partner.category/create', { vals_list }))
    }
  }
  await Promise.all([again(0), again(0), again(0), again(1), again(1), again(1)])
  assert.deepEqual(await names(), Array.from({ length: 100 }, (_, n) => `${name} ${n}`).sort())
})

test('limits: are checked after the key and before the body; a batch counts as its calls', async () => {
  const { call, headers } = await keyed({ rate: '12/60s' })
  const batch = (count: number) =>
    nodes.post(
      '/x/1/batch',
      {
        calls: Array.from({ length: count }, () => ({ model: 'res.users', method: 'context_get' })),
      },
      headers,
    )
  await acquainted(call)
  assert.equal((await batch(2)).status, 200)
  const whole = await batch(50)
  assert.deepEqual([whole.status, whole.headers.get('error-code')], [429, 'rate_exceeded'])
  assert.equal((await call(0)).status, 200, 'what was refused as a whole left the rest')
  for (let n = 0; n < 6; n++) await call(0)
  assert.equal((await nodes.post('/json/2/res.users/context_get', '{"broken', headers)).status, 429)
  const wrong = { authorization: `bearer ${'0'.repeat(40)}` }
  assert.equal((await nodes.post('/json/2/res.users/context_get', '{}', wrong)).status, 401)
})

test('limits: apply to images, exports and streams; a stream is a call while it is open', async () => {
  const get = (path: string, headers: Record<string, string>, signal?: AbortSignal) =>
    fetch(`${nodes.servers[0]?.url}${path}`, {
      headers: { 'x-service-database': 'test', ...headers },
      ...(signal ? { signal } : {}),
    })
  const image = '/web/image/res.partner/1/image_128'
  const paths = [image, '/web/content/res.partner/1/image_128', '/x/1/export?model=res.country&fields=code']
  const narrow = await keyed({ rate: '8/1h' })
  await acquainted(narrow.call)
  for (let status = 200; status !== 429; ) ({ status } = await narrow.call())
  for (const path of paths) {
    const refused = await get(path, narrow.headers)
    assert.deepEqual([refused.status, refused.headers.get('error-code')], [429, 'rate_exceeded'], path)
    assert.ok(Number(refused.headers.get('retry-after')) > 0 && refused.headers.get('ratelimit'), path)
    assert.equal(refused.headers.get('etag'), null, 'nobody takes it for the image')
  }
  const { call, headers } = await keyed({ concurrency: 2 })
  await acquainted(call)
  const open = new AbortController()
  const changes = '/x/1/changes?models=res.country&from=now'
  const stream = await get(changes, { ...headers, accept: 'text/event-stream' }, open.signal)
  assert.equal(stream.status, 200)
  for (const path of [...paths, changes]) {
    const refused = await get(path, headers)
    assert.deepEqual([refused.status, refused.headers.get('error-code')], [429, 'too_many_at_once'], path)
  }
  open.abort()
  let status = 429
  while (status === 429) ({ status } = await get(paths[2] as string, headers))
  assert.equal(status, 200)
})

test('limits: a policy applies from the next call on every node, and to keys that the key creates', async () => {
  const { call, key, restrict, headers } = await keyed({ rate: '1/1h' })
  await call(1)
  assert.equal((await call(1)).status, 429)
  const twinKey = await nodes.call('res.users.apikeys/generate', {
    key,
    scope: 'rpc',
    name: 'twin',
    expiration_date: new Date(Date.now() + 86_400_000).toISOString().slice(0, 10),
  })
  const twin = { authorization: `bearer ${twinKey.body}` }
  assert.equal((await nodes.call('res.users/context_get', {}, twin)).status, 200)
  assert.equal((await nodes.call('res.users/context_get', {}, twin)).status, 429)
  await restrict({ rate: null, idempotency_required: true })
  let status = 429
  while (status === 429) ({ status } = await call(1))
  assert.equal(status, 200)
  const created = await nodes.call('res.partner/create', { vals_list: [{ name: 'x' }] }, headers)
  assert.deepEqual([created.status, created.headers.get('error-code')], [400, 'idempotency_key_required'])
  await assert.rejects(restrict({ rate: 'fast' }), /rate must be calls in a time/)
})

test('rate limits: without limits, no headers and no statements are sent', async () => {
  const server = nodes.servers[0]
  assert.ok(server)
  server.databases.rates = new Rates(null)
  const answer = await nodes.call('res.users/context_get', {})
  assert.equal(answer.headers.get('ratelimit-policy'), null)
  const statements = await statementsOf(() => nodes.call('res.users/context_get', {}))
  assert.ok(!statements.some((text) => text.includes('comptoir_node')), statements.join('\n'))
  server.databases.rates = new Rates({ rate: { quota: 1, seconds: 60 }, burst: null, concurrency: null })
  const [first, second] = [
    await nodes.call('res.users/context_get', {}),
    await nodes.call('res.users/context_get', {}),
  ]
  assert.deepEqual([first.status, second.status], [200, 429], 'what holds for all')
})

test('rate limits: used calls return after their window, and a burst after a second', () => {
  let now = 0
  const rates = new Rates(null, undefined, () => now)
  const limits = { rate: { quota: 5, seconds: 60 }, burst: 2, concurrency: null }
  const admit = () => {
    const fields: Record<string, string> = {}
    const answering = {
      header(name: string, value: string) {
        fields[name] = value
      },
      raw: { closed: false, once: () => undefined },
    }
    try {
      rates.admit({ name: 'one', limits, nodes: 1 }, answering)
      return fields.ratelimit
    } catch (error) {
      return (error as { retryAfter?: number }).retryAfter
    }
  }
  assert.equal(admit(), '"key";r=4;t=60, "burst";r=1;t=1')
  assert.equal(admit(), '"key";r=3;t=60, "burst";r=0;t=1')
  assert.equal(admit(), 1)
  now = 1000
  assert.equal(admit(), '"key";r=2;t=59, "burst";r=1;t=1')
  now = 2500
  admit()
  admit()
  assert.equal(admit(), 58)
  now = 60_000
  assert.equal(admit(), '"key";r=4;t=60, "burst";r=1;t=1')
})
