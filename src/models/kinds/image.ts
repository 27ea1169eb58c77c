// Recognizes images by their first bytes. Values are converted synchronously, which rules out detectors
// that read streams.

/** First bytes of formats that browsers show, and their position `at`. */
const signatures: readonly { readonly at: number; readonly bytes: string }[] = [
  { at: 0, bytes: '\x89PNG\r\n\x1a\n' },
  { at: 0, bytes: '\xff\xd8\xff' }, // JPEG
  { at: 0, bytes: 'GIF87a' },
  { at: 0, bytes: 'GIF89a' },
  { at: 8, bytes: 'WEBP' },
  { at: 0, bytes: 'BM' }, // BMP; its header says more, see below
  { at: 0, bytes: 'II*\0' }, // TIFF
  { at: 0, bytes: 'MM\0*' },
  { at: 0, bytes: '\0\0\x01\0' }, // ICO
  { at: 4, bytes: 'ftypavif' },
  { at: 4, bytes: 'ftypheic' },
]

/**
 * Parts of an SVG file before its element. Each has a fixed beginning and end, so that the scan does not
 * backtrack.
 */
const prologue: readonly (readonly [begin: RegExp, end: string])[] = [
  [/<\?xml/iy, '>'],
  [/<!--/y, '-->'],
  [/<!DOCTYPE svg/iy, '>'],
]
const MARK = '\xef\xbb\xbf'

/** Whether the content begins like an image that browsers show, SVG included. */
export function isImage(content: Uint8Array): boolean {
  const start = Buffer.from(content.buffer, content.byteOffset, Math.min(content.byteLength, 4096)).toString(
    'latin1',
  )
  const signature = signatures.find(({ at, bytes }) => start.startsWith(bytes, at))
  // Many texts begin with BM: bytes 6 to 9 of a bitmap are reserved and zero.
  if (signature?.bytes === 'BM') return start.startsWith('\0\0\0\0', 6)
  if (signature?.bytes === 'WEBP') return start.startsWith('RIFF')
  return signature !== undefined || isDrawing(start)
}

function isDrawing(start: string): boolean {
  let at = start.startsWith(MARK) ? MARK.length : 0
  for (;;) {
    at = matchAt(/\s*/y, start, at)
    const end = endOfPrologue(start, at)
    if (end === null) return matchAt(/<svg[\s>]/iy, start, at) > at
    at = end
  }
}

/** Where a declaration, comment or document type that begins here is over; null where none does. */
function endOfPrologue(start: string, at: number): number | null {
  for (const [begin, end] of prologue) {
    const after = matchAt(begin, start, at)
    if (after === at) continue
    const close = start.indexOf(end, after)
    return close < 0 ? null : close + end.length
  }
  return null
}

/** Where a match that begins here ends; `at` itself without one. */
function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
