// The thread that makes images smaller: decodes once, shrinks step by step, encodes. Files that cannot be
// read end the thread, not the server.
import { parentPort } from 'node:worker_threads'
import { crop, PhotonImage, resize, SamplingFilter } from '@cf-wasm/photon/node'
import { fitOf } from './fit.ts'
import { turned } from './orientation.ts'
import type { Shrunk, Task } from './shrink.ts'

const JPEG_QUALITY = 85

parentPort?.on('message', (task: Task) => parentPort?.postMessage(run(task)))

function run(task: Task): Shrunk {
  let image = upright(PhotonImage.new_from_byteslice(task.content), task.orientation)
  const [width, height] = [image.get_width(), image.get_height()]
  const made: Uint8Array[] = []
  const follow = (next: PhotonImage) => {
    image.free()
    image = next
  }
  for (const box of task.boxes) {
    const fit = fitOf(width, height, box)
    if (fit?.cut)
      follow(crop(image, fit.cut.x, fit.cut.y, fit.cut.x + fit.cut.width, fit.cut.y + fit.cut.height))
    if (fit) follow(resize(image, fit.width, fit.height, SamplingFilter.Lanczos3))
    made.push(encoded(image, task.kind))
  }
  image.free()
  return made
}

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
