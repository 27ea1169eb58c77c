// Images in another size, made in strips, beside the library's own work on the whole.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PhotonImage, resize, SamplingFilter } from '@cf-wasm/photon/node'
import { resampled } from './resample.ts'

/** Soft waves: edges would be sharper between the passes than within one. */
function waves(width: number, height: number): PhotonImage {
  const pixels = new Uint8Array(width * height * 4)
  for (let at = 0; at < width * height; at++) {
    const [x, y] = [at % width, Math.floor(at / width)]
    pixels.set(
      [128 + 90 * Math.sin(x / 40), 128 + 90 * Math.cos(y / 30), 128 + 90 * Math.sin((x + y) / 50), 255],
      at * 4,
    )
  }
  return new PhotonImage(pixels, width, height)
}

/** Columns of the image that were cut into strips: their pixels may differ by rounding only. */
test('strips do not show', () => {
  for (const [width, height, w, h] of [
    [2300, 1000, 1500, 900],
    [700, 2600, 520, 1920],
    [3000, 40, 2999, 39],
    [20, 1500, 1, 64],
  ] as const) {
    const image = waves(width, height)
    const strips = resampled(image, { x: 0, y: 0, width, height }, w, h)
    const whole = resize(image, w, h, SamplingFilter.CatmullRom)
    assert.deepEqual([strips.get_width(), strips.get_height()], [w, h])
    const [a, b] = [strips.get_raw_pixels(), whole.get_raw_pixels()]
    const far = a.reduce((far, value, at) => Math.max(far, Math.abs(value - (b[at] ?? -1000))), 0)
    assert.ok(far <= 3, `${width} x ${height}: ${far}`)
    for (const one of [image, strips, whole]) one.free()
  }
})

test('a part of an image is what is made of its pixels alone', () => {
  const image = waves(300, 200)
  const made = resampled(image, { x: 100, y: 50, width: 10, height: 20 }, 10, 20)
  const [pixels, whole] = [made.get_raw_pixels(), image.get_raw_pixels()]
  for (let y = 0; y < 20; y++) {
    const from = ((50 + y) * 300 + 100) * 4
    assert.deepEqual(pixels.subarray(y * 40, y * 40 + 40), whole.subarray(from, from + 40))
  }
  for (const one of [image, made]) one.free()
})
