// What it takes to read an image: formats differ in what their readers hold at a time.
import { pngHead } from './png.ts'

/**
 * Bytes that stand for one pixel of the limit: what one of three channels takes in the library, which has it
 * as it was read, and twice with opacity.
 */
const OF_PIXEL = 12
/** Of the library for each pixel, twice with opacity. */
const TWICE = 8
/** Of a photograph without loss in WebP, and with it. */
const [WITHOUT_LOSS, WITH_LOSS] = [15, 13]
/** How often a file of WebP is held while it is read: noise without loss is longer than its pixels. */
const COPIES_OF_WEBP = 5
/** The same of a PNG that is read row by row: its bytes, their base64, and what came of both on the way. */
const COPIES_OF_PNG = 5

/**
 * Pixels as the limit counts them: those there are, or as many as would take the memory that this file takes
 * to be read, if that is more. `size` is the file's, of which the beginning is enough.
 */
export function countedPixels(
  { kind, width, height }: { readonly kind: string; readonly width: number; readonly height: number },
  beginning: Uint8Array,
  size: number,
): number {
  const pixels = width * height
  const each = bytesEach(kind, beginning)
  if (each === null) return Math.max(pixels, Math.ceil((COPIES_OF_PNG * size) / OF_PIXEL))
  const held = kind === 'webp' ? COPIES_OF_WEBP * size : size
  return Math.max(pixels, Math.ceil((pixels * each + held) / OF_PIXEL))
}

/** Bytes that the library holds for each pixel; null for what is read row by row. */
function bytesEach(kind: string, beginning: Uint8Array): number | null {
  if (kind === 'png') {
    const head = pngHead(beginning)
    if (!head?.isInterlaced) return null
    return TWICE + channelsOf(head.colour) * (head.depth === 16 ? 2 : 1)
  }
  if (kind === 'jpg') return TWICE + ofJpeg(beginning)
  return Buffer.from(beginning.subarray(12, 16)).toString('latin1') === 'VP8 ' ? WITH_LOSS : WITHOUT_LOSS
}

/** A palette is three channels when it has been read. */
const channelsOf = (colour: number): number => ({ 0: 1, 2: 3, 3: 3, 4: 2, 6: 4 })[colour] ?? 4

/** Channels of a JPEG; where it comes in several scans, all its coefficients are held as well. */
function ofJpeg(content: Uint8Array): number {
  let [channels, isProgressive] = [4, true]
  for (let at = 2; at + 9 < content.length; ) {
    const [mark = 0, code = 0] = [content[at], content[at + 1]]
    if (mark !== 0xff) break
    // Fill bytes stand before a mark.
    if (code === 0xff) {
      at++
      continue
    }
    const isFrame = code >= 0xc0 && code <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(code)
    if (isFrame) {
      channels = content[at + 9] ?? 4
      isProgressive = ![0xc0, 0xc1].includes(code)
    }
    // The first scan: does it bring all channels?
    if (code === 0xda) {
      isProgressive ||= (content[at + 4] ?? 0) < channels
      break
    }
    at += 2 + ((content[at + 2] ?? 0) << 8) + (content[at + 3] ?? 0)
  }
  return channels + (isProgressive ? 2 * channels : 0)
}
