// Optimistic locking: reads return versions, and a write with an old version is rejected.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isLong, LONG, noteTime } from '../../src/models/unit/large.ts'
import { createKey } from '../../src/services/admin.ts'
import { raw, sql } from '../../src/sql/index.ts'
import { type Nodes, openNodes } from '../support/nodes.ts'
import { modulesWith } from '../support/sets.ts'
import { recordStatements } from '../support/statements.ts'

let nodes: Nodes
before(async () => {
  nodes = await openNodes({
    count: 2,
    known: modulesWith('sale'),
  })
})
after(() => nodes?.close())

const etag = { prefer: 'etag' }
const make = async (...names: string[]) =>
  (await nodes.call('res.partner/create', { vals_list: names.map((name) => ({ name })) })).body as number[]
const tagsOf = async (ids: number[], model = 'res.partner') => {
  const { headers } = await nodes.call(`${model}/read`, { ids, fields: ['name'] }, etag)
  return {
    tag: headers.get('etag') as string,
    each: headers.get('record-versions'),
    applied: headers.get('preference-applied'),
  }
}
const write = (ids: number[], vals: object, tag: string, more: Record<string, string> = {}, node = 0) =>
  nodes.call('res.partner/write', { ids, vals }, { 'if-match': tag, ...more }, node)
const nameOf = async (id: number) =>
  ((await nodes.call('res.partner/read', { ids: [id], fields: ['name'] })).body as { name: string }[])[0]
    ?.name

test('versions: rows and their versions are of one transaction, also where the statement of the versions waits as a long one', async () => {
  const [id] = (await make('Long')) as [number]
  const recorder = recordStatements()
  try {
    await tagsOf([id])
    const versions = recorder.statements.find(
      ({ text }) => text.includes('xmin') && text.includes('ORDER BY t."id"'),
    )
    const statement = { text: versions?.text ?? '', values: [] }
    noteTime(statement, LONG + 1)
    recorder.forget()
    await tagsOf([id])
    // The statement is no long one for the tests that follow.
    while (isLong(statement)) noteTime(statement, 0)
    const texts = recorder.statements.map(({ text }) => text)
    assert.ok(texts.indexOf(statement.text) > 0)
    assert.ok(texts.indexOf('COMMIT') > texts.indexOf(statement.text), texts.join('\n'))
  } finally {
    recorder.stop()
  }
})

test('optimistic locking: a write applies only to the version that was read', async () => {
  const [id] = (await make('Read')) as [number]
  const { tag, each, applied } = await tagsOf([id])
  assert.match(tag, /^"v1-[0-9a-f]{32}"$/)
  assert.deepEqual([each, applied], [`r${id}=${tag}`, 'etag'])
  assert.equal((await nodes.call('res.partner/write', { ids: [id], vals: { name: 'Other' } })).status, 200)
  const refused = await write([id], { name: 'Mine' }, tag)
  assert.deepEqual([refused.status, refused.headers.get('error-code')], [412, 'version_mismatch'])
  assert.deepEqual((refused.body as { name: string; context: object }).context, { ids: [id] })
  assert.equal(await nameOf(id), 'Other')
  const fresh = (await tagsOf([id])).tag
  const done = await write([id], { name: 'Mine' }, fresh, etag)
  assert.equal(done.status, 200)
  assert.equal(done.headers.get('etag'), (await tagsOf([id])).tag)
  assert.equal((await write([id], { name: 'Theirs' }, done.headers.get('etag') as string)).status, 200)
})

test('optimistic locking: of fifty concurrent writes with one tag on two nodes exactly one succeeds', async () => {
  const [id] = (await make('Crowd')) as [number]
  const { tag } = await tagsOf([id])
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => write([id], { name: `n${n}` }, tag, {}, n % 2)),
  )
  const statuses = answers.map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses))
  assert.ok(
    statuses.every((status) => [200, 409, 412].includes(status)),
    String(statuses),
  )
})

test('optimistic locking: the tag of a set ignores the order, but not other or deleted records', async () => {
  const ids = (await make('A', 'B', 'C')) as [number, number, number]
  const [a, b, c] = ids
  const { tag } = await tagsOf([b, a])
  assert.equal((await write([a, b, c], { color: 1 }, tag)).status, 412)
  assert.equal((await write([a], { color: 1 }, tag)).status, 412)
  assert.equal((await write([a, b, b], { color: 1 }, tag)).status, 200)
  assert.equal((await write([a, c], { color: 2 }, '*')).status, 200)
  await nodes.call('res.partner/unlink', { ids: [c] })
  assert.equal((await write([a, c], { color: 3 }, '*')).status, 412)
  assert.equal((await write([c], { color: 3 }, tag)).status, 412)
})

test('optimistic locking: writes past the ORM and to a delegate count as changes, freezing does not', async () => {
  const [id] = (await make('Frozen')) as [number]
  const { tag } = await tagsOf([id])
  await nodes.database.pool.use((connection) => connection.simple('VACUUM FREEZE res_partner'))
  assert.equal((await tagsOf([id])).tag, tag)
  await nodes.run(({ unit }) => unit.query(sql`UPDATE res_partner SET comment = 'x' WHERE id = ${id}`))
  assert.equal((await write([id], { name: 'X' }, tag)).status, 412)
  const [product] = (await nodes.call('product.product/create', { vals_list: [{ name: 'Mug' }] })).body as [
    number,
  ]
  const before = (await tagsOf([product], 'product.product')).tag
  await nodes.run(({ unit }) => unit.query(raw('UPDATE product_template SET sequence = 7')))
  assert.notEqual((await tagsOf([product], 'product.product')).tag, before)
})

