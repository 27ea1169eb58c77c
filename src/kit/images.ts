// Smaller versions of images: the size is read from the header, pixels are processed by libvips outside of
// the event loop (docs/decisions/0006).
import { disableTypes, imageSize, types } from 'image-size'
import type { Sharp } from 'sharp'
import { assertWithin } from '../limits.ts'
import { Gate } from './gate.ts'

/** Formats that are made smaller; drawings (SVG) and animations (GIF) are left unchanged. */
const ENCODERS = {
  jpg: (image: Sharp) => image.jpeg({ quality: 85 }),
  png: (image: Sharp) => image.png(),
  webp: (image: Sharp) => image.webp({ quality: 85 }),
}
type Format = keyof typeof ENCODERS
const isShrinkable = (format: string): format is Format => Object.hasOwn(ENCODERS, format)

/**
 * Formats whose headers are read, all of them at fixed offsets. `image-size` follows lists of lengths in the
 * others, which a hostile file can make endless (icons of macOS).
 */
const READ: ReadonlySet<string> = new Set([...Object.keys(ENCODERS), 'gif', 'bmp'])
disableTypes(types.filter((type) => !READ.has(type)))

/** Bytes that contain most headers, and the most that is read: some formats put metadata first. */
const [SHORT_HEADER, LONG_HEADER] = [4096, 1024 ** 2]

/** One image at a time: each takes up to 12 bytes of memory a pixel, which the limit of pixels bounds. */
const gate = new Gate({
  places: 1,
  queue: 100,
  patienceMs: 2500,
  refusal: 'Too many images are being processed. Try again in a moment.',
})

/** A file: its bytes, or their base64, which is decoded when its turn has come. */
type File = Uint8Array | string

interface Header {
  readonly format: string
  /** Pixels of the upright image. */
  readonly width: number
  readonly height: number
}

const beginningOf = (file: File, bytes: number): Uint8Array =>
  typeof file === 'string' ? Buffer.from(file.slice(0, 2 * bytes), 'base64') : file.subarray(0, bytes)

/** The header; null for unknown formats, broken files and images without pixels, which are stored unchanged. */
function headerOf(file: File, bytes = LONG_HEADER): Header | null {
  try {
    const { type: format = '', width, height, orientation = 1 } = imageSize(beginningOf(file, bytes))
    // The product limits what the decoder reads; the decoder takes 0 as no limit.
    if (width * height === 0) return null
    return orientation >= 5 ? { format, width: height, height: width } : { format, width, height }
  } catch {
    return null
  }
}

/** Pixels that would be processed of an image in base64, by its header; 0 for anything else. */
export function pixelsOf(base64: string): number {
  const header = headerOf(base64, SHORT_HEADER) ?? headerOf(base64)
  return header && isShrinkable(header.format) ? header.width * header.height : 0
}

/**
 * An image in squares of the given sides, by side. Sides into which it fits are left out, and so is
 * everything for formats that are not made smaller and for files that cannot be read. `spend` receives the
 * number of pixels before they are read. Throws PayloadTooLarge for an image of too many pixels, and
 * ServiceUnavailable when too many images wait.
 */
export async function shrink(
  file: File,
  sides: readonly number[],
  spend?: (pixels: number) => void,
): Promise<Map<number, Buffer>> {
  const boxes = [...new Set(sides)].sort((a, b) => b - a).map((side) => ({ width: side, height: side }))
  const versions = await inBoxes(file, boxes, spend)
  return new Map([...versions].map(([box, content]) => [box.width, content]))
}

/** An image made to fit into a box; null where it is left unchanged. Throws like `shrink`. */
export async function fitImage(content: Uint8Array, box: Box): Promise<Buffer | null> {
  return (await inBoxes(content, [box])).get(box) ?? null
}

