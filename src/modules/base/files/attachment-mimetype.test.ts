// Kinds of attachments, without a database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mimetypeOf } from './attachment-mimetype.ts'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

test('given, by name, by content, in this order', async () => {
  assert.equal(await mimetypeOf('application/x-mine', 'x.bin', png, true), 'application/x-mine')
  assert.equal(await mimetypeOf(undefined, 'a.TXT', png, true), 'text/plain')
  assert.equal(await mimetypeOf(undefined, 'data.json', Buffer.from('{}'), true), 'application/json')
  assert.equal(await mimetypeOf(null, 'noext', png, true), 'image/png')
  assert.equal(await mimetypeOf('text/csv; charset=utf-8', 'x', null, true), 'text/csv; charset=utf-8')
  for (const none of ['', 'image', 'image/png\r\nx: y', 'a/b/c', 'text/plain; x'])
    assert.equal(await mimetypeOf(none, 'noext', png, true), 'image/png', none)
  assert.equal(await mimetypeOf(false, 'noext', null, true), 'application/octet-stream')
  assert.equal(await mimetypeOf(undefined, 'x.constructor', null, true), 'application/octet-stream')
})

test('what a browser would run is plain text from people who are not trusted', async () => {
  assert.equal(await mimetypeOf('text/html', 'a', null, false), 'text/plain')
  assert.equal(await mimetypeOf(undefined, 'a.svg', null, false), 'text/plain')
  assert.equal(await mimetypeOf(undefined, 'a.svg', null, true), 'image/svg+xml')
  assert.match(await mimetypeOf(undefined, 'a.docx', null, false), /wordprocessingml/)
})
