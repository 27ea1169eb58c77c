// The change feed: every committed change once, in order, for callers with the right to see it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Databases } from '../../src/databases/index.ts'
import { modules } from '../../src/main.ts'
import { noteTime } from '../../src/models/unit/large.ts'
import { createKey } from '../../src/services/admin.ts'
import { horizonStatement } from '../../src/services/changes/horizon.ts'
import { sql } from '../../src/sql/index.ts'
import { brief, type Change, type Feed, feedOf } from '../support/feed.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { until } from '../support/receiver.ts'
import { recordStatements } from '../support/statements.ts'

let nodes: Nodes
let feed: Feed
before(async () => {
  nodes = await openNodes({
    count: 2,
    known: modules.filter(({ name }) => ['base', 'mail', 'uom', 'product'].includes(name)),
  })
  feed = feedOf(nodes)
})
after(() => nodes?.close())

const ask: Feed['ask'] = (...parameters) => feed.ask(...parameters)
const drain: Feed['drain'] = (...parameters) => feed.drain(...parameters)
const now: Feed['now'] = (...parameters) => feed.now(...parameters)
const partners = { models: { 'res.partner': { fields: ['name', 'email'] } } }
const create = async (vals: object) =>
  ((await nodes.call('res.partner/create', { vals_list: [vals] })).body as [number])[0]

test('change feed: a snapshot, then later changes by the same cursor, removals included', async () => {
  const [a, b] = [await create({ name: 'A' }), await create({ name: 'B' })]
  const { changes, cursor } = await drain({ ...partners, limit: 2 })
  const rows = (
    await nodes.call('res.partner/search_read', { domain: [], fields: ['name', 'email'], order: 'id' })
  ).body
  assert.deepEqual(
    changes.map(({ values }) => values),
    rows,
  )
  await nodes.call('res.partner/write', { ids: [a], vals: { email: 'a@x' } })
  await nodes.call('res.partner/write', { ids: [a], vals: { comment: 'nobody asked' } })
  await nodes.call('res.partner/unlink', { ids: [b] })
  const c = await create({ name: 'C' })
  const next = await drain(partners, cursor)
  assert.deepEqual(brief(next.changes), [`upsert ${a}`, `remove ${b}`, `upsert ${c}`])
  assert.deepEqual(
    [next.changes[0]?.fields, next.changes[0]?.values],
    [['email'], { id: a, name: 'A', email: 'a@x' }],
  )
  assert.ok(next.changes.every(({ seq }, n) => n === 0 || Number(seq) > Number(next.changes[n - 1]?.seq)))
  assert.deepEqual((await drain(partners, next.cursor)).changes, [])
})

test('change feed: changes of failed calls, batches and dry runs are not reported', async () => {
  const raw = { ...partners, compact: false }
  const cursor = await now(raw)
  const calls = [
    { model: 'res.partner', method: 'create', body: { vals_list: [{ name: 'x' }] } },
    { model: 'res.partner', method: 'write', body: { ids: [1], vals: { parent_id: 99999999 } } },
  ]
  await nodes.post('/x/1/batch', { calls })
  await nodes.call('res.partner/create', { vals_list: [{ name: 'x' }] }, { prefer: 'tx=rollback' })
  const id = { $ref: '/made' }
  await nodes.post('/x/1/batch', {
    calls: [
      { id: 'made', ...calls[0] },
      { model: 'res.partner', method: 'unlink', body: { ids: id } },
    ],
  })
  assert.deepEqual((await drain(raw, cursor)).changes, [])
})

test('change feed: a record that leaves the domain is reported as removed, one that enters it as changed', async () => {
  const question = { models: { 'res.partner': { fields: ['name'], domain: [['is_company', '=', true]] } } }
  const id = await create({ name: 'Moves', is_company: true })
  const cursor = await now(question)
  await nodes.call('res.partner/write', { ids: [id], vals: { is_company: false } })
  const left = await drain(question, cursor)
  assert.deepEqual(brief(left.changes), [`remove ${id}`])
  await nodes.call('res.partner/write', { ids: [id], vals: { is_company: true } })
  const entered = await drain(question, left.cursor)
  assert.deepEqual(brief(entered.changes), [`upsert ${id}`])
  await nodes.call('res.partner/write', { ids: [id], vals: { active: false } })
  assert.deepEqual(brief((await drain(question, entered.cursor)).changes), [`remove ${id}`])
})

