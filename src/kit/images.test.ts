// Smaller versions of images.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { imageSize } from 'image-size'
import sharp from 'sharp'
import { progressiveJpeg } from '../../test/support/jpeg.ts'
import { plainPng, pngOf } from '../../test/support/png.ts'
import { plainWebp } from '../../test/support/webp.ts'
import { PayloadTooLarge } from '../errors.ts'
import { fitImage, fitOf, shrink } from './images.ts'
import { present } from './present.ts'

const picture = pngOf(300, 200, (x, y) => [x % 256, y, 90])

test('a file whose header has no end is left alone', async () => {
  // A list of icons whose first one has no length: a reader that follows the list never ends.
  const icons = Buffer.concat([Buffer.from('icns\0\0\x10\0ic07\0\0\0\0', 'latin1'), Buffer.alloc(64)])
  assert.equal((await shrink(icons, [128])).size, 0)
})

test('an image comes in every size that it does not fit in, in its proportions', async () => {
  const versions = await shrink(picture, [1024, 256, 128])
  assert.deepEqual([...versions.keys()], [256, 128])
  const sizes = [...versions.values()].map((content) => imageSize(content))
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
    cut: { left: 50, top: 0, width: 200, height: 200 },
  })
  assert.deepEqual(fitOf(300, 200, { width: 600, height: 200, crop: true }), {
    width: 300,
    height: 100,
    cut: { left: 0, top: 50, width: 300, height: 100 },
  })
  for (const box of [
    { width: 300, height: 200, crop: true },
    { width: 900, height: 0 },
    { width: 0, height: 0, crop: true },
  ])
    assert.equal(fitOf(300, 200, box), null)
  const sizeOf = (content: Buffer | null) => content && [imageSize(content).width, imageSize(content).height]
  assert.deepEqual(sizeOf(await fitImage(picture, { width: 30, height: 40, crop: true })), [30, 40])
  assert.deepEqual(sizeOf(await fitImage(picture, { width: 30, height: 40 })), [30, 20])
  assert.equal(await fitImage(picture, { width: 300, height: 400 }), null)
})

test('files that cannot be decoded or made smaller are left unchanged, and later ones are processed', async () => {
  const broken = Buffer.concat([picture.subarray(0, 60), Buffer.alloc(200, 7)])
  const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9000" height="9000"/>')
  const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
  for (const content of [broken, drawing, gif, Buffer.from('no image'), Buffer.alloc(0)])
    assert.equal((await shrink(content, [128])).size, 0)
  assert.equal((await shrink(picture, [128])).size, 1)
})

test('an image that its EXIF data turns is upright in its smaller versions, in every format', async () => {
  const plain = sharp({ create: { width: 400, height: 200, channels: 3, background: 'red' } })
  for (const format of ['jpeg', 'png', 'webp'] as const) {
    const turned = await plain.clone().withMetadata({ orientation: 6 })[format]().toBuffer()
    const { width, height } = imageSize(present((await shrink(turned, [128])).get(128)))
    assert.deepEqual([width, height], [64, 128], format)
  }
})

