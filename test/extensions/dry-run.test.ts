// Dry runs: the answer of the real call, or its refusal, and nothing stays.
import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { filesDirectory } from '../../src/databases/filestore.ts'
import { modules } from '../../src/main.ts'
import { createKey } from '../../src/services/admin.ts'
import { raw } from '../../src/sql/index.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'

let nodes: Nodes
before(async () => {
  nodes = await openNodes({ known: modules })
})
after(() => nodes?.close())

const dry = { prefer: 'tx=rollback' }

/** A digest of every row of every table. */
async function dump(): Promise<string> {
  const tables = await nodes.run(({ unit }) =>
    unit.query(
      raw(
        `SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname NOT IN ('comptoir_key_use') ORDER BY 1`,
      ),
    ),
  )
  const parts = tables.map(
    ([name]) => `(SELECT md5(COALESCE(string_agg(t::text, E'\\n' ORDER BY t::text), '')) FROM "${name}" t)`,
  )
  const [row] = await nodes.run(({ unit }) => unit.query(raw(`SELECT ARRAY[${parts.join()}]`)))
  const [digests] = row as [string[]]
  return JSON.stringify(tables.map(([name], n) => [name, digests[n]]))
}

test('dry run: returns the normal answer, and leaves no rows, files, keys and audit entries', async () => {
  const before = await dump()
  const directory = filesDirectory(nodes.servers[0]?.databases.options.dataDir ?? '', nodes.database.name)
  const files = () => (existsSync(directory) ? readdirSync(directory, { recursive: true }).length : 0)
  const kept = files()
  const vals = {
    name: 'Rehearsed',
    image_1920: 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
    login: 'rehearsed',
  }
  const creation = await nodes.call(
    'res.users/create',
    { vals_list: [vals] },
    { ...dry, 'idempotency-key': 'dry-1' },
  )
  assert.deepEqual(
    [creation.status, creation.headers.get('preference-applied')],
    [200, 'tx=rollback'],
    creation.text,
  )
  assert.equal((creation.body as number[]).length, 1)
  assert.equal((await nodes.call('res.partner/unlink', { ids: [1] }, dry)).status, 422)
  assert.equal(await dump(), before)
  assert.equal(files(), kept)
  const real = await nodes.call(
    'res.partner/create',
    { vals_list: [{ name: 'Real' }] },
    { 'idempotency-key': 'dry-1' },
  )
  assert.deepEqual(
    [real.status, real.headers.get('idempotent-replayed')],
    [200, null],
    'a rehearsal takes no key',
  )
})

test('dry run: has the error of the real call, also one at its end', async () => {
  const wrong: [string, object][] = [
    ['res.partner/create', { vals_list: [{ name: 'x', parent_id: 999_999 }] }],
    ['res.users/create', { vals_list: [{ name: 'admin', login: 'admin' }] }],
    ['res.partner/write', { ids: [1], vals: { nothing: 1 } }],
    ['res.partner/nothing', {}],
    ['res.currency/unlink', { ids: [1] }],
  ]
  for (const [path, body] of wrong) {
    const rehearsed = await nodes.call(path, body, dry)
    const real = await nodes.call(path, body)
    assert.deepEqual([rehearsed.status, rehearsed.body], [real.status, real.body], path)
    assert.ok(real.status >= 400, path)
  }
})

test('dry run: checks constraints that PostgreSQL defers to COMMIT', async () => {
  await nodes.run(async ({ unit }) => {
    await unit.query(
      raw(
        `CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION USING ERRCODE = ''23514'', MESSAGE = ''too late''; END'`,
      ),
    )
    await unit.query(
      raw(
        `CREATE CONSTRAINT TRIGGER late AFTER UPDATE ON res_partner DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.ref = 'late') EXECUTE FUNCTION late()`,
      ),
    )
  })
  try {
    const late = (headers = {}) =>
      nodes.call('res.partner/write', { ids: [1], vals: { ref: 'late' } }, headers)
    const call = { model: 'res.partner', method: 'write', body: { ids: [1], vals: { ref: 'late' } } }
    const batch = (headers = {}) => nodes.post('/x/1/batch', { calls: [call] }, headers)
    for (const ask of [late, batch]) {
      const [rehearsed, real] = [await ask(dry), await ask()]
      assert.ok(real.status >= 400 && real.status < 500, real.text)
      assert.deepEqual([rehearsed.status, rehearsed.body], [real.status, real.body])
    }
  } finally {
    await nodes.run(({ unit }) => unit.query(raw('DROP FUNCTION late() CASCADE')))
  }
})

test('dry run: answers as the real call, except for new ids', async () => {
  const [kept] = (await nodes.call('res.partner/create', { vals_list: [{ name: 'Kept', color: 3 }] }))
    .body as [number]
  const newest = async () =>
    Number((await nodes.run(({ unit }) => unit.query(raw('SELECT max(id) FROM res_partner'))))[0]?.[0])
  const specification = { name: {}, color: {}, child_ids: { fields: { name: {} } } }
  for (const [path, body] of [
    ['create', { vals_list: [{ name: 'One' }, { name: 'Two' }] }],
    ['name_create', { name: 'Named' }],
    ['copy', { ids: [kept] }],
    ['web_save', { ids: [], vals: { name: 'Saved', child_ids: [[0, 0, { name: 'Part' }]] }, specification }],
    ['web_save', { ids: [kept], vals: { color: 5 }, specification }],
    ['write', { ids: [kept], vals: { name: 'Written' } }],
    ['upsert', { key: [], vals_list: [{ name: 'Upserted' }] }],
    ['load', { fields: ['name'], data: [['Loaded']] }],
    ['unlink', { ids: [kept] }],
  ] as const) {
    const last = await newest()
    // Replaces ids that no record has yet by the same word.
    const withoutNewIds = (text: string) =>
      text.replaceAll(/\b\d+\b/g, (id) => (Number(id) > last ? 'new' : id))
    const rehearsed = await nodes.call(`res.partner/${path}`, body, dry)
    const real = await nodes.call(`res.partner/${path}`, body)
    assert.equal(real.status, 200, real.text)
    assert.deepEqual([rehearsed.status, withoutNewIds(rehearsed.text)], [200, withoutNewIds(real.text)], path)
  }
})