test('change feed: a record leaves a domain of fields without a column by changes of their dependencies', async () => {
  const country = async (code: string) =>
    ((await nodes.call('res.country/search', { domain: [['code', '=', code]] })).body as [number])[0]
  const cases: [model: string, domain: unknown[], make: object, change: object][] = [
    [
      'res.partner',
      [['country_code', '=', 'BE']],
      { country_id: await country('BE') },
      { country_id: await country('FR') },
    ],
    ['res.partner', [['display_name', 'ilike', 'left@x']], { email: 'left@x' }, { email: 'gone@x' }],
    [
      'res.users',
      [['country_code', '=', 'BE']],
      { country_id: await country('BE') },
      { country_id: await country('FR') },
    ],
  ]
  for (const [model, domain, vals, change] of cases) {
    const values = { name: 'Leaves', ...(model === 'res.users' ? { login: 'leaves' } : {}), ...vals }
    const [id] = (await nodes.call(`${model}/create`, { vals_list: [values] })).body as [number]
    const question = { models: { [model]: { fields: ['function'], domain } } }
    const cursor = await now(question)
    await nodes.call(`${model}/write`, { ids: [id], vals: change })
    assert.deepEqual(brief((await drain(question, cursor)).changes), [`remove ${id}`], JSON.stringify(domain))
  }
  const tree = async (vals: object) =>
    (
      (await nodes.call('product.category/create', { vals_list: [{ name: 'Tree', ...vals }] })).body as [
        number,
      ]
    )[0]
  const top = await tree({})
  const below = await tree({ parent_id: top })
  const question = { models: { 'product.category': { fields: ['name'], domain: [['id', 'child_of', top]] } } }
  const cursor = await now(question)
  await nodes.call('product.category/write', { ids: [below], vals: { parent_id: false } })
  assert.deepEqual(brief((await drain(question, cursor)).changes), [`remove ${below}`])
})

test('change feed: a computed value of a delegated record is reported when its dependencies change', async () => {
  const question = { models: { 'res.users': { fields: ['country_code'] } } }
  const [id] = (await nodes.call('res.users/create', { vals_list: [{ name: 'Moves', login: 'moves' }] }))
    .body as [number]
  const [country] = (await nodes.call('res.country/search', { domain: [['code', '=', 'BE']] })).body as [
    number,
  ]
  const [user] = (await nodes.call('res.users/read', { ids: [id], fields: ['partner_id'] })).body as [
    { partner_id: [number, string] },
  ]
  const cursor = await now(question)
  await nodes.call('res.partner/write', { ids: [user.partner_id[0]], vals: { country_id: country } })
  const { changes } = await drain(question, cursor)
  assert.deepEqual(
    changes.map(({ values }) => values),
    [{ id, country_code: 'BE' }],
  )
  // It is named among what changed, as fields are whose values are kept; what else changed is not.
  assert.deepEqual(
    changes.map(({ fields }) => fields),
    [['country_code']],
  )
  const prices = { models: { 'product.product': { fields: ['name', 'lst_price'] } } }
  const [product] = (await nodes.call('product.product/create', { vals_list: [{ name: 'Priced' }] }))
    .body as [number]
  for (const [vals, fields] of [
    [{ lst_price: 9.5 }, ['lst_price']],
    [{ name: 'Named', lst_price: 8 }, ['lst_price', 'name']],
    [{ name: 'Renamed' }, ['name']],
  ] as const) {
    for (const more of [{}, { compact: false }]) {
      const question = { ...prices, ...more }
      const at = await now(question)
      await nodes.call('product.product/write', { ids: [product], vals })
      const changedFields = (await drain(question, at)).changes.flatMap((change) => change.fields ?? [])
      assert.deepEqual([...new Set(changedFields)].sort(), fields)
    }
  }
})

