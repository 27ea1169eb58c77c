// The thread that makes images smaller: decodes once, shrinks step by step, encodes. Files that cannot be
// read end the thread, not the server.
import { parentPort } from 'node:worker_threads'
import { PhotonImage } from '@cf-wasm/photon/node'
import { type Box, fitOf } from './fit.ts'
import { turned } from './orientation.ts'
import { resampled } from './resample.ts'
import type { Shrunk, Task } from './shrink.ts'

const JPEG_QUALITY = 85

parentPort?.on('message', (task: Task) => parentPort?.postMessage(run(task)))

function run({ content, kind, orientation, boxes }: Task): Shrunk {
  let image = PhotonImage.new_from_byteslice(content)
  const size = { width: image.get_width(), height: image.get_height() }
  const made: Uint8Array[] = []
  // The first version is turned, and others are made of it: a large image is never turned as a whole.
  const lies = orientation >= 5 && orientation <= 8
  for (const [at, box] of boxes.entries()) {
    const fit = fitOf(size.width, size.height, lies ? turnedBox(box) : box)
    if (!fit) throw new Error('an image is asked for in a size that it has')
    const sides = lies && at > 0 ? { width: fit.height, height: fit.width } : fit
    const part = fit.cut ?? { x: 0, y: 0, width: image.get_width(), height: image.get_height() }
    const next = resampled(image, part, sides.width, sides.height)
    image.free()
    image = at > 0 ? next : upright(next, orientation)
    made.push(encoded(image, kind))
  }
  image.free()
  return made
}

const turnedBox = ({ width, height, ...rest }: Box): Box => ({ ...rest, width: height, height: width })

/** The library writes WebP without loss only: photographs are better off as JPEG. */
function encoded(image: PhotonImage, kind: Task['kind']): Uint8Array {
  if (kind === 'jpg' || (kind === 'webp' && isOpaque(image))) return image.get_bytes_jpeg(JPEG_QUALITY)
  return kind === 'png' ? image.get_bytes() : image.get_bytes_webp()
}

function isOpaque(image: PhotonImage): boolean {
  const pixels = image.get_raw_pixels()
  for (let i = 3; i < pixels.length; i += 4) if (pixels[i] !== 255) return false
  return true
}

function upright(image: PhotonImage, orientation: number): PhotonImage {
  if (orientation <= 1 || orientation > 8) return image
  const { pixels, width, height } = turned(
    image.get_raw_pixels(),
    image.get_width(),
    image.get_height(),
    orientation,
  )
  image.free()
  return new PhotonImage(new Uint8Array(pixels.buffer), width, height)
}
