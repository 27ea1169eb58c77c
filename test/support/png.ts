// PNG files for tests: any pixels, any size, without a library.
import { crc32, deflateSync } from 'node:zlib'

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** A PNG in colour; `claimed` is a false size for its header. */
export function pngOf(
  width: number,
  height: number,
  colourAt: (x: number, y: number) => readonly [number, number, number],
  claimed: readonly [number, number] = [width, height],
): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(claimed[0], 0)
  header.writeUInt32BE(claimed[1], 4)
  header.set([8, 2], 8)
  const rows = Buffer.alloc(height * (1 + width * 3))
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows.set(colourAt(x, y), y * (1 + width * 3) + 1 + x * 3)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Depth and colour type in the header of a PNG, and bits of a pixel. */
const FORMS = {
  grey: [1, 0, 1],
  palette: [8, 3, 8],
  rgb: [8, 2, 24],
  rgba: [8, 6, 32],
  'rgb-16': [16, 2, 48],
  'rgba-16': [16, 6, 64],
} as const

/** A PNG of another form, all of one colour; rows `interlaced` as Adam7 has them. */
export function plainPng(
  width: number,
  height: number,
  form: keyof typeof FORMS,
  { interlaced = false, bytes }: { interlaced?: boolean; bytes?: (size: number) => Buffer } = {},
): Buffer {
  const [depth, colour, bits] = FORMS[form]
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, colour, 0, 0, Number(interlaced)], 8)
  const passes = interlaced ? ADAM : [[0, 0, 1, 1] as const]
  const rows = passes.map(([x, y, right, below]) => {
    const [w, h] = [Math.ceil((width - x) / right), Math.ceil((height - y) / below)]
    const row = 1 + Math.ceil((w * bits) / 8)
    const all = bytes ? bytes(h * row) : Buffer.alloc(h * row)
    // No filter.
    if (bytes) for (let at = 0; at < all.length; at += row) all[at] = 0
    return all
  })
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...(colour === 3 ? [chunk('PLTE', Buffer.alloc(768, 9))] : []),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The passes of Adam7: where each begins, and how far its pixels are from each other. */
const ADAM = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const
