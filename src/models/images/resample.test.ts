// Images in another size, made row by row, beside the library's own work on the whole.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PhotonImage, resize, SamplingFilter } from '@cf-wasm/photon/node'
import { resampled } from './resample.ts'
import { ofImage, ofPicture } from './source.ts'

/** Soft waves over an image whose opacity changes too. */
function waves(width: number, height: number): PhotonImage {
  const pixels = new Uint8Array(width * height * 4)
  for (let at = 0; at < width * height; at++) {
    const [x, y] = [at % width, Math.floor(at / width)]
    pixels.set(
      [
        128 + 90 * Math.sin(x / 40),
        128 + 90 * Math.cos(y / 30),
        128 + 90 * Math.sin((x + y) / 50),
        255 - (y % 99),
      ],
      at * 4,
    )
  }
  return new PhotonImage(pixels, width, height)
}

test('what is made row by row is what the library makes of the whole, but for rounding', async () => {
  for (const [width, height, w, h] of [
    [2300, 1000, 1500, 900],
    [700, 2600, 520, 1920],
    [3000, 40, 2999, 39],
    [20, 1500, 1, 64],
    // Wider than what is kept of each column.
    [70_000, 3, 700, 1],
    [5, 4, 5, 4],
  ] as const) {
    const image = waves(width, height)
    const made = await resampled(ofImage(image), { x: 0, y: 0, width, height }, w, h)
    const whole = resize(image, w, h, SamplingFilter.CatmullRom)
    assert.deepEqual([made.width, made.height], [w, h])
    const expected = whole.get_raw_pixels()
    const far = expected.reduce(
      (far, value, at) => Math.max(far, Math.abs(value - (made.pixels[at] ?? -1000))),
      0,
    )
    assert.ok(far <= 1, `${width} x ${height}: ${far}`)
    for (const one of [image, whole]) one.free()
  }
})

test('a part of an image is what is made of its pixels alone, wherever they come from', async () => {
  const image = waves(300, 200)
  const whole = image.get_raw_pixels()
  const picture = { pixels: new Uint8ClampedArray(whole), width: 300, height: 200 }
  for (const source of [ofImage(image), ofPicture(picture)]) {
    const { pixels } = await resampled(source, { x: 100, y: 50, width: 10, height: 20 }, 10, 20)
    for (let y = 0; y < 20; y++) {
      const from = ((50 + y) * 300 + 100) * 4
      assert.deepEqual([...pixels.subarray(y * 40, y * 40 + 40)], [...whole.subarray(from, from + 40)])
    }
  }
  image.free()
})