test('versions: rows of a model with a query have no version', async () => {
  const { status, headers } = await nodes.call(
    'sale.report/search_read',
    { domain: [], fields: ['name'] },
    etag,
  )
  const read = await nodes.call('sale.report/read', { ids: [1], fields: ['name'] }, etag)
  assert.deepEqual(
    [status, headers.get('etag'), read.status, read.headers.get('etag')],
    [200, null, 200, null],
  )
})

test('versions: every create returns the version, and methods without versions are refused on strict requests', async () => {
  const strict = { prefer: 'etag, handling=strict' }
  const creations: [method: string, body: object, idOf: (answer: never) => number][] = [
    ['upsert', { key: [], vals_list: [{ name: 'Made' }] }, ([{ id }]: [{ id: number }]) => id],
    ['load', { fields: ['name'], data: [['Made']] }, ({ ids: [id] }: { ids: [number] }) => id],
    ['name_create', { name: 'Made' }, ([id]: [number]) => id],
    ['web_save', { ids: [], vals: { name: 'Made' }, specification: {} }, ([{ id }]: [{ id: number }]) => id],
    ['create', { vals_list: [{ name: 'Made' }] }, ([id]: [number]) => id],
  ]
  for (const [method, body, idOf] of creations) {
    const { status, body: answer, headers, text } = await nodes.call(`res.partner/${method}`, body, strict)
    assert.equal(status, 200, text)
    assert.equal(headers.get('etag'), (await tagsOf([idOf(answer as never)])).tag, method)
  }
  const [id] = (await make('Stays')) as [number]
  for (const [path, body] of [
    ['res.partner/unlink', { ids: [id] }],
    ['sale.report/search_read', { domain: [], fields: ['name'] }],
  ] as const) {
    const { status, headers } = await nodes.call(path, body, strict)
    assert.deepEqual([status, headers.get('error-code')], [400, 'unknown_preference'], path)
  }
  assert.equal(await nameOf(id), 'Stays')
})

test('optimistic locking: a hidden record is 403, weak and malformed tags are 400', async () => {
  const [id] = (await make('Weak')) as [number]
  const { tag } = await tagsOf([id])
  await nodes.run(async (env) => {
    const groups = [await env.ref('base.group_user'), await env.ref('base.group_partner_manager')]
    await env
      .model('res.users')
      .create([{ name: 'Clerk', login: 'clerk', group_ids: [[6, 0, groups]] } as never])
    const [model] = await env.query(sql`SELECT id FROM ir_model WHERE model = 'res.partner'`)
    await env
      .model('ir.rule')
      .create([
        { name: 'all but one', model_id: model?.[0] as number, domain_force: `[('id', '!=', ${id})]` },
      ])
  })
  const clerk = await createKey(nodes.databases, 'test', 'clerk', { scope: null, name: 'clerk', days: 1 })
  for (const match of [tag, '"v1-0"', '*'])
    assert.equal((await write([id], { name: 'X' }, match, { authorization: `bearer ${clerk}` })).status, 403)
  for (const tag of ['W/"v1-0"', 'v1-0', '"a", "b"', '""', '"']) {
    const refused = await write([id], { name: 'X' }, tag)
    assert.deepEqual([refused.status, refused.headers.get('error-code')], [400, 'malformed_header'], tag)
  }
})

test('optimistic locking: a retry with a key is a replay, and a mismatch in a batch rolls all back', async () => {
  const [id, other] = (await make('Keyed', 'Beside')) as [number, number]
  const { tag } = await tagsOf([id])
  const once = () => write([id], { name: 'Once' }, tag, { 'idempotency-key': 'versions-1' })
  assert.equal((await once()).status, 200)
  const again = await once()
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [200, 'true'])
  const calls = [
    { model: 'res.partner', method: 'write', body: { ids: [other], vals: { name: 'Lost' } } },
    { model: 'res.partner', method: 'write', body: { ids: [id], vals: { name: 'Lost' } }, ifMatch: tag },
  ]
  assert.equal((await nodes.post('/x/1/batch', { calls })).status, 412)
  assert.equal(await nameOf(other), 'Beside')
  const fresh = (await tagsOf([id])).tag
  assert.equal(
    (
      await nodes.post('/x/1/batch', {
        calls: calls.map((call) => ('ifMatch' in call ? { ...call, ifMatch: fresh } : call)),
      })
    ).status,
    200,
  )
})

test('optimistic locking: the check and the new version take one more round trip than a write in one flush', async () => {
  const [id] = (await make('Counted')) as [number]
  const recorder = recordStatements()
  const trips = async (headers: Record<string, string>) => {
    recorder.forget()
    assert.equal(
      (await nodes.call('res.partner/write', { ids: [id], vals: { color: 3 } }, headers)).status,
      200,
    )
    return recorder.trips()
  }
  try {
    await trips({})
    const plain = await trips({})
    recorder.stop()
    const { tag } = await tagsOf([id])
    const second = recordStatements()
    try {
      assert.equal((await write([id], { color: 4 }, tag, etag)).status, 200)
      assert.ok(second.trips() <= plain + 1)
    } finally {
      second.stop()
    }
  } finally {
    recorder.stop()
  }
})
