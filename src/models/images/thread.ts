// The thread that makes images smaller: decodes once, shrinks step by step, encodes. Files that cannot be
// read end the thread, not the server.
import { parentPort } from 'node:worker_threads'
import { PhotonImage } from '@cf-wasm/photon/node'
import { letGo } from '../../kit/bytes.ts'
import { type Box, fitOf } from './fit.ts'
import { turned } from './orientation.ts'
import { ofPng } from './png.ts'
import { resampled } from './resample.ts'
import type { Shrunk, Task } from './shrink.ts'
import { ofImage, ofPicture, type Picture, type Source } from './source.ts'

const JPEG_QUALITY = 85

parentPort?.on('message', async (task: Task) => {
  const made = await run(task)
  parentPort?.postMessage(
    made,
    made.map(({ buffer }) => buffer),
  )
})

async function run({ content, kind, orientation, boxes }: Task): Promise<Shrunk> {
  const whole = ofPng(content) ?? readWhole(content)
  let source: Source = whole instanceof PhotonImage ? ofImage(whole) : whole
  let picture: Picture | undefined
  const { width, height } = source
  const made: Uint8Array<ArrayBuffer>[] = []
  // The first version is turned, and others are made of it: a large image is never turned as a whole.
  const lies = orientation >= 5 && orientation <= 8
  for (const box of boxes) {
    const fit = fitOf(width, height, lies ? turnedBox(box) : box)
    if (!fit) throw new Error('an image is asked for in a size that it has')
    const sides = lies && picture ? { width: fit.height, height: fit.width } : fit
    const part = fit.cut ?? { x: 0, y: 0, width: source.width, height: source.height }
    const smaller = await resampled(source, part, sides.width, sides.height)
    if (picture) letGo(picture.pixels)
    else if (whole instanceof PhotonImage) whole.free()
    picture = picture ? smaller : turned(smaller, orientation)
    source = ofPicture(picture)
    made.push(encoded(picture, kind))
  }
  return made
}

/** The library has a copy of the file while it reads it. */
function readWhole(content: Uint8Array): PhotonImage {
  const image = PhotonImage.new_from_byteslice(content)
  letGo(content)
  return image
}

const turnedBox = ({ width, height, ...rest }: Box): Box => ({ ...rest, width: height, height: width })

/** The library writes WebP without loss only: photographs are better off as JPEG. */
function encoded(picture: Picture, kind: Task['kind']): Uint8Array<ArrayBuffer> {
  const { pixels, width, height } = picture
  const image = new PhotonImage(new Uint8Array(pixels.buffer), width, height)
  try {
    return new Uint8Array(bytesOf(image, kind === 'webp' && isOpaque(picture) ? 'jpg' : kind))
  } finally {
    image.free()
  }
}

function bytesOf(image: PhotonImage, kind: Task['kind']): Uint8Array {
  if (kind === 'jpg') return image.get_bytes_jpeg(JPEG_QUALITY)
  return kind === 'png' ? image.get_bytes() : image.get_bytes_webp()
}

function isOpaque({ pixels }: Picture): boolean {
  for (let i = 3; i < pixels.length; i += 4) if (pixels[i] !== 255) return false
  return true
}
