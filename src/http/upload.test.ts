// Uploads of backups: the master password before the file, hardly anything without it, and no form that
// breaks the server.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import type { InjectOptions } from 'fastify'
import { AccessDenied } from '../errors.ts'
import { fakeBackend, MASTER } from '../wire/fake-backend.ts'
import { createLog } from './log.ts'
import { buildServer } from './server.ts'

const BOUNDARY = 'boundary'
const MB = 1024 ** 2

async function serve(t: TestContext) {
  const backend = fakeBackend()
  const dir = await mkdtemp(join(tmpdir(), 'comptoir-upload-'))
  const path = join(dir, 'file')
  const restored: Buffer[] = []
  const errors: string[] = []
  Object.assign(backend.databases, {
    async scratch(work: (path: string) => Promise<unknown>) {
      await work(path)
    },
  })
  Object.assign(backend.db, {
    async restore() {
      restored.push(await readFile(path))
    },
  })
  const app = await buildServer({ backend, log: createLog('json', (line) => errors.push(line)) })
  t.after(async () => {
    await app.close()
    await rm(dir, { recursive: true })
  })
  const post = (payload: string | Buffer, type = `multipart/form-data; boundary=${BOUNDARY}`) =>
    app.inject({
      method: 'POST',
      url: '/web/database/restore',
      headers: { 'content-type': type },
      payload,
    } as InjectOptions)
  const written = () =>
    stat(path).then(
      ({ size }) => size,
      () => 0,
    )
  return { backend, app, post, restored, written, errors }
}

const part = (name: string, value: string, more = '') =>
  `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`
const file = (content: string) => part('backup_file', content, '; filename="x.zip"')
const end = `--${BOUNDARY}--\r\n`
const large = 'x'.repeat(5 * MB)

test('the password before the file: a right one lets any file be kept, a wrong one none of it', async (t) => {
  const { post, restored, written } = await serve(t)
  const wrong = await post(`${part('master_pwd', 'wrong')}${part('name', 'new')}${file(large)}${end}`)
  assert.match(wrong.body, /Access Denied/)
  assert.deepEqual([await written(), restored.length], [0, 0])
  const right = await post(`${part('master_pwd', MASTER)}${part('name', 'new')}${file(large)}${end}`)
  assert.equal(right.statusCode, 303, right.body.slice(0, 500))
  assert.equal(restored[0]?.length, large.length)
})

test('the password after the file: a small file waits for it, a large one is refused with words, and nothing is written', async (t) => {
  const { post, restored, written } = await serve(t)
  const small = 'y'.repeat(MB)
  const wrong = await post(`${file(small)}${part('name', 'new')}${part('master_pwd', 'wrong')}${end}`)
  assert.match(wrong.body, /Access Denied/)
  const missing = await post(`${file(small)}${part('name', 'new')}${end}`)
  assert.equal(missing.statusCode, 400)
  const late = await post(`${file(large)}${part('name', 'new')}${part('master_pwd', MASTER)}${end}`)
  assert.match(late.body, /master_pwd.* must be sent before/)
  assert.deepEqual([await written(), restored.length], [0, 0])
  const right = await post(
    `${file(small)}${part('copy', '1')}${part('name', 'new')}${part('master_pwd', MASTER)}${end}`,
  )
  assert.equal(right.statusCode, 303, right.body.slice(0, 500))
  assert.ok(restored[0]?.equals(Buffer.from(small)))
})

test('a body is not read if managing databases is switched off', async (t) => {
  const { backend, post } = await serve(t)
  backend.db.assertManageable = () => Promise.reject(new AccessDenied())
  backend.db.admit = () => assert.fail('a password was judged')
  assert.match((await post(`${part('master_pwd', MASTER)}${file('x')}${end}`)).body, /Access Denied/)
})

test('parts, fields and headers without number are refused', async (t) => {
  const { post, restored } = await serve(t)
  const forms = {
    fields: part('a', 'b').repeat(20_000),
    files: part('other', 'b', '; filename="a"').repeat(20_000),
    headers: `--${BOUNDARY}\r\n${'x: y\r\n'.repeat(100_000)}\r\n\r\nvalue\r\n`,
    'a long header': `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${'n'.repeat(3 * MB)}"\r\n\r\nvalue\r\n`,
    'a long field': part('name', 'z'.repeat(3 * MB)),
    'no end': part('name', 'x').slice(0, -10),
    nested: `--${BOUNDARY}\r\ncontent-disposition: form-data; name="a"\r\ncontent-type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b--\r\n`,
  }
  for (const [name, form] of Object.entries(forms)) {
    const { statusCode } = await post(`${part('master_pwd', MASTER)}${form}${end}`)
    assert.ok(statusCode === 200 || (statusCode >= 400 && statusCode < 500), `${name}: ${statusCode}`)
  }
  assert.equal(restored.length, 0)
})

test('no form and no boundary is a fault of ours', async (t) => {
  const { post, errors } = await serve(t)
  const piece = fc.constantFrom(
    `--${BOUNDARY}`,
    `--${BOUNDARY}--`,
    '\r\n',
    '\r\n\r\n',
    'content-disposition: form-data; name="master_pwd"',
    'content-disposition: form-data; name="backup_file"; filename="a"',
    "content-disposition: form-data; name*=utf-8''%ff; filename*=nope''x",
    'content-disposition: form-data',
    'content-disposition: attachment; name="x"',
    'content-disposition: form-data; name="__proto__"',
    'content-type: application/json',
    'content-type: text/plain; charset=nope',
    'content-type:',
    'content-transfer-encoding: base64',
    '{"a":',
    MASTER,
    '\0',
    'é',
  )
  const types = fc.constantFrom(
    `multipart/form-data; boundary=${BOUNDARY}`,
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    `multipart/form-data; boundary="${'b'.repeat(5000)}"`,
    `multipart/form-data; boundary=${BOUNDARY}; boundary=other`,
    `multipart/form-data; charset=nope; boundary*=utf-8''${BOUNDARY}`,
    'multipart/form-data; boundary=\t',
    `MULTIPART/FORM-DATA; BOUNDARY=${BOUNDARY}`,
    'multipart/form-data, multipart/form-data',
    'multipart/mixed; boundary=boundary',
  )
  const property = fc.asyncProperty(fc.array(piece, { maxLength: 14 }), types, async (pieces, type) => {
    const { statusCode } = await post(pieces.join(''), type)
    assert.ok(
      statusCode < 500,
      `${statusCode}: ${JSON.stringify(pieces)} ${type.slice(0, 200)} ${errors.at(-1)}`,
    )
  })
  await fc.assert(property, { numRuns: 600 })
})