test('change feed: reports cascades and cleared fields; a delegated record changes the records that inherit its fields', async () => {
  const parent = await create({ name: 'Parent' })
  const bank = (
    (await nodes.call('res.partner.bank/create', { vals_list: [{ acc_number: '123', partner_id: parent }] }))
      .body as [number]
  )[0]
  const question = {
    models: {
      'res.partner.bank': { fields: ['acc_number'] },
      'product.product': { fields: ['name', 'lst_price'] },
    },
  }
  const product = (
    (await nodes.call('product.product/create', { vals_list: [{ name: 'Mug', list_price: 2 }] })).body as [
      number,
    ]
  )[0]
  const [row] = (
    await nodes.call('product.product/read', { ids: [product], fields: ['product_tmpl_id'], load: null })
  ).body as {
    product_tmpl_id: number
  }[]
  const cursor = await now(question)
  await nodes.call('res.partner/unlink', { ids: [parent] })
  await nodes.call('product.template/write', { ids: [row?.product_tmpl_id], vals: { name: 'Cup' } })
  const { changes, cursor: next } = await drain(question, cursor)
  assert.deepEqual(brief(changes), [`remove ${bank}`, `upsert ${product}`])
  assert.equal(changes[1]?.values?.name, 'Cup')
  await nodes.call('product.template/unlink', { ids: [row?.product_tmpl_id] })
  assert.deepEqual(brief((await drain(question, next)).changes), [`remove ${product}`])
})

test('change feed: rejects invalid models, fields, cursors and bounds', async () => {
  const refused = async (question: object, status: number, code?: string) => {
    const answer = await nodes.post('/x/1/changes', question)
    assert.equal(answer.status, status, answer.text)
    if (code) assert.equal(answer.headers.get('error-code'), code)
  }
  await refused({ models: { 'no.such': {} } }, 422)
  await refused({ models: { 'ir.attachment': {} } }, 422)
  await refused({ models: { 'res.partner': { fields: ['nothing'] } } }, 422)
  await refused({ models: {} }, 422)
  await refused({ ...partners, limit: 5001 }, 422, 'too_many')
  await refused({ ...partners, wait: 61 }, 422)
  // At once, and not only when something changes.
  for (const path of ['nothing', 'country_id.nothing'])
    await refused(
      { models: { 'res.partner': { domain: [[path, '=', 1]] } }, from: 'now' },
      422,
      'unknown_field',
    )
  for (const query of ['wait=soon', 'wait=', 'compact=no', 'limit=many']) {
    const { status } = await fetch(
      `${nodes.servers[0]?.url}/x/1/changes?models=res.partner&from=now&${query}`,
      {
        headers: { authorization: `bearer ${nodes.key}`, 'x-service-database': 'test' },
      },
    )
    assert.equal(status, query === 'wait=' ? 200 : 422, query)
  }
  const cursor = await now(partners)
  await refused({ models: { 'res.partner': {} }, cursor }, 422, 'cursor_mismatch')
  for (const broken of ['', 'c1.', 'c1.e30', `${cursor}x`, `${cursor}xx`, `${cursor}xxx`, 7, null])
    await refused({ ...partners, cursor: broken }, 422)
  const parts = JSON.parse(Buffer.from(cursor.slice(3), 'base64url').toString())
  parts[4] = 1e9
  const ahead = await nodes.post('/x/1/changes', {
    ...partners,
    cursor: `c1.${Buffer.from(JSON.stringify(parts)).toString('base64url')}`,
  })
  assert.deepEqual([ahead.status, (ahead.body as { context: object }).context], [410, { reason: 'ahead' }])
  assert.equal((await nodes.post('/x/1/changes', partners, { authorization: 'bearer 00' })).status, 401)
})