/** Versions by box; the boxes come largest first, and a box that crops comes alone. */
async function inBoxes(
  file: File,
  boxes: readonly Box[],
  spend?: (pixels: number) => void,
): Promise<Map<Box, Buffer>> {
  const header = headerOf(file)
  if (!header) return new Map()
  const { format, width, height } = header
  assertWithin('pixels', width * height)
  const smaller = boxes.filter((box) => fitOf(width, height, box) !== null)
  if (!isShrinkable(format) || smaller.length === 0) return new Map()
  spend?.(width * height)
  const leave = await gate.enter('')
  try {
    const content = typeof file === 'string' ? Buffer.from(file, 'base64') : file
    return await versionsOf(content, { ...header, format }, smaller)
  } finally {
    leave()
  }
}

/** Each version is made from the next larger one. Empty for a file that cannot be decoded. */
async function versionsOf(
  content: Uint8Array,
  { format, width, height }: Header & { readonly format: Format },
  boxes: readonly Box[],
): Promise<Map<Box, Buffer>> {
  const sharp = await library()
  let source: Sharp = sharp(content, { limitInputPixels: width * height, sequentialRead: true }).autoOrient()
  const versions = new Map<Box, Buffer>()
  try {
    // The header has the orientation of JPEG files only. Animations are left unchanged.
    const { autoOrient: upright, pages = 1 } = await source.metadata()
    if (pages > 1) return versions
    for (const box of boxes) {
      const fitted = fitOf(upright.width, upright.height, box)
      if (!fitted) continue
      const { cut, ...size } = fitted
      const part = cut ? source.extract(cut) : source
      const { data, info } = await part
        .resize({ ...size, fit: 'fill' })
        .timeout({ seconds: 30 })
        .raw()
        .toBuffer({ resolveWithObject: true })
      source = sharp(data, { raw: info })
      versions.set(box, await ENCODERS[format](source.clone()).toBuffer())
    }
  } catch {
    return new Map()
  }
  return versions
}

/** The library, loaded with the first image; decoders of formats that are not made smaller are blocked. */
async function library() {
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: ['VipsForeignLoad'] })
  const decoders = ['Jpeg', 'Png', 'Webp'].map((format) => `VipsForeignLoad${format}`)
  sharp.unblock({ operation: decoders })
  return sharp
}

// The size of an image that is to fit into a box, and the part of it that is shown.

/** Room for an image, in pixels; a side of 0 has no limit. */
export interface Box {
  readonly width: number
  readonly height: number
  /**
   * Whether the box is filled: what exceeds its proportions is cut off equally on both sides. Needs both
   * sides.
   */
  readonly crop?: boolean
}

interface Fit {
  readonly width: number
  readonly height: number
  /** The part that is shown, in pixels of the whole image; null for all of it. */
  readonly cut: {
    readonly left: number
    readonly top: number
    readonly width: number
    readonly height: number
  } | null
}

/** The size of an image in a box: with its proportions and never enlarged. Null if it fits unchanged. */
export function fitOf(width: number, height: number, box: Box): Fit | null {
  const cut =
    box.crop && box.width > 0 && box.height > 0 ? cutOf(width, height, box.width / box.height) : null
  const [w, h] = cut ? [cut.width, cut.height] : [width, height]
  const scale = Math.min(1, box.width > 0 ? box.width / w : 1, box.height > 0 ? box.height / h : 1)
  if (scale === 1 && !cut) return null
  return { width: Math.max(1, Math.round(w * scale)), height: Math.max(1, Math.round(h * scale)), cut }
}

/** The middle of an image in other proportions; null where it has them. */
function cutOf(width: number, height: number, proportions: number): Fit['cut'] {
  const w = Math.max(1, Math.min(width, Math.round(height * proportions)))
  const h = Math.max(1, Math.min(height, Math.round(width / proportions)))
  if (w === width && h === height) return null
  return { left: Math.floor((width - w) / 2), top: Math.floor((height - h) / 2), width: w, height: h }
}
