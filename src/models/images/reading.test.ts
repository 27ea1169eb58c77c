// Pixels as the limit counts them: by the memory that it takes to read them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PhotonImage } from '@cf-wasm/photon/node'
import { progressiveJpeg } from '../../../test/support/jpeg.ts'
import { plainPng } from '../../../test/support/png.ts'
import { plainWebp } from '../../../test/support/webp.ts'
import { PayloadTooLarge } from '../../errors.ts'
import { countedPixels } from './reading.ts'
import { pixelsOf, shrink } from './shrink.ts'

const counted = (kind: string, content: Buffer, side: number) =>
  countedPixels({ kind, width: side, height: side }, content, content.length) / side ** 2

test('progressive photographs and interlaced PNG of 16 bits count for more, PNG in rows for as many as there are', () => {
  assert.equal(counted('png', plainPng(600, 600, 'rgba-16'), 600), 1)
  assert.ok(counted('png', plainPng(600, 600, 'rgba-16', { interlaced: true }), 600) > 1.3)
  assert.equal(counted('png', plainPng(600, 600, 'palette', { interlaced: true }), 600), 1)
  assert.ok(counted('jpg', progressiveJpeg(600, 600, 3), 600) > 1.4)
  assert.ok(counted('jpg', progressiveJpeg(600, 600, 4), 600) > 1.6)
  const image = new PhotonImage(new Uint8Array(600 * 600 * 4), 600, 600)
  assert.equal(counted('jpg', Buffer.from(image.get_bytes_jpeg(80)), 600), 1)
  assert.ok(counted('webp', Buffer.from(image.get_bytes_webp()), 600) > 1.2)
  image.free()
})

test('a file that is large for its pixels counts as well', () => {
  const size = { width: 1000, height: 1000 }
  assert.equal(countedPixels({ kind: 'jpg', ...size }, progressiveJpeg(1000, 1000, 1), 0), 1_000_000)
  assert.equal(countedPixels({ kind: 'jpg', ...size }, progressiveJpeg(1000, 1000, 1), 12_000_000), 1_916_667)
  // Pixels of a PNG in rows are never held all at once, its file is.
  const rows = plainPng(1000, 1000, 'rgba')
  assert.equal(countedPixels({ kind: 'png', ...size }, rows, 2_000_000), 1_000_000)
  assert.equal(countedPixels({ kind: 'png', ...size }, rows, 12_000_000), 5_000_000)
  // Of WebP as often as it is held meanwhile.
  assert.equal(countedPixels({ kind: 'webp', ...size }, plainWebp(1000, 1000), 0), 1_083_334)
  assert.equal(countedPixels({ kind: 'webp', ...size }, plainWebp(1000, 1000), 12_000_000), 6_083_334)
})

test('a picture whose file says that it takes too much is refused before it is read', async () => {
  const content = progressiveJpeg(3400, 3400, 4)
  await assert.rejects(shrink(content, [128]), PayloadTooLarge)
  assert.ok(pixelsOf(content.toString('base64')) > 12_500_000)
})
