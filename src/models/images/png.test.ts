// PNG read row by row gives what the library reads, for every form of pixels.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32, deflateSync } from 'node:zlib'
import { PhotonImage } from '@cf-wasm/photon/node'
import { ofPng } from './png.ts'

const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

interface Form {
  readonly depth: number
  readonly colour: number
  readonly hidden?: readonly number[]
  readonly pieces?: number
  readonly interlaced?: boolean
}

/** A picture of any bytes, with every filter in turn. */
function pngOf(
  width: number,
  height: number,
  { depth, colour, hidden, pieces = 1, interlaced }: Form,
): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, colour, 0, 0, Number(interlaced ?? false)], 8)
  const row = 1 + Math.ceil((width * depth * (CHANNELS[colour] ?? 1)) / 8)
  const rows = Uint8Array.from({ length: row * height }, (_, at) =>
    at % row ? (at * 7919) % 251 : (at / row) % 5,
  )
  const data = deflateSync(rows)
  const size = Math.ceil(data.length / pieces)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk(
      'PLTE',
      Uint8Array.from({ length: 3 * 256 }, (_, at) => (at * 31) % 256),
    ),
    ...(hidden ? [chunk('tRNS', Buffer.from(hidden))] : []),
    ...Array.from({ length: pieces }, (_, at) => chunk('IDAT', data.subarray(at * size, (at + 1) * size))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

async function pixelsOf(content: Uint8Array): Promise<number[] | null> {
  const pixels: number[] = []
  const source = ofPng(content)
  if (!source) return null
  for await (const band of source.bands()) for (const byte of band) pixels.push(byte)
  return pixels
}

const forms: Form[] = [
  ...[1, 2, 4, 8, 16].map((depth) => ({ depth, colour: 0 })),
  ...[1, 2, 4, 8].map((depth) => ({ depth, colour: 3 })),
  ...[8, 16].flatMap((depth) => [2, 4, 6].map((colour) => ({ depth, colour }))),
  { depth: 2, colour: 0, hidden: [0, 2] },
  { depth: 8, colour: 0, hidden: [0, 57] },
  { depth: 8, colour: 2, hidden: [0, 57, 0, 100, 0, 20] },
  { depth: 4, colour: 3, hidden: [0, 10, 200] },
  { depth: 8, colour: 2, pieces: 9 },
]

for (const form of forms) {
  test(`pixels of ${JSON.stringify(form)}`, async () => {
    for (const [width, height] of [
      [37, 23],
      [1, 9],
      [400, 300],
    ] as const) {
      const content = pngOf(width, height, form)
      const image = PhotonImage.new_from_byteslice(content)
      const expected = [...image.get_raw_pixels()]
      image.free()
      const pixels = await pixelsOf(content)
      assert.equal(pixels?.length, expected.length)
      const far = expected.findIndex((value, at) => Math.abs(value - (pixels?.[at] ?? -1000)) > 1)
      assert.equal(far, -1, `${width} x ${height}`)
    }
  })
}

test('interlaced ones and other files are not read here', () => {
  assert.equal(ofPng(pngOf(9, 9, { depth: 8, colour: 2, interlaced: true })), null)
  assert.equal(ofPng(Buffer.from('GIF89a')), null)
  assert.equal(ofPng(pngOf(9, 9, { depth: 8, colour: 5 })), null)
})

test('PNG: truncated and invalid data is reported, and data after the last row is not read', async () => {
  const content = pngOf(200, 200, { depth: 8, colour: 2, pieces: 4 })
  const at = content.indexOf('IDAT') + 100
  const spoilt = Buffer.from(content).fill(0xff, at, at + 50)
  await assert.rejects(pixelsOf(spoilt))
  await assert.rejects(pixelsOf(content.subarray(0, at)))
  const less = Buffer.from(content)
  less.writeUInt32BE(100, 20)
  assert.equal((await pixelsOf(less))?.length, 200 * 100 * 4)
})
