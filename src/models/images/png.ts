// PNG read row by row: what the library that reads the other formats needs for a large one is many times its
// file. Interlaced ones have no rows in order, and are left to it.
import { Readable } from 'node:stream'
import { createInflate } from 'node:zlib'
import type { Source } from './source.ts'

/** Channels of each type of colour; what stands for pixels of a palette counts as one. */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** Bytes of pixels that are given at a time, a row at least. */
const BAND = 64 * 1024

export interface Head {
  readonly width: number
  readonly height: number
  /** Bits of a channel. */
  readonly depth: number
  readonly colour: number
  readonly isInterlaced: boolean
}

/** What the header says; null for what is no PNG. */
export function pngHead(content: Uint8Array): Head | null {
  const bytes = Buffer.from(content.buffer, content.byteOffset, Math.min(content.byteLength, 33))
  if (bytes.length < 33 || !bytes.subarray(0, 8).equals(SIGNATURE)) return null
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  return { width, height, depth: bytes[24] ?? 0, colour: bytes[25] ?? 0, isInterlaced: bytes[28] !== 0 }
}

interface Parts {
  readonly palette: Uint8Array
  readonly transparent: Uint8Array
  readonly data: Iterable<Uint8Array>
}

/** The pixels of a PNG; null for one that is read in another way. */
export function ofPng(content: Uint8Array): Source | null {
  const head = pngHead(content)
  if (!head || head.isInterlaced || !CHANNELS[head.colour]) return null
  const { width, height } = head
  return { width, height, bands: () => bands(head, partsOf(content)) }
}

function* chunksOf(content: Uint8Array): Generator<readonly [type: string, data: Uint8Array]> {
  const view = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  for (let at = 8; at + 12 <= view.length; ) {
    const length = view.readUInt32BE(at)
    yield [view.toString('latin1', at + 4, at + 8), view.subarray(at + 8, at + 8 + length)]
    at += 12 + length
  }
}

function partsOf(content: Uint8Array): Parts {
  const found = { palette: new Uint8Array(), transparent: new Uint8Array() }
  for (const [type, data] of chunksOf(content)) {
    if (type === 'IDAT') break
    if (type === 'PLTE') found.palette = data.slice()
    if (type === 'tRNS') found.transparent = data.slice()
  }
  const data = function* () {
    for (const [type, part] of chunksOf(content)) if (type === 'IDAT') yield part
  }
  return { ...found, data: data() }
}

async function* bands(head: Head, parts: Parts): AsyncGenerator<Uint8Array> {
  const { width, height, depth, colour } = head
  const bits = depth * (CHANNELS[colour] ?? 1)
  const length = 1 + Math.ceil((width * bits) / 8)
  const show = shown(head, parts)
  const tall = Math.max(1, Math.min(height, Math.floor(BAND / (width * 4))))
  const band = new Uint8Array(tall * width * 4)
  let [row, before] = [new Uint8Array(length), new Uint8Array(length)]
  let [filled, rows, all] = [0, 0, 0]
  const inflate = Readable.from(parts.data, { objectMode: true }).pipe(createInflate({ chunkSize: BAND }))
  for await (const chunk of inflate as AsyncIterable<Buffer>) {
    for (let at = 0; at < chunk.length && all < height; ) {
      const count = Math.min(length - filled, chunk.length - at)
      row.set(chunk.subarray(at, at + count), filled)
      filled += count
      at += count
      if (filled < length) break
      filled = 0
      unfiltered(row, before, Math.max(1, bits >> 3))
      show(row, band, rows * width * 4)
      ;[row, before] = [before, row]
      all++
      if (++rows < tall && all < height) continue
      yield band.subarray(0, rows * width * 4)
      rows = 0
    }
    if (all === height) return
  }
}

/** Takes the filter off a row, whose first byte names it; `back` bytes are a pixel. */
function unfiltered(row: Uint8Array, before: Uint8Array, back: number): void {
  const filter = row[0] ?? 0
  if (filter > 4) throw new Error('a row of the image has an unknown filter')
  if (filter === 0) return
  for (let at = 1; at < row.length; at++) {
    const left = at > back ? (row[at - back] ?? 0) : 0
    const above = before[at] ?? 0
    if (filter === 1) row[at] = (row[at] ?? 0) + left
    else if (filter === 2) row[at] = (row[at] ?? 0) + above
    else if (filter === 3) row[at] = (row[at] ?? 0) + ((left + above) >> 1)
    else row[at] = (row[at] ?? 0) + nearest(left, above, at > back ? (before[at - back] ?? 0) : 0)
  }
}

/** Paeth's choice of what is next to a byte. */
function nearest(left: number, above: number, corner: number): number {
  const guess = left + above - corner
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)]
  if (a <= b && a <= c) return left
  return b <= c ? above : corner
}

type Show = (row: Uint8Array, to: Uint8Array, at: number) => void

/** What makes pixels of four bytes of a row. */
function shown(head: Head, parts: Parts): Show {
  if (head.colour === 3) return ofPalette(head, parts)
  return head.depth < 8 ? ofBits(head, parts) : ofBytes(head, parts)
}

/** Values of fewer bits than a byte has. */
const bitsAt = (row: Uint8Array, depth: number, x: number): number =>
  ((row[1 + ((x * depth) >> 3)] ?? 0) >> (8 - depth - ((x * depth) & 7))) & ((1 << depth) - 1)

function ofPalette({ width, depth }: Head, { palette, transparent }: Parts): Show {
  return (row, to, at) => {
    for (let x = 0; x < width; x++, at += 4) {
      const index = bitsAt(row, depth, x)
      for (let channel = 0; channel < 3; channel++) to[at + channel] = palette[index * 3 + channel] ?? 0
      to[at + 3] = transparent[index] ?? 255
    }
  }
}

function ofBits({ width, depth }: Head, { transparent }: Parts): Show {
  const most = (1 << depth) - 1
  const hidden = transparent.length >= 2 ? transparent[1] : undefined
  return (row, to, at) => {
    for (let x = 0; x < width; x++, at += 4) {
      const value = bitsAt(row, depth, x)
      to.fill((value * 255) / most, at, at + 3)
      to[at + 3] = value === hidden ? 0 : 255
    }
  }
}

function ofBytes({ width, depth, colour }: Head, { transparent }: Parts): Show {
  const channels = CHANNELS[colour] ?? 1
  const [step, isGrey] = [depth >> 3, channels < 3]
  const size = channels * step
  const hasOpacity = channels === 2 || channels === 4
  // Values that stand for nothing, of two bytes each.
  const wanted = step === 2 ? [0, 1, 2, 3, 4, 5] : [1, 3, 5]
  const hidden = transparent.length ? wanted.slice(0, size).map((at) => transparent[at]) : null
  return (row, to, at) => {
    for (let from = 1; from < 1 + width * size; from += size, at += 4) {
      const isHidden = hidden?.every((value, i) => row[from + i] === value)
      to[at] = row[from] ?? 0
      to[at + 1] = row[isGrey ? from : from + step] ?? 0
      to[at + 2] = row[isGrey ? from : from + 2 * step] ?? 0
      to[at + 3] = hasOpacity ? (row[from + size - step] ?? 0) : isHidden ? 0 : 255
    }
  }
}