test('change feed: an expired cursor, and that of another feed, are 410 with the reason', async () => {
  const cursor = await now(partners)
  await create({ name: 'Old' })
  await nodes.run(({ unit }) => unit.query(sql`UPDATE comptoir_change SET at = at - interval '15 days'`))
  await nodes.run((env) => env.model('ir.autovacuum').run_vacuum_cleaner({}))
  const expired = await nodes.post('/x/1/changes', { ...partners, cursor })
  assert.deepEqual(
    [expired.status, (expired.body as { context: object }).context],
    [410, { reason: 'expired' }],
  )
  // Rows over the maximum number are removed as well, the oldest first.
  await nodes.run(async (env) => {
    await env.model('ir.config_parameter').set_param({ key: 'comptoir.changes_rows', value: '1000' })
    await env.query(sql`INSERT INTO comptoir_change (seq, n, tx, at, model, op, ids, fields)
      SELECT nextval('comptoir_feed_seq'), 0, 0, now(), 'res.partner', 'u', '{}', '{}' FROM generate_series(1, 1500)`)
    await env.query(sql`ANALYZE comptoir_change`)
    await env.model('ir.autovacuum').run_vacuum_cleaner({})
    const [row] = await env.query(
      sql`SELECT count(*)::int, min(seq) > (SELECT floor FROM comptoir_feed) FROM comptoir_change`,
    )
    assert.ok((row?.[0] as number) <= 1001, `${row?.[0]} are left`)
    assert.equal(row?.[1], true)
  })
  const later = await now(partners)
  await nodes.databases.duplicate('test', 'copy')
  const copied = await nodes.post(
    '/x/1/changes',
    { ...partners, cursor: later },
    { 'x-service-database': 'copy' },
  )
  assert.deepEqual([copied.status, (copied.body as { context: object }).context], [410, { reason: 'feed' }])
  await nodes.databases.drop('copy')
})

test('change feed: a commit on any node ends a wait', async () => {
  const cursor = await now(partners)
  const waiting = ask({ ...partners, cursor, wait: 20 })
  await sleep(50)
  await nodes.call('res.partner/create', { vals_list: [{ name: 'Awaited' }] }, {}, 1)
  const page = await waiting
  assert.equal(page.changes[0]?.values?.name, 'Awaited')
  assert.deepEqual((await ask({ ...partners, cursor: page.cursor, wait: 0.1 })).changes, [])
})

test('change feed: a write has one more statement and no round trip, a page takes two', async () => {
  const id = await create({ name: 'Counted' })
  const write = () => nodes.call('res.partner/write', { ids: [id], vals: { color: 1 } })
  await write()
  await write()
  const cursor = await now(partners)
  await drain(partners, cursor)
  const recorder = recordStatements()
  // The server has something of its own to send now and then: the least counts.
  const least = async (work: () => Promise<unknown>) => {
    const trips: number[] = []
    for (let run = 0; run < 3; run++) {
      recorder.forget()
      await work()
      trips.push(recorder.trips())
    }
    return Math.min(...trips)
  }
  try {
    assert.equal(await least(write), 1)
    // The last before COMMIT, in its flush.
    const texts = recorder.statements.map(({ text }) => text)
    const announced = texts.findIndex((text) => text.includes('INSERT INTO comptoir_change'))
    assert.ok(announced > 0)
    assert.equal(texts[announced + 1], 'COMMIT')
    // Two round trips, and COMMIT, whose result no code waits for.
    const page = await least(() => ask({ ...partners, cursor }))
    assert.ok(page <= 3, String(page))
    // Nodes also announce themselves from time to time.
    const statements = recorder.statements.filter(({ text }) => !text.includes('pg_notify'))
    assert.equal(statements.at(-1)?.text, 'COMMIT')
    const read = recorder.statements.find(({ text }) => text.includes('FROM comptoir_change '))
    const database = await nodes.databases.database('test')
    await database.system(async ({ unit }) => {
      await unit.query(sql`SET LOCAL enable_sort = off`)
      await unit.query(sql`SET LOCAL enable_seqscan = off`)
      await unit.query(sql`SELECT set_config('comptoir.horizon', '1', true)`)
      const plan = await unit.run({ text: `EXPLAIN ${read?.text}`, values: [...(read?.values ?? [])] })
      // An index limits the read to the changes between cursor and limit.
      assert.doesNotMatch(plan.join('\n'), /Sort/)
    })
  } finally {
    recorder.stop()
  }
})

