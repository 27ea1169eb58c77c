// Where pixels come from, in bands of rows: an image is never in JavaScript's memory as a whole.
import { crop, type PhotonImage } from '@cf-wasm/photon/node'
import { letGo } from '../../kit/bytes.ts'

/** Four bytes a pixel, in rows. */
export interface Picture {
  readonly pixels: Uint8ClampedArray<ArrayBuffer>
  readonly width: number
  readonly height: number
}

export interface Source {
  readonly width: number
  readonly height: number
  /**
   * Rows from the first to the last, some at a time: four bytes a pixel. What was given is good until the
   * next is asked for.
   */
  bands(): Iterable<Uint8Array | Uint8ClampedArray> | AsyncIterable<Uint8Array>
}

export const ofPicture = ({ pixels, width, height }: Picture): Source => ({
  width,
  height,
  bands: () => [pixels],
})

/**
 * Pixels of a band. The library copies the whole image for each that it cuts out: few, and yet small beside
 * the image.
 */
const BAND = 1024 ** 2

/** An image that the library has read. */
export function ofImage(image: PhotonImage): Source {
  const [width, height] = [image.get_width(), image.get_height()]
  const tall = Math.max(1, Math.floor(BAND / width))
  const pixelsOf = (top: number): Uint8Array => {
    if (tall >= height) return image.get_raw_pixels()
    const band = crop(image, 0, top, width, Math.min(height, top + tall))
    try {
      return band.get_raw_pixels()
    } finally {
      band.free()
    }
  }
  return {
    width,
    height,
    *bands() {
      for (let top = 0; top < height; top += tall) {
        const pixels = pixelsOf(top)
        yield pixels
        letGo(pixels)
      }
    },
  }
}
