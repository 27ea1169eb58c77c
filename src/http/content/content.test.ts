// Paths, ranges and headers of files.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fastify from 'fastify'
import { BadRequest } from '../../errors.ts'
import type { Content } from '../../services/file-content.ts'
import { nameOf, placeOf, sizeOf } from './place.ts'
import { placeholderFor } from './placeholder.ts'
import { rangeOf } from './range.ts'
import { sendContent } from './send.ts'

test('paths name attachments, fields and external ids', () => {
  const token = undefined
  assert.deepEqual(placeOf(['12'], {}), { kind: 'attachment', id: 12, token })
  assert.deepEqual(placeOf(['12-abc', 'name.pdf'], {}), { kind: 'attachment', id: 12, token })
  assert.deepEqual(placeOf(['res.partner', '3', 'image_128', '64x64'], {}), {
    kind: 'field',
    model: 'res.partner',
    id: 3,
    field: 'image_128',
  })
  assert.deepEqual(placeOf(['base.logo'], { field: 'x' }), {
    kind: 'xmlid',
    xmlid: 'base.logo',
    field: 'x',
    token,
  })
  assert.deepEqual(placeOf([], { model: 'res.partner', id: '3', field: 'image_128' }), {
    kind: 'field',
    model: 'res.partner',
    id: 3,
    field: 'image_128',
  })
  assert.deepEqual(placeOf([], { id: '3', access_token: 't' }), { kind: 'attachment', id: 3, token: 't' })
  for (const parts of [[], ['nonsense'], ['99999999999'], ['a/b.c']])
    assert.equal(placeOf(parts, {}), null, parts.join('/'))
})

test('paths may name their file, after the place and after a size', () => {
  for (const path of ['12/a b.pdf', 'res.partner/3/raw/a b.pdf', 'base.logo/a b.pdf', '12/64x32/a b.pdf'])
    assert.equal(nameOf(path.split('/')), 'a b.pdf', path)
  for (const path of ['12', 'res.partner/3/raw', 'base.logo', '12/64x32', ''])
    assert.equal(nameOf(path.split('/')), undefined, path)
})

test('range headers answer parts of a file', () => {
  const of = (header: string, size = 10) => rangeOf(header, size)
  assert.deepEqual(of('bytes=2-4'), { start: 2, end: 4 })
  assert.deepEqual(of('bytes=7-'), { start: 7, end: 9 })
  assert.deepEqual(of('bytes=-3'), { start: 7, end: 9 })
  assert.deepEqual(of('bytes=-30'), { start: 0, end: 9 })
  assert.deepEqual(of('bytes=5-100'), { start: 5, end: 9 })
  for (const header of ['bytes=10-', 'bytes=-0', 'bytes=11-12']) assert.equal(of(header), 'outside', header)
  for (const header of ['bytes=4-2', 'bytes=1-2,4-5', 'items=1-2', 'bytes=-', ''])
    assert.equal(of(header), 'whole', header)
  assert.equal(of('bytes=0-', 0), 'outside')
})

const bytes = Buffer.from('0123456789')
const content = (more: Partial<Content> = {}): Content => ({
  name: 'a.txt',
  mimetype: 'text/plain',
  size: bytes.length,
  etag: 'abc',
  open: false,
  drawn: false,
  read: (start, end) => bytes.subarray(start, end + 1),
  ...more,
})

async function send(sent: Content, headers: Record<string, string> = {}, url = '/') {
  const app = fastify()
  app.get('/', (request, reply) => sendContent(request, reply, sent, request.query as object))
  const response = await app.inject({ url, headers })
  await app.close()
  return response
}

test('whole, in part, not at all when it is known already', async () => {
  const whole = await send(content())
  assert.deepEqual(
    [whole.statusCode, whole.body, whole.headers['content-length'], whole.headers.etag],
    [200, '0123456789', '10', '"abc"'],
  )
  assert.match(String(whole.headers['cache-control']), /^private/)
  const part = await send(content(), { range: 'bytes=2-4' })
  assert.deepEqual([part.statusCode, part.body, part.headers['content-range']], [206, '234', 'bytes 2-4/10'])
  const changed = await send(content(), { range: 'bytes=2-4', 'if-range': '"other"' })
  assert.equal(changed.statusCode, 200)
  assert.equal((await send(content(), { range: 'bytes=20-' })).statusCode, 416)
  const unchanged = await send(content(), { 'if-none-match': 'W/"x", "abc"' })
  assert.deepEqual([unchanged.statusCode, unchanged.body], [304, ''])
})

test('only what browsers do not run is shown inline', async () => {
  const how = async (more: Partial<Content>, url?: string) =>
    String((await send(content(more), {}, url)).headers['content-disposition'])
  assert.equal(await how({}), 'inline; filename=a.txt')
  assert.equal(await how({}, '/?download=1'), 'attachment; filename=a.txt')
  assert.equal(await how({}, '/?download=0&filename=b.txt'), 'inline; filename=b.txt')
  for (const mimetype of [
    'text/html',
    'image/svg+xml',
    'application/xml',
    'text/javascript',
    'application/octet-stream',
    'application/xhtml+xml',
  ]) {
    assert.match(await how({ mimetype }), /^attachment;/, mimetype)
  }
  assert.match(await how({ mimetype: 'image/svg+xml', drawn: true }), /^inline;/)
  assert.equal(
    await how({ name: 'é "x"\r\n.txt' }),
    `inline; filename="_ _x___.txt"; filename*=UTF-8''%C3%A9%20%22x%22%0D%0A.txt`,
  )
  assert.equal(
    (await send(content({ mimetype: 'a\r\nb' }))).headers['content-type'],
    'application/octet-stream',
  )
  const sent = await send(content({ mimetype: 'text/html' }))
  assert.equal(sent.headers['x-content-type-options'], 'nosniff')
  assert.match(String(sent.headers['content-security-policy']), /sandbox/)
})

test('sizes of images stand in the path or in the query', () => {
  const size = (width: number, height: number, crop = false) => ({ width, height, crop })
  assert.deepEqual(sizeOf(['12', '64x32'], {}), size(64, 32))
  assert.deepEqual(sizeOf(['12-abc', '64x0', 'name.png'], {}), size(64, 0))
  assert.deepEqual(sizeOf(['base.logo', '10x20'], { crop: '1' }), size(10, 20, true))
  assert.deepEqual(
    sizeOf(['res.partner', '3', 'image_1920', '64x64', 'x.png'], { crop: 'false' }),
    size(64, 64),
  )
  assert.deepEqual(sizeOf(['res.partner', '3', 'image_1920'], { height: '7' }), size(0, 7))
  for (const parts of [['12'], ['12', 'name64x32.png'], ['12', '0x0'], ['res.partner', '3', '64x32']])
    assert.equal(sizeOf(parts, {}), undefined)
  for (const width of ['-1', 'abc', '1.5', '1e3', '9999999999'])
    assert.throws(() => sizeOf(['12'], { width }), BadRequest, width)
})

test('the placeholder is a PNG of the size that is asked for', () => {
  const sideOf = (box?: { width?: number; height?: number }) => {
    const image = placeholderFor(box)
    const bytes = image.read(0, image.size - 1) as Buffer
    assert.equal(bytes.subarray(1, 4).toString(), 'PNG')
    assert.equal(bytes.length, image.size)
    return bytes.readUInt32BE(16)
  }
  assert.deepEqual(
    [sideOf(), sideOf({ width: 128 }), sideOf({ width: 40, height: 90 }), sideOf({ height: 5000 })],
    [64, 128, 40, 256],
  )
})