test('change feed: the horizon is read before the rows on a slow machine', async () => {
  const question = { models: { 'res.partner': { fields: [] } } }
  const cursor = await now(question)
  noteTime(horizonStatement, 10_000)
  const lateId = await create({ name: 'Behind a slow one' })
  assert.deepEqual(
    (await drain(question, cursor)).changes.map(({ id }) => id),
    [lateId],
  )
})

/** Reads a stream until there are as many changes, or it ends. */
async function readStream(path: string, headers: Record<string, string>, wanted: number) {
  const controller = new AbortController()
  const response = await fetch(`${nodes.servers[0]?.url}${path}`, {
    headers: {
      accept: 'text/event-stream',
      authorization: `bearer ${nodes.key}`,
      'x-service-database': 'test',
      ...headers,
    },
    signal: controller.signal,
  })
  assert.equal(response.status, 200)
  const events: { id?: string; event?: string; data?: string }[] = []
  let text = ''
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  while (reader) {
    const { done, value } = await reader.read()
    if (done) break
    text += value
    const blocks = text.split('\n\n')
    text = blocks.pop() as string
    for (const block of blocks)
      events.push(Object.fromEntries(block.split('\n').map((line) => line.split(/: ?(.*)/s).slice(0, 2))))
    if (events.filter(({ event }) => event === 'change').length >= wanted) break
  }
  controller.abort()
  return events
}

test('change feed: a stream reports changes at once, and resumes after an interruption', async () => {
  const cursor = await now({ models: { 'res.partner': { fields: ['name'] } } })
  const path = `/x/1/changes?models=res.partner&fields.res.partner=name`
  const reading = readStream(path, { 'last-event-id': cursor }, 2)
  await sleep(50)
  await create({ name: 'S1' })
  await create({ name: 'S2' })
  const events = (await reading).filter(({ event }) => event === 'change')
  assert.deepEqual(
    events.map(({ data }) => JSON.parse(data as string).values.name),
    ['S1', 'S2'],
  )
  const third = await create({ name: 'S3' })
  const changes = [...events.map(({ data = '' }) => JSON.parse(data) as Change), { id: third }]
  // A stream that is resumed after any change continues with the next one.
  for (const [n, { id = '' }] of [{ id: cursor }, ...events].entries()) {
    const rest = await readStream(path, { 'last-event-id': id }, 3 - n)
    assert.deepEqual(
      rest.flatMap(({ event, data = '' }) => (event === 'change' ? [JSON.parse(data).values.name] : [])),
      ['S1', 'S2', 'S3'].slice(n),
    )
  }
  // One write of several records lies at one position.
  const ids = changes.map(({ id }) => id)
  await nodes.call('res.partner/write', { ids, vals: { name: 'Same' } })
  const last = events.at(-1)?.id as string
  const changeEvents = (await readStream(path, { 'last-event-id': last }, 3)).filter(
    ({ event }) => event === 'change',
  )
  const rest = await readStream(path, { 'last-event-id': changeEvents[1]?.id as string }, 1)
  assert.deepEqual(JSON.parse(rest.at(-1)?.data as string).id, JSON.parse(changeEvents[2]?.data as string).id)
  const wrong = JSON.parse(Buffer.from(cursor.slice(3), 'base64url').toString())
  wrong[0] = '00000000-0000-0000-0000-000000000000'
  const resync = await readStream(
    path,
    { 'last-event-id': `c1.${Buffer.from(JSON.stringify(wrong)).toString('base64url')}` },
    1,
  )
  assert.equal(resync.at(-1)?.event, 'resync')
})

test('change feed: HEAD returns the headers of a stream, and no stream', async () => {
  const url = `${nodes.servers[0]?.url}/x/1/changes?models=res.partner`
  const headers = {
    accept: 'text/event-stream',
    authorization: `bearer ${nodes.key}`,
    'x-service-database': 'test',
  }
  // More than a key may have at a time.
  for (let n = 0; n < 12; n++) {
    const { status, headers: answerHeaders } = await fetch(url, { method: 'HEAD', headers })
    assert.deepEqual([status, answerHeaders.get('content-type')], [200, 'text/event-stream; charset=utf-8'])
  }
  const { body } = await fetch(url, { headers })
  await body?.cancel()
})

