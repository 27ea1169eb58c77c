// Smaller versions of images, made in their thread.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PhotonImage } from '@cf-wasm/photon/node'
import { imageSize } from 'image-size'
import { pngOf } from '../../../test/support/png.ts'
import { PayloadTooLarge } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import { fitOf } from './fit.ts'
import { turned } from './orientation.ts'
import { fit, shrink } from './shrink.ts'

const picture = pngOf(300, 200, (x, y) => [x % 256, y, 90])

test('a file whose header has no end is left alone', async () => {
  // A list of icons whose first one has no length: whoever goes from one to the next stays there.
  const icons = Buffer.concat([Buffer.from('icns\0\0\x10\0ic07\0\0\0\0', 'latin1'), Buffer.alloc(64)])
  assert.equal((await shrink(icons, [128])).size, 0)
})

test('an image comes in every size that it does not fit in, in its proportions', async () => {
  const made = await shrink(picture, [1024, 256, 128])
  assert.deepEqual([...made.keys()], [256, 128])
  const sizes = [...made.values()].map((content) => imageSize(content))
  assert.deepEqual(
    sizes.map(({ type, width, height }) => [type, width, height]),
    [
      ['png', 256, 171],
      ['png', 128, 85],
    ],
  )
  const tall = await shrink(
    pngOf(2, 400, () => [1, 2, 3]),
    [128],
  )
  const [small] = [...tall.values()].map((content) => imageSize(content))
  assert.deepEqual([small?.width, small?.height], [1, 128])
})

test('an image fits into a box, whole or cut to its proportions, and is never enlarged', async () => {
  assert.deepEqual(fitOf(300, 200, { width: 150, height: 150 }), { width: 150, height: 100, cut: null })
  assert.deepEqual(fitOf(300, 200, { width: 0, height: 50 }), { width: 75, height: 50, cut: null })
  assert.deepEqual(fitOf(300, 200, { width: 50, height: 50, crop: true }), {
    width: 50,
    height: 50,
    cut: { x: 50, y: 0, width: 200, height: 200 },
  })
  assert.deepEqual(fitOf(300, 200, { width: 600, height: 200, crop: true }), {
    width: 300,
    height: 100,
    cut: { x: 0, y: 50, width: 300, height: 100 },
  })
  for (const box of [
    { width: 300, height: 200, crop: true },
    { width: 900, height: 0 },
    { width: 0, height: 0, crop: true },
  ])
    assert.equal(fitOf(300, 200, box), null)
  const sizeOf = (content: Buffer | null) => content && [imageSize(content).width, imageSize(content).height]
  assert.deepEqual(sizeOf(await fit(picture, { width: 30, height: 40, crop: true })), [30, 40])
  assert.deepEqual(sizeOf(await fit(picture, { width: 30, height: 40 })), [30, 20])
  assert.equal(await fit(picture, { width: 300, height: 400 }), null)
})

test('what cannot be read or made smaller is left alone, and the thread goes on', async () => {
  const broken = Buffer.concat([picture.subarray(0, 60), Buffer.alloc(200, 7)])
  const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9000" height="9000"/>')
  const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
  for (const content of [broken, drawing, gif, Buffer.from('no image'), Buffer.alloc(0)])
    assert.equal((await shrink(content, [128])).size, 0)
  assert.equal((await shrink(picture, [128])).size, 1)
})

test('a small file that claims to be huge is refused before anybody unpacks it', async () => {
  await assert.rejects(
    shrink(
      pngOf(1, 1, () => [0, 0, 0], [30_000, 30_000]),
      [128],
    ),
    PayloadTooLarge,
  )
})

test('several images that come at once are made smaller one by one', async () => {
  const made = await Promise.all([shrink(picture, [64]), shrink(picture, [32]), shrink(picture, [16])])
  assert.deepEqual(
    made.map((versions) => [...versions.values()].map((content) => imageSize(content).width)),
    [[64], [32], [16]],
  )
})

test('photographs are turned upright', () => {
  // Two rows of three pixels, numbered as they are stored.
  const upright = (orientation: number) => {
    const stored = new Uint8ClampedArray(new Uint32Array([1, 2, 3, 4, 5, 6]).buffer)
    const { pixels, width, height } = turned({ pixels: stored, width: 3, height: 2 }, orientation)
    return [width, height, [...new Uint32Array(pixels.buffer)]]
  }
  assert.deepEqual(upright(2), [3, 2, [3, 2, 1, 6, 5, 4]])
  assert.deepEqual(upright(3), [3, 2, [6, 5, 4, 3, 2, 1]])
  assert.deepEqual(upright(4), [3, 2, [4, 5, 6, 1, 2, 3]])
  assert.deepEqual(upright(5), [2, 3, [1, 4, 2, 5, 3, 6]])
  assert.deepEqual(upright(6), [2, 3, [4, 1, 5, 2, 6, 3]])
  assert.deepEqual(upright(7), [2, 3, [6, 3, 5, 2, 4, 1]])
  assert.deepEqual(upright(8), [2, 3, [3, 6, 2, 5, 1, 4]])
})

test('a photograph that lies on its side becomes upright versions, in the box that stands', async () => {
  // Red above, blue below, stored lying: orientation 6 says to turn it to the right.
  const stored = pngOf(300, 200, (x) => (x < 150 ? [255, 0, 0] : [0, 0, 255]))
  const image = PhotonImage.new_from_byteslice(stored)
  const jpeg = Buffer.from(image.get_bytes_jpeg(90))
  image.free()
  const exif = Buffer.from('ffe1002245786966000049492a000800000001001201030001000000060000000000', 'hex')
  const lying = Buffer.concat([jpeg.subarray(0, 2), exif, Buffer.from('0000', 'hex'), jpeg.subarray(2)])
  const made = await shrink(lying, [150, 60])
  assert.deepEqual(
    [...made.values()].map((content) => [imageSize(content).width, imageSize(content).height]),
    [
      [100, 150],
      [40, 60],
    ],
  )
  for (const content of made.values()) {
    const small = PhotonImage.new_from_byteslice(content)
    const pixels = small.get_raw_pixels()
    assert.ok((pixels[0] ?? 0) > 200 && (pixels[2] ?? 255) < 60)
    assert.ok((pixels.at(-4) ?? 255) < 60 && (pixels.at(-2) ?? 0) > 200)
    small.free()
  }
  const cut = imageSize(present(await fit(lying, { width: 60, height: 30, crop: true })))
  assert.deepEqual([cut.width, cut.height], [60, 30])
})
