// Orientation of photographs: cameras store pixels as the sensor lay and note how to turn them; smaller
// versions are stored upright.

import { letGo } from '../../kit/bytes.ts'
import { present } from '../../kit/present.ts'
import type { Picture } from './source.ts'

/**
 * Where the upright image's first pixel is in the stored one, and how far the next one to the right and the
 * next one below are from it.
 */
function stepsOf(
  orientation: number,
  width: number,
  height: number,
): readonly [start: number, right: number, below: number] {
  const [lastColumn, lastRow] = [width - 1, (height - 1) * width]
  switch (orientation) {
    case 2:
      return [lastColumn, -1, width]
    case 3:
      return [lastRow + lastColumn, -1, -width]
    case 4:
      return [lastRow, 1, -width]
    case 5:
      return [0, width, 1]
    case 6:
      return [lastRow, -width, 1]
    case 7:
      return [lastRow + lastColumn, -width, -1]
    case 8:
      return [lastColumn, width, -1]
    default:
      return [0, 1, width]
  }
}

/** An image whose EXIF orientation is known, upright; pixels that lay otherwise are given back. */
export function turned(image: Picture, orientation: number): Picture {
  if (orientation <= 1 || orientation > 8) return image
  const { width, height } = image
  const from = new Uint32Array(image.pixels.buffer)
  const [w, h] = orientation >= 5 ? [height, width] : [width, height]
  const [start, right, below] = stepsOf(orientation, width, height)
  const pixels = new Uint32Array(w * h)
  for (let y = 0, to = 0; y < h; y++) {
    for (let x = 0, at = start + y * below; x < w; x++, at += right) pixels[to++] = present(from[at])
  }
  letGo(image.pixels)
  return { pixels: new Uint8ClampedArray(pixels.buffer), width: w, height: h }
}
