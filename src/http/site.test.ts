// Static files under /site: what is in the folder, and nothing else.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { fakeBackend } from '../wire/fake-backend.ts'
import { buildServer } from './server.ts'

const folder = mkdtempSync(join(tmpdir(), 'site-'))
const site = join(folder, 'site')
let app: FastifyInstance

before(async () => {
  mkdirSync(join(site, 'till'), { recursive: true })
  writeFileSync(join(folder, 'secret.txt'), 'secret')
  writeFileSync(join(site, 'index.html'), '<script src="app.js" type="module"></script>')
  writeFileSync(join(site, 'app.js'), 'export {}')
  writeFileSync(join(site, 'empty.css'), '')
  writeFileSync(join(site, '.env'), 'secret')
  writeFileSync(join(site, 'till', 'index.html'), 'till')
  symlinkSync(join(folder, 'secret.txt'), join(site, 'link.txt'))
  symlinkSync(join(site, 'app.js'), join(site, 'same.js'))
  app = await buildServer({ backend: fakeBackend(), site })
})
after(async () => {
  await app?.close()
  rmSync(folder, { recursive: true })
})
const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })

test('site: files are sent with their type and checked for changes', async () => {
  const answer = await get('/site/app.js?v=1')
  assert.deepEqual([answer.statusCode, answer.body], [200, 'export {}'])
  assert.equal(answer.headers['content-type'], 'text/javascript; charset=utf-8')
  assert.deepEqual(
    [answer.headers['x-content-type-options'], answer.headers['cache-control']],
    ['nosniff', 'no-cache'],
  )
  const headers = { 'if-none-match': String(answer.headers.etag) }
  assert.deepEqual(
    [(await get('/site/app.js', headers)).statusCode, (await get('/site/same.js')).body],
    [304, 'export {}'],
  )
  utimesSync(join(site, 'app.js'), 1, 1)
  assert.equal((await get('/site/app.js', headers)).statusCode, 200)
  assert.deepEqual(
    [(await get('/site/empty.css')).statusCode, (await get('/site/empty.css')).body],
    [200, ''],
  )
  const head = await app.inject({ method: 'HEAD', url: '/site/app.js' })
  assert.deepEqual([head.statusCode, head.headers['content-length'], head.body], [200, '9', ''])
})

test('site: a folder answers with its index, under an address that ends with a slash', async () => {
  assert.match((await get('/site/')).body, /app\.js/)
  assert.equal((await get('/site/till/')).body, 'till')
  for (const [from, to] of [
    ['/site', '/site/'],
    ['/site/till?a=b', '/site/till/?a=b'],
  ] as const) {
    const moved = await get(from)
    assert.deepEqual([moved.statusCode, moved.headers.location], [308, to])
  }
})

test('site: a file that becomes shorter while it is sent takes no other answer for its rest', async () => {
  const path = join(site, 'long.bin')
  writeFileSync(path, '')
  truncateSync(path, 64 * 1024 * 1024)
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }))
  const socket = connect(Number(port), '127.0.0.1')
  socket.write('GET /site/long.bin HTTP/1.1\r\nhost: a\r\n\r\n')
  socket.write('GET /site/app.js HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
  await once(socket, 'readable')
  truncateSync(path, 1024)
  let end = ''
  socket.on('data', (chunk) => {
    end = (end + chunk.toString('latin1')).slice(-1000)
  })
  socket.on('error', () => undefined)
  await once(socket, 'close')
  assert.ok(end.length > 0)
  assert.doesNotMatch(end, /export/)
})

test('site: nothing outside of the folder, nothing hidden and nothing by another verb is served', async () => {
  for (const path of [
    ...['../secret.txt', '%2e%2e/secret.txt', '..%2fsecret.txt', 'till/../../secret.txt', '..%5csecret.txt'],
    ...['link.txt', '.env', 'till/%00', 'app.js/more', 'nothing.js', '/etc/passwd', `${'x'.repeat(300)}`],
  ]) {
    const answer = await get(`/site/${path}`)
    assert.equal(answer.statusCode, 404, path)
    assert.doesNotMatch(answer.body, /secret|root:/)
  }
  assert.equal((await app.inject({ method: 'POST', url: '/site/app.js' })).statusCode, 404)
})

test('site: without the option the path is not there', async () => {
  const plain = await buildServer({ backend: fakeBackend() })
  assert.equal((await plain.inject({ url: '/site/app.js' })).statusCode, 404)
})
