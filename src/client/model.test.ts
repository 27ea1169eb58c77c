// The client's methods: which call each one makes, and how pages follow each other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { InvalidValue } from '../errors.ts'
import { type FakeAnswer, fakeFetch, ok, unreachable } from './fake-fetch.ts'
import { type Client, createClient } from './index.ts'

function client(...answers: FakeAnswer[]) {
  const fake = fakeFetch(...answers)
  const shopClient: Client = createClient({
    url: 'http://shop.test',
    key: 'k',
    fetch: fake.fetch,
    retry: { wait: async () => undefined },
  })
  const last = () => {
    const request = fake.requests.at(-1)
    return [request?.url.replace('http://shop.test/json/2/', ''), request?.body]
  }
  return { client: shopClient, requests: fake.requests, last }
}

test('each method of the client calls the method of its name', async () => {
  const { client: c, last } = client(
    ok([1]),
    ok(4),
    ok([]),
    ok([]),
    ok([7]),
    ok([7, 8]),
    ok(true),
    ok(true),
    ok([9]),
    ok([9]),
    ok([[1, 'A']]),
    ok({}),
  )
  const partners = c.model('x.partner')
  assert.deepEqual(await partners.search({ domain: [['a', '=', 1]], limit: 2, order: 'a' }), [1])
  assert.deepEqual(last(), ['x.partner/search', { domain: [['a', '=', 1]], limit: 2, order: 'a' }])
  assert.equal(await partners.searchCount(), 4)
  assert.deepEqual(last(), ['x.partner/search_count', { domain: [] }])
  await partners.searchRead({ fields: ['name'], offset: 5, load: null })
  assert.deepEqual(last(), ['x.partner/search_read', { domain: [], fields: ['name'], offset: 5, load: null }])
  await partners.read(3, { fields: ['name'], context: { lang: 'fr_FR' } })
  assert.deepEqual(last(), ['x.partner/read', { fields: ['name'], ids: [3], context: { lang: 'fr_FR' } }])
  assert.equal(await partners.create({ name: 'A' }), 7)
  assert.deepEqual(last(), ['x.partner/create', { vals_list: [{ name: 'A' }] }])
  assert.deepEqual(await partners.create([{ name: 'A' }, { name: 'B' }]), [7, 8])
  assert.equal(await partners.write([7, 8], { name: 'C' }), true)
  assert.deepEqual(last(), ['x.partner/write', { vals: { name: 'C' }, ids: [7, 8] }])
  assert.equal(await partners.unlink(8), true)
  assert.deepEqual(last(), ['x.partner/unlink', { ids: [8] }])
  assert.equal(await partners.copy(7, { name: 'D' }), 9)
  assert.deepEqual(last(), ['x.partner/copy', { default: { name: 'D' }, ids: [7] }])
  assert.deepEqual(await partners.copy([7]), [9])
  assert.deepEqual(await partners.nameSearch('A', { operator: '=' }), [[1, 'A']])
  assert.deepEqual(last(), ['x.partner/name_search', { name: 'A', operator: '=' }])
  await partners.fieldsGet({ fields: ['name'], attributes: ['type'] })
  assert.deepEqual(last(), ['x.partner/fields_get', { allfields: ['name'], attributes: ['type'] }])
})

test('contexts add up, the call winning', async () => {
  const { client: c, last } = client(ok(null), ok(null))
  const model = c.withContext({ lang: 'fr_FR', tz: 'UTC' }).model('x.y')
  await model.call('do it/now', { a: 1 }, { ids: [1], context: { tz: 'Asia/Tokyo' } })
  assert.deepEqual(last(), [
    'x.y/do%20it%2Fnow',
    { a: 1, ids: [1], context: { lang: 'fr_FR', tz: 'Asia/Tokyo' } },
  ])
  await c.model('x.y').call('plain')
  assert.deepEqual(last(), ['x.y/plain', {}])
})

test('a lost answer: reading methods and those said to be safe are asked again, others are not', async () => {
  const lost = unreachable('ECONNRESET')
  const reading = client(lost, ok([]))
  await reading.client.model('x.y').searchRead()
  assert.equal(reading.requests.length, 2)
  const safe = client(lost, ok(1))
  await safe.client.model('x.y').call('peek', {}, { safe: true })
  assert.equal(safe.requests.length, 2)
  for (const write of ['create', 'write', 'unlink', 'copy', 'action_confirm']) {
    const writing = client(lost, ok(1))
    await assert.rejects(writing.client.model('x.y').call(write))
    assert.equal(writing.requests.length, 1, write)
  }
})

test('pages follow the ids, and the domain stays whole', async () => {
  const { client: c, requests } = client(ok([{ id: 2 }, { id: 5 }]), ok([{ id: 9 }]))
  const seen: number[][] = []
  for await (const page of c
    .model('x.y')
    .pages({ domain: ['|', ['a', '=', 1], ['b', '=', 2]], fields: ['a'], size: 2, context: { k: 1 } })) {
    seen.push(page.map((row) => row.id))
  }
  assert.deepEqual(seen, [[2, 5], [9]])
  const shared = { order: 'id', offset: 0, limit: 2, fields: ['a'], context: { k: 1 } }
  const domain = ['|', ['a', '=', 1], ['b', '=', 2]]
  assert.deepEqual(
    requests.map((request) => request.body),
    [
      { ...shared, domain },
      { ...shared, domain: [...domain, ['id', '>', 5]] },
    ],
  )
})

test('rows come one by one, pages being read as they are needed', async () => {
  const { client: c, requests } = client(ok([{ id: 2 }, { id: 5 }]), ok([{ id: 9 }, { id: 11 }]))
  const seen: number[] = []
  for await (const row of c.model('x.y').each({ size: 2 })) {
    seen.push(row.id)
    if (row.id === 9) break
  }
  assert.deepEqual([seen, requests.length], [[2, 5, 9], 2])
})

test('pages in an order follow offsets, an empty last page is not given, and leaving early stops', async () => {
  const ordered = client(ok([{ id: 5 }, { id: 2 }]), ok([]))
  const seen: unknown[] = []
  for await (const page of ordered.client.model('x.y').pages({ order: 'name', size: 2 })) seen.push(page)
  assert.deepEqual(seen, [[{ id: 5 }, { id: 2 }]])
  assert.deepEqual(
    ordered.requests.map((request) => (request.body as { offset: number }).offset),
    [0, 2],
  )
  const left = client(ok([{ id: 1 }]), ok([{ id: 2 }]))
  for await (const _ of left.client.model('x.y').pages({ size: 1 })) break
  assert.equal(left.requests.length, 1)
  for (const size of [0, -1, 1.5])
    await assert.rejects(left.client.model('x.y').pages({ size }).next(), InvalidValue)
})

test('the client asks for version and user context', async () => {
  const { client: c, requests } = client(
    ok({ version: '19.0', version_info: [] }),
    ok({ uid: 2, lang: 'en_US', tz: false }),
  )
  assert.equal((await c.version()).version, '19.0')
  assert.deepEqual(
    [requests[0]?.method, requests[0]?.url, requests[0]?.body],
    ['GET', 'http://shop.test/web/version', undefined],
  )
  assert.equal((await c.userContext()).uid, 2)
  assert.equal(requests[1]?.url, 'http://shop.test/json/2/res.users/context_get')
})

test('client: an invalid server address is refused', () => {
  for (const url of ['', 'shop.test', 'ftp://shop.test', 'http://'])
    assert.throws(() => createClient({ url, key: 'k' }), InvalidValue)
})