test('change feed: streams of one reader share their reads, and end with their key', async () => {
  const key = await createKey(nodes.databases, 'test', 'admin', { scope: null, name: 'followed', days: 1 })
  const cursor = await now(partners)
  const path = `/x/1/changes?models=res.partner&fields.res.partner=name,email`
  const open = () => readStream(path, { 'last-event-id': cursor, authorization: `bearer ${key}` }, 2)
  const recorder = recordStatements()
  const reads = () => recorder.statements.filter(({ text }) => text.includes('FROM comptoir_change ')).length
  const reading = [open(), open(), open()]
  try {
    await until(() => reads() >= 3, 'each has read its first page')
    const before = reads()
    await create({ name: 'Shared' })
    await until(() => recorder.statements.some(({ text }) => text.includes('json_agg')), 'values are read')
    await sleep(50)
    assert.ok(reads() < before + 3, `${before} ${reads()}`)
  } finally {
    recorder.stop()
  }
  const database = await nodes.databases.database('test')
  await database.system(({ unit }) => unit.query(sql`DELETE FROM res_users_apikeys WHERE name = 'followed'`))
  await create({ name: 'Never heard' })
  for (const events of await Promise.all(reading)) {
    assert.deepEqual(
      events.flatMap(({ event, data = '' }) => (event === 'change' ? JSON.parse(data).values.name : [])),
      ['Shared'],
    )
    assert.equal(events.at(-1)?.event, 'error')
    assert.equal(JSON.parse(events.at(-1)?.data ?? '').status, 401)
  }
})

test('change feed: needs a key with the scope; a page of the server needs none, one of another site is rejected', async () => {
  const narrow = await createKey(nodes.databases, 'test', 'admin', { scope: 'rpc batch', name: 'n', days: 1 })
  const refused = await nodes.post('/x/1/changes', partners, { authorization: `bearer ${narrow}` })
  assert.deepEqual([refused.status, refused.headers.get('error-code')], [403, 'scope_missing'])
  const base = nodes.servers[0]?.url
  await nodes.call('res.users/write', { ids: [2], vals: { password: 'admin' } })
  const login = await fetch(`${base}/web/session/authenticate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ params: { db: 'test', login: 'admin', password: 'admin' } }),
  })
  const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
  const get = (headers: Record<string, string>) =>
    fetch(`${base}/x/1/changes?models=res.partner&from=now`, { headers })
  assert.equal((await get({ cookie })).status, 200)
  assert.equal((await get({ cookie, 'sec-fetch-site': 'cross-site' })).status, 403)
  assert.equal((await get({})).status, 401)
})

test('change feed: nothing is written while it is off, and it has a new identity when it is on again', async () => {
  const cursor = await now(partners)
  const { host, port, user, password } = nodes.databases.address
  const open = (extensions: ReadonlySet<never>) =>
    Databases.open({
      dataDir: nodes.databases.options.dataDir,
      databaseUrl: `postgres://${user}:${password}@${host}:${port}/postgres`,
      modules: nodes.databases.options.modules,
      extensions,
    })
  const without = await open(new Set())
  const recorder = recordStatements()
  try {
    const database = await without.database('test')
    recorder.forget()
    await database.system((env) => env.model('res.partner').create([{ name: 'Untold' }]))
    assert.ok(recorder.statements.some(({ text }) => text.startsWith('INSERT INTO "res_partner"')))
    assert.deepEqual(
      recorder.statements.filter(({ text }) => text.includes('comptoir_')),
      [],
    )
  } finally {
    recorder.stop()
    await without.close()
  }
  const gone = await nodes.post('/x/1/changes', { ...partners, cursor })
  assert.deepEqual([gone.status, (gone.body as { context: object }).context], [410, { reason: 'feed' }])
})
