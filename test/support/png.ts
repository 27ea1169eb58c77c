// PNG files for tests: any pixels, any size, without a library.
import { crc32, deflateSync } from 'node:zlib'

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** A PNG in colour; `claimed` is the size that its header tells, where that is to be a lie. */
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
