// The image that stands in for one that is not there: a square of light grey.
import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import type { Content } from '../../services/file-content.ts'

/** A part of a PNG file. */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** A grey PNG of `side` pixels squared. */
function greySquare(side: number): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header[8] = 8
  const row = Buffer.alloc(side + 1, 0xe8)
  row[0] = 0
  const pixels = deflateSync(Buffer.concat(Array<Buffer>(side).fill(row)))
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const USUAL = 64
const LARGEST = 256
const placeholders = new Map<number, Content>()

/** The placeholder for a box, no side of it longer; the same bytes for the same size. */
export function placeholderFor({
  width = 0,
  height = 0,
}: {
  readonly width?: number
  readonly height?: number
} = {}): Content {
  const side = Math.min(width || height || USUAL, height || width || USUAL, LARGEST)
  let placeholder = placeholders.get(side)
  if (!placeholder) {
    placeholder = placeholderOf(greySquare(side))
    placeholders.set(side, placeholder)
  }
  return placeholder
}

const placeholderOf = (bytes: Buffer): Content => ({
  name: 'placeholder.png',
  mimetype: 'image/png',
  size: bytes.length,
  etag: createHash('sha1').update(bytes).digest('hex'),
  // Another user may be allowed to see the image itself.
  open: false,
  drawn: true,
  read: (start, end) => bytes.subarray(start, end + 1),
})
