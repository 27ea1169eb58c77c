// An image in another size with little memory: first its columns are made shorter, then its rows, in strips.

import { crop, PhotonImage, resize, SamplingFilter } from '@cf-wasm/photon/node'

/** Where a part of an image is, in pixels. */
export interface Part {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/**
 * Pixels of a strip between the library's two passes. It keeps each in 16 bytes, so that a large photograph
 * as a whole would need more memory than for being read.
 */
const STRIP = 1024 ** 2

/** Bicubic: one from further away (Lanczos) takes a third longer, for what nobody sees in a photograph. */
const FILTER = SamplingFilter.CatmullRom

/**
 * A part of an image in the given size. A large one is worked on in strips: in each of the library's two
 * passes one side stays as it is, which makes every pixel a sum of its own column or row alone, and no strip
 * shows.
 */
export function resampled(image: PhotonImage, part: Part, width: number, height: number): PhotonImage {
  if (part.width * height <= STRIP && part.width === image.get_width() && part.height === image.get_height())
    return resize(image, width, height, FILTER)
  // The library copies the whole image for each part of it that it cuts out: few strips, as broad as may be.
  const shorter = new Uint8Array(part.width * height * 4)
  const columns = Math.ceil(STRIP / height)
  for (let x = 0; x < part.width; x += columns) {
    const broad = Math.min(columns, part.width - x)
    const left = part.x + x
    const pixels = sized(crop(image, left, part.y, left + broad, part.y + part.height), broad, height)
    for (let y = 0; y < height; y++)
      shorter.set(pixels.subarray(y * broad * 4, (y + 1) * broad * 4), (y * part.width + x) * 4)
    leave(pixels)
  }
  const made = narrowed(shorter, part.width, width, height)
  leave(shorter)
  return made
}

function narrowed(pixels: Uint8Array, from: number, width: number, height: number): PhotonImage {
  const made = new Uint8Array(width * height * 4)
  const rows = Math.ceil(STRIP / from)
  for (let y = 0; y < height; y += rows) {
    const tall = Math.min(rows, height - y)
    const strip = new PhotonImage(pixels.subarray(y * from * 4, (y + tall) * from * 4), from, tall)
    const narrow = sized(strip, width, tall)
    made.set(narrow, y * width * 4)
    leave(narrow)
  }
  const image = new PhotonImage(made, width, height)
  leave(made)
  return image
}

/** Gives memory back at once: the collector does not hurry for what is not in its heap. */
function leave(pixels: Uint8Array): void {
  if (pixels.buffer instanceof ArrayBuffer) pixels.buffer.transfer(0)
}

/** The pixels of a strip in the given size; the strip itself is given back. */
function sized(strip: PhotonImage, width: number, height: number): Uint8Array {
  const made = resize(strip, width, height, FILTER)
  strip.free()
  const pixels = made.get_raw_pixels()
  made.free()
  return pixels
}
