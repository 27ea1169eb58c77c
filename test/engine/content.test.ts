// Files over HTTP: who sees what, and what happens to contents when a call fails, a database is copied, renamed and dropped.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { createServer, type Server } from '../../src/main.ts'
import { base } from '../../src/modules/base/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'

let db: TestDatabase
let server: Server
let key: string
before(async () => {
  db = await openTestDatabase([base])
  server = await createServer({ databases: db.databases })
  key = await createKey(db.databases, 'test', 'admin', { scope: null, name: 'test', days: 1 })
})
after(async () => {
  await server?.close()
  await db.close()
})

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

async function call(path: string, named: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-service-database': 'test' }
  const response = await fetch(`${server.url}/json/2/${path}`, { method: 'POST', headers, body: JSON.stringify(named) })
  const body: unknown = await response.json()
  assert.equal(response.status, 200, JSON.stringify(body))
  return body
}

async function get(
  path: string,
  { signed = true, database = 'test', method = 'GET' } = {},
): Promise<{ status: number; type: string; length: string | null; body: string }> {
  const headers = { 'x-service-database': database, ...(signed ? { authorization: `Bearer ${key}` } : {}) }
  const response = await fetch(server.url + path, { headers, method })
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    length: response.headers.get('content-length'),
    body: Buffer.from(await response.arrayBuffer()).toString('base64'),
  }
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

test('attachments: by key, by being public, by token', async () => {
  const [own, open, tied] = (await call('ir.attachment/create', {
    vals_list: [
      { name: 'own.txt', datas: base64('own') },
      { name: 'open.txt', datas: base64('open'), public: true },
      { name: 'tied.txt', datas: base64('tied'), access_token: 'secret-word' },
    ],
  })) as [number, number, number]
  assert.deepEqual(await get(`/web/content/${own}`), { status: 200, type: 'text/plain; charset=utf-8', length: '3', body: base64('own') })
  assert.equal((await get(`/web/content/${own}`, { signed: false })).status, 404)
  assert.equal((await get(`/web/content/${open}`, { signed: false })).body, base64('open'))
  assert.equal((await get(`/web/content/${tied}?access_token=secret-word`, { signed: false })).body, base64('tied'))
  for (const token of ['', 'other']) assert.equal((await get(`/web/content/${tied}?access_token=${token}`, { signed: false })).status, 404)
  assert.equal((await get('/web/content/999999')).status, 404)
  assert.deepEqual(await get(`/web/content/${own}`, { method: 'HEAD' }), {
    status: 200,
    type: 'text/plain; charset=utf-8',
    length: '3',
    body: '',
  })
})

test('fields of records: images, avatars and what stands in for both', async () => {
  const [ann, bob] = (await call('res.partner/create', { vals_list: [{ name: 'Ann', image_1920: PNG }, { name: 'Bob' }] })) as [
    number,
    number,
  ]
  assert.equal((await get(`/web/image/res.partner/${ann}/image_128`)).body, PNG)
  assert.equal((await get(`/web/content/res.partner/${ann}/image_1920`)).type, 'image/png')
  assert.equal((await get(`/web/image/res.partner/${bob}/avatar_128`)).type, 'image/svg+xml')
  const hidden = await get(`/web/image/res.partner/${ann}/image_128`, { signed: false })
  assert.deepEqual([hidden.status, hidden.type, hidden.body === PNG], [200, 'image/png', false])
  for (const path of [
    `res.partner/${bob}/image_128`,
    `res.partner/${ann}/name`,
    `res.partner/${ann}/nothing`,
    'no.model/1/x',
    'res.users/2/password',
  ]) {
    assert.equal((await get(`/web/content/${path}`)).status, 404, path)
  }
  const [company] = (await call('res.company/search', { domain: [] })) as [number]
  await call('res.company/write', { ids: [company], vals: { logo: PNG } })
  assert.equal((await get(`/web/binary/company_logo?company=${company}`, { signed: false })).body, PNG)
  assert.equal((await get('/web/binary/company_logo', { signed: false, database: 'none' })).type, 'image/png')
})

test('contents are files: a failed call leaves nothing that is used, the collector keeps what is', async () => {
  const [id] = (await call('ir.attachment/create', { vals_list: [{ name: 'kept.txt', datas: base64('kept') }] })) as [number]
  const failed = fetch(`${server.url}/json/2/ir.attachment/create`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-service-database': 'test' },
    body: JSON.stringify({ vals_list: [{ name: 'lost.txt', datas: base64('lost') }, { datas: base64('nameless') }] }),
  })
  assert.equal((await failed).status, 422)
  await call('ir.attachment/unlink', {
    ids: await call('ir.attachment/create', { vals_list: [{ name: 'gone.txt', datas: base64('gone') }] }),
  })
  assert.ok((await db.database.collectFiles(-1000)) >= 1)
  assert.equal(await db.database.collectFiles(-1000), 0)
  assert.equal((await get(`/web/content/${id}`)).body, base64('kept'))
})

test('files go along when a database is copied, renamed and dropped', async () => {
  const [id] = (await call('ir.attachment/create', { vals_list: [{ name: 'along.txt', datas: base64('along'), public: true }] })) as [
    number,
  ]
  await db.databases.duplicate('test', 'copy')
  await db.databases.rename('copy', 'renamed')
  assert.equal((await get(`/web/content/${id}`, { signed: false, database: 'renamed' })).body, base64('along'))
  const { directory } = (await db.databases.database('renamed')).files
  assert.ok(existsSync(directory))
  await db.databases.drop('renamed')
  assert.ok(!existsSync(directory))
  assert.equal((await get(`/web/content/${id}`)).body, base64('along'))
})
