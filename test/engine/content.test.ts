// Files over HTTP: who sees what, and what happens to contents when a call fails, a database is copied,
// renamed and dropped.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { imageSize } from 'image-size'
import { filesDirectory } from '../../src/databases/filestore.ts'
import { createServer, type Server } from '../../src/main.ts'
import { base } from '../../src/modules/base/index.ts'
import { createKey } from '../../src/services/admin.ts'
import { sql } from '../../src/sql/index.ts'
import { openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { pngOf } from '../support/png.ts'

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
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'x-service-database': 'test',
  }
  const response = await fetch(`${server.url}/json/2/${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(named),
  })
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
  const [ownFile, open, tied] = (await call('ir.attachment/create', {
    vals_list: [
      { name: 'own.txt', datas: base64('own') },
      { name: 'open.txt', datas: base64('open'), public: true },
      { name: 'tied.txt', datas: base64('tied'), access_token: 'secret-word' },
    ],
  })) as [number, number, number]
  assert.deepEqual(await get(`/web/content/${ownFile}`), {
    status: 200,
    type: 'text/plain; charset=utf-8',
    length: '3',
    body: base64('own'),
  })
  assert.equal((await get(`/web/content/${ownFile}`, { signed: false })).status, 404)
  assert.equal((await get(`/web/content/${open}`, { signed: false })).body, base64('open'))
  assert.equal(
    (await get(`/web/content/${tied}?access_token=secret-word`, { signed: false })).body,
    base64('tied'),
  )
  for (const token of ['', 'other'])
    assert.equal((await get(`/web/content/${tied}?access_token=${token}`, { signed: false })).status, 404)
  assert.equal((await get('/web/content/999999')).status, 404)
  assert.deepEqual(await get(`/web/content/${ownFile}`, { method: 'HEAD' }), {
    status: 200,
    type: 'text/plain; charset=utf-8',
    length: '3',
    body: '',
  })
})

test('fields of records: images, avatars and what stands in for both', async () => {
  const [ann, bob] = (await call('res.partner/create', {
    vals_list: [{ name: 'Ann', image_1920: PNG }, { name: 'Bob' }],
  })) as [number, number]
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
  const [id] = (await call('ir.attachment/create', {
    vals_list: [{ name: 'kept.txt', datas: base64('kept') }],
  })) as [number]
  const failed = fetch(`${server.url}/json/2/ir.attachment/create`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-service-database': 'test',
    },
    body: JSON.stringify({
      vals_list: [{ name: 'lost.txt', datas: base64('lost') }, { datas: base64('nameless') }],
    }),
  })
  assert.equal((await failed).status, 422)
  await call('ir.attachment/unlink', {
    ids: await call('ir.attachment/create', { vals_list: [{ name: 'gone.txt', datas: base64('gone') }] }),
  })
  assert.ok((await db.database.collectFiles(-1000)) >= 1)
  assert.equal(await db.database.collectFiles(-1000), 0)
  assert.equal((await get(`/web/content/${id}`)).body, base64('kept'))
})

test('attachments: files are copied, renamed and dropped with their database', async () => {
  const [id] = (await call('ir.attachment/create', {
    vals_list: [{ name: 'along.txt', datas: base64('along'), public: true }],
  })) as [number]
  await db.databases.duplicate('test', 'copy')
  await db.databases.rename('copy', 'renamed')
  assert.equal(
    (await get(`/web/content/${id}`, { signed: false, database: 'renamed' })).body,
    base64('along'),
  )
  const directory = filesDirectory(db.databases.options.dataDir, 'renamed')
  assert.ok(existsSync(directory))
  await db.databases.drop('renamed')
  assert.ok(!existsSync(directory))
  assert.equal((await get(`/web/content/${id}`)).body, base64('along'))
})

test('images: smaller versions are read, served, resized and cleared with the image', async () => {
  const widthOf = (content: unknown) => imageSize(Buffer.from(String(content), 'base64')).width
  const image = pngOf(600, 300, (x, y) => [x % 256, y % 256, 70]).toString('base64')
  const [contact] = (await call('res.partner/create', {
    vals_list: [{ name: 'Large', image_1920: image }],
  })) as [number]
  const fields = ['image_1920', 'image_1024', 'image_512', 'image_128', 'avatar_128']
  const read = async (context = {}) =>
    (
      (await call('res.partner/read', { ids: [contact], fields, context })) as Record<
        string,
        string | false
      >[]
    )[0] as Record<string, string>
  const whole = await read()
  assert.equal(whole.image_1920, image)
  assert.equal(whole.image_1024, image, 'one that fits is itself')
  assert.deepEqual(
    [widthOf(whole.image_512), widthOf(whole.image_128), widthOf(whole.avatar_128)],
    [512, 128, 128],
  )
  assert.equal((await get(`/web/image/res.partner/${contact}/image_128`)).body, whole.image_128)
  assert.equal((await get(`/web/image/res.partner/${contact}/avatar_128`)).body, whole.image_128)
  assert.equal((await get(`/web/image/res.partner/${contact}/image_1024`)).body, image)
  const bytes = (content: string | undefined) => {
    const size = Buffer.from(content ?? '', 'base64').length
    return size < 1024 ? `${size.toFixed(2)} bytes` : `${(size / 1024).toFixed(2)} Kb`
  }
  const sizes = await read({ bin_size: true })
  assert.equal(sizes.image_512, bytes(whole.image_512))
  assert.equal(sizes.image_1024, sizes.image_1920)
  assert.equal(sizes.avatar_128, bytes(whole.image_128))
  const some = await read({ bin_size_image_128: true })
  assert.deepEqual([some.image_128, some.image_512], [bytes(whole.image_128), whole.image_512])
  await call('res.partner/write', { ids: [contact], vals: { image_1920: PNG } })
  assert.equal((await read()).image_128, PNG, 'versions of the image before are gone')
  await call('res.partner/write', { ids: [contact], vals: { image_1920: false } })
  const cleared = await read()
  assert.deepEqual([cleared.image_1920, cleared.image_512, cleared.image_128], [false, false, false])
  const large = pngOf(2400, 10, () => [1, 2, 3]).toString('base64')
  await call('res.partner/write', { ids: [contact], vals: { image_1920: large } })
  assert.equal(widthOf((await read()).image_1920), 1920)
})

test('images: are served in the size of the URL, with an ETag', async () => {
  const image = pngOf(600, 300, (x, y) => [x % 256, y % 256, 99])
  const [contact] = (await call('res.partner/create', {
    vals_list: [{ name: 'Sized', image_1920: image.toString('base64') }],
  })) as [number]
  const huge = pngOf(1, 1, () => [0, 0, 0], [30_000, 30_000])
  const [file, hugeFile] = (await call('ir.attachment/create', {
    vals_list: [image, huge].map((png) => ({ name: 'a.png', datas: png.toString('base64'), public: true })),
  })) as [number, number]
  const sized = async (path: string, more: Record<string, string> = {}) => {
    const response = await fetch(server.url + path, {
      headers: { 'x-service-database': 'test', authorization: `Bearer ${key}`, ...more },
    })
    const bytes = Buffer.from(await response.arrayBuffer())
    const { width, height } = response.status === 200 ? imageSize(bytes) : { width: 0, height: 0 }
    return { status: response.status, etag: response.headers.get('etag') ?? '', width, height }
  }
  const facts = async (path: string) =>
    Object.values(await sized(path)).filter((fact) => typeof fact === 'number')
  const record = `res.partner/${contact}/image_1920`
  assert.deepEqual(await facts(`/web/image/${record}/100x100`), [200, 100, 50])
  assert.deepEqual(await facts(`/web/image/${record}?height=30`), [200, 60, 30])
  assert.deepEqual(
    await facts(`/web/image?model=res.partner&id=${contact}&field=image_1920&width=40&height=40&crop=1`),
    [200, 40, 40],
  )
  assert.deepEqual(await facts(`/web/image/${file}/20x0/a.png`), [200, 20, 10])
  assert.deepEqual(await facts(`/web/image/${file}/9000x9000`), [200, 600, 300])
  assert.deepEqual(await facts(`/web/content/${file}?width=20`), [200, 600, 300])
  assert.deepEqual(await facts(`/web/image/res.partner/${contact}/nothing/48x90`), [200, 48, 48])
  assert.deepEqual(await facts(`/web/image/${file}?width=wide`), [400, 0, 0])
  assert.deepEqual(await facts(`/web/image/${hugeFile}/20x20`), [200, 30_000, 30_000])
  assert.deepEqual(await facts(`/web/image/${file}?width=20&width=30&filename=a&filename=b`), [200, 20, 10])
  for (const path of [`content/${file}`, `image/${file}/20x0`, `image/${record}`]) {
    const named = await fetch(`${server.url}/web/${path}/b%20c.png?download=1`, {
      headers: { 'x-service-database': 'test', authorization: `Bearer ${key}` },
    })
    await named.arrayBuffer()
    assert.equal(named.headers.get('content-disposition'), 'attachment; filename="b c.png"', path)
  }
  const [whole, small, again] = [
    await sized(`/web/image/${file}`),
    await sized(`/web/image/${file}/20x0`),
    await sized(`/web/image/${file}?width=20`),
  ]
  assert.notEqual(whole.etag, small.etag)
  assert.equal(small.etag, again.etag)
  assert.equal((await sized(`/web/image/${file}/20x0`, { 'if-none-match': small.etag })).status, 304)
  assert.equal((await sized(`/web/image/${file}/20x0`, { 'if-none-match': whole.etag })).status, 200)
})

test('binary fields: sizes of contents are returned without reading them', async () => {
  const [attachment] = (await call('ir.attachment/create', {
    vals_list: [{ name: 'big', datas: base64('x'.repeat(5000)) }],
  })) as [number]
  const database = await db.databases.database('test')
  await database.system((env) =>
    env.query(
      sql`UPDATE ir_attachment SET store_fname = 'lost', db_datas = NULL WHERE id = ${attachment}::int`,
    ),
  )
  const context = { bin_size: true }
  assert.deepEqual(
    await call('ir.attachment/read', { ids: [attachment], fields: ['datas', 'raw'], context }),
    [{ id: attachment, datas: '4.88 Kb', raw: '4.88 Kb' }],
  )
  const rows = await call('ir.attachment/search_read', {
    domain: [['id', '=', attachment]],
    fields: ['datas'],
    context,
  })
  assert.deepEqual(rows, [{ id: attachment, datas: '4.88 Kb' }])
})