test('a JPEG file whose headers say no pixels and others is left unchanged', async () => {
  const plain = await sharp({ create: { width: 300, height: 200, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer()
  // Decoders skip the doubled 0xff, so the frame in the second comment is no frame to them. A reader that
  // takes each 0xff for a marker jumps into the comment, and finds an image of 5000 by 0 pixels.
  const comment = Buffer.alloc(0xffff - 2)
  comment.set([0xff, 0xc0, 0, 17, 8, 0, 0, 5000 >> 8, 5000 & 0xff], 0xfeff - 3)
  const first = Buffer.from([0xff, 0xd8, 0xff, 0xfe, 0, 6, 0, 0, 0, 0, 0xff, 0xff, 0xfe, 0xff, 0xff])
  const forged = Buffer.concat([first, comment, plain.subarray(2)])
  const { width, height } = await sharp(forged).metadata()
  assert.deepEqual([width, height], [300, 200])
  assert.equal((await shrink(forged, [128])).size, 0)
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
  const lists = await Promise.all([shrink(picture, [64]), shrink(picture, [32]), shrink(picture, [16])])
  assert.deepEqual(
    lists.map((versions) => [...versions.values()].map((content) => imageSize(content).width)),
    [[64], [32], [16]],
  )
})

/** A photograph of 300 × 200 stored pixels, red on the left and blue on the right, with an EXIF orientation. */
const photograph = (orientation: number) =>
  sharp(pngOf(300, 200, (x) => (x < 150 ? [255, 0, 0] : [0, 0, 255])))
    .withMetadata({ orientation })
    .jpeg({ quality: 90 })
    .toBuffer()

/** Whether a pixel is red, blue or neither. */
async function colourAt(content: Buffer, at: 'first' | 'last') {
  const pixels = await sharp(content).removeAlpha().raw().toBuffer()
  const [red = 0, , blue = 0] = pixels.subarray(at === 'first' ? 0 : -3)
  return red > 200 && blue < 60 ? 'red' : blue > 200 && red < 60 ? 'blue' : 'neither'
}

test('photographs with an EXIF orientation become upright versions', async () => {
  // Red is on the left, on the right, on the right, …: where the first and the last pixel come to lie.
  const colours = { 1: 'red', 2: 'blue', 3: 'blue', 4: 'red', 5: 'red', 6: 'red', 7: 'blue', 8: 'blue' }
  for (const [orientation, first] of Object.entries(colours)) {
    const versions = await shrink(await photograph(Number(orientation)), [150, 60])
    const sizes = [...versions.values()].map((content) => {
      const { width, height, orientation: stored = 1 } = imageSize(content)
      return [width, height, stored]
    })
    const isTurned = Number(orientation) >= 5
    const upright = (long: number, short: number) => (isTurned ? [short, long, 1] : [long, short, 1])
    assert.deepEqual(sizes, [upright(150, 100), upright(60, 40)], orientation)
    for (const content of versions.values()) {
      assert.equal(await colourAt(content, 'first'), first, orientation)
      assert.equal(await colourAt(content, 'last'), first === 'red' ? 'blue' : 'red', orientation)
    }
  }
})

test('a photograph stored on its side is cropped to the proportions of the upright one', async () => {
  const cut = imageSize(present(await fitImage(await photograph(6), { width: 60, height: 30, crop: true })))
  assert.deepEqual([cut.width, cut.height], [60, 30])
})

test('versions keep the format of the image, whatever its channels, depth and compression', async () => {
  const files: readonly (readonly [format: string, content: Buffer])[] = [
    ['png', plainPng(300, 300, 'rgba-16')],
    ['png', plainPng(300, 300, 'rgba-16', { interlaced: true })],
    ['png', plainPng(300, 300, 'rgb-16')],
    ['png', plainPng(300, 300, 'palette', { interlaced: true })],
    ['png', plainPng(300, 300, 'grey')],
    ['jpg', progressiveJpeg(304, 304, 1)],
    ['jpg', progressiveJpeg(304, 304, 3)],
    ['jpg', progressiveJpeg(304, 304, 4)],
    ['webp', plainWebp(304, 304)],
  ]
  for (const [format, content] of files) {
    const versions = await shrink(content, [128, 64])
    assert.deepEqual(
      [...versions.values()].map((version) => [imageSize(version).type, imageSize(version).width]),
      [
        [format, 128],
        [format, 64],
      ],
    )
  }
})

test('animations in WebP are left unchanged', async () => {
  const frames = [pngOf(90, 90, () => [255, 0, 0]), pngOf(90, 90, () => [0, 0, 255])]
  const animation = await sharp(frames, { join: { animated: true } })
    .webp()
    .toBuffer()
  assert.equal((await sharp(animation).metadata()).pages, 2)
  assert.equal((await shrink(animation, [30])).size, 0)
})

test('transparency is kept', async () => {
  const clear = await sharp({
    create: { width: 90, height: 90, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
  })
    .webp()
    .toBuffer()
  const small = present((await shrink(clear, [30])).get(30))
  assert.equal((await sharp(small).stats()).isOpaque, false)
})