test('dry run: confirmed orders, alone and in a batch with references, are unchanged', async () => {
  const [product] = (
    await nodes.call('product.product/create', { vals_list: [{ name: 'Mug', list_price: 3 }] })
  ).body as [number]
  const line = [[0, 0, { product_id: product, product_uom_qty: 2 }]]
  const [order] = (
    await nodes.call('sale.order/create', { vals_list: [{ partner_id: 1, order_line: line }] })
  ).body as [number]
  const before = await dump()
  const rehearsed = await nodes.call('sale.order/action_confirm', { ids: [order] }, dry)
  const calls = [
    {
      id: 'o',
      model: 'sale.order',
      method: 'create',
      body: { vals_list: [{ partner_id: 1, order_line: line }] },
    },
    { model: 'sale.order', method: 'action_confirm', body: { ids: { $ref: '/o' } } },
    { model: 'sale.order', method: 'read', body: { ids: { $ref: '/o' }, fields: ['state', 'amount_total'] } },
  ]
  const batch = await nodes.post('/x/1/batch', { calls }, dry)
  assert.deepEqual([batch.status, batch.headers.get('preference-applied')], [200, 'tx=rollback'], batch.text)
  const last = (batch.body as { results: { body: unknown }[] }).results[2]?.body as { state: string }[]
  assert.equal(last[0]?.state, 'sale')
  assert.equal(await dump(), before)
  assert.deepEqual((await nodes.call('sale.order/action_confirm', { ids: [order] })).body, rehearsed.body)
})

test('dry run: rejects irreversible calls, and works with strict handling', async () => {
  for (const [path, body] of [
    [
      'res.users.apikeys/generate',
      { key: nodes.key, scope: 'rpc', name: 'x', expiration_date: '2100-01-01' },
    ],
    ['ir.module.module/update_list', {}],
  ] as const) {
    const refused = await nodes.call(path, body, dry)
    assert.deepEqual([refused.status, refused.headers.get('error-code')], [422, 'not_in_dry_run'], path)
  }
  const strictly = (path: string, body: object, preference: string) =>
    nodes
      .call(path, body, { prefer: `handling=strict, tx=rollback${preference}` })
      .then(({ status }) => status)
  assert.equal(await strictly('res.partner/search_count', { domain: [] }, ''), 200)
  assert.equal(await strictly('res.partner/read', { ids: [1], fields: ['name'] }, ', etag'), 200)
  // A count has no version.
  assert.equal(await strictly('res.partner/search_count', { domain: [] }, ', etag'), 400)
})

test('dry run: a key with the dry scope says so in every answer, on every wire', async () => {
  const key = await createKey(nodes.databases, 'test', 'admin', { scope: 'rpc dry', name: 'dry', days: 1 })
  const bearer = { authorization: `bearer ${key}` }
  const before = await dump()
  const vals = { name: 'Tried' }
  const call = { model: 'res.partner', method: 'create', body: { vals_list: [vals] } }
  const params = {
    service: 'object',
    method: 'execute_kw',
    args: ['test', 2, key, 'res.partner', 'create', [vals]],
  }
  const words = ['test', key, 'res.partner', 'create'].map((word) => `<string>${word}</string>`)
  const struct = '<struct><member><name>name</name><value><string>Tried</string></value></member></struct>'
  const list = `<array><data><value>${struct}</value></data></array>`
  const args = [words[0], '<int>2</int>', ...words.slice(1), list]
  const xml = `<?xml version="1.0"?><methodCall><methodName>execute_kw</methodName><params>${args.map((arg) => `<param><value>${arg}</value></param>`).join('')}</params></methodCall>`
  const get = (path: string) =>
    fetch(`${nodes.servers[0]?.url}${path}`, { headers: { ...bearer, 'x-service-database': 'test' } })
  const answers = {
    'JSON-2': await nodes.call('res.partner/create', call.body, bearer),
    'a wish beside it': await nodes.call('res.partner/create', call.body, { ...bearer, prefer: 'etag' }),
    'a read': await nodes.call('res.partner/read', { ids: [1], fields: ['name'] }, bearer),
    'a refusal': await nodes.call('res.partner/write', { ids: [1], vals: { nothing: 1 } }, bearer),
    'JSON-RPC': await nodes.post('/jsonrpc', { jsonrpc: '2.0', id: 1, params }, {}),
    'XML-RPC': await nodes.post('/xmlrpc/2/object', xml, { 'content-type': 'text/xml' }),
    'a batch': await nodes.post('/x/1/batch', { calls: [call] }, bearer),
    'calls one by one': await nodes.post('/x/1/batch', { atomic: false, calls: [call] }, bearer),
    'the feed': await nodes.post('/x/1/changes', { models: { 'res.partner': {} } }, bearer),
    'an export': await get('/x/1/export?model=res.country&fields=code&limit=2'),
    endpoints: await get('/x/1/webhooks'),
  }
  for (const [name, { status, headers }] of Object.entries(answers)) {
    assert.equal(status, name === 'a refusal' ? 422 : 200, name)
    assert.match(headers.get('preference-applied') ?? '', /\btx=rollback\b/, name)
  }
  assert.equal(await dump(), before)
})
