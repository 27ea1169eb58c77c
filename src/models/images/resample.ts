// An image in another size with little memory: each row is made narrower as it comes, and goes at once into
// the rows of the smaller image that it counts for.
import { present } from '../../kit/present.ts'
import type { Picture, Source } from './source.ts'

/** Where a part of an image is, in pixels. */
export interface Part {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Pixels of a row up to which it is kept how much each counts for: longer rows are few. */
const KEPT = 2 ** 16

/** Bicubic (Catmull-Rom): one from further away takes a third longer, for what nobody sees in a photograph. */
function share(far: number): number {
  const x = Math.abs(far)
  if (x < 1) return (1.5 * x - 2.5) * x * x + 1
  return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0
}

/** Which pixels of a side those of a smaller one are made of, and how much each of them counts. */
class Weights {
  /** Of each pixel: the first that it is made of, and the one behind the last. */
  readonly starts: Int32Array
  readonly ends: Int32Array
  /** How many there are at most for one. */
  readonly most: number
  readonly #ratio: number
  readonly #scale: number
  readonly #sums: Float64Array

  constructor(from: number, to: number) {
    this.#ratio = from / to
    this.#scale = Math.max(1, this.#ratio)
    this.most = Math.ceil(4 * this.#scale) + 2
    this.starts = new Int32Array(to)
    this.ends = new Int32Array(to)
    this.#sums = new Float64Array(to).fill(1)
    for (let at = 0; at < to; at++) {
      const middle = (at + 0.5) * this.#ratio
      const start = Math.max(0, Math.floor(middle - 2 * this.#scale))
      const end = Math.max(start + 1, Math.min(from, Math.ceil(middle + 2 * this.#scale)))
      this.starts[at] = start
      this.ends[at] = end
      let sum = 0
      for (let i = start; i < end; i++) sum += this.of(at, i)
      this.#sums[at] = sum
    }
  }

  of(at: number, i: number): number {
    return share((i + 0.5 - (at + 0.5) * this.#ratio) / this.#scale) / (this.#sums[at] ?? 1)
  }

  /** Of one pixel, from a place on. */
  into(weights: Float32Array, place: number, at: number): void {
    const [start, end] = [this.starts[at] ?? 0, this.ends[at] ?? 0]
    for (let i = start; i < end; i++) weights[place + i - start] = this.of(at, i)
  }
}

/** A part of an image in the given size. */
export async function resampled(source: Source, part: Part, width: number, height: number): Promise<Picture> {
  const narrow = narrowing(part.width, width)
  const rows = new Rows(part.height, width, height)
  const stride = source.width * 4
  let top = 0
  for await (const band of source.bands()) {
    const count = band.length / stride
    const end = Math.min(count, part.y + part.height - top)
    for (let at = Math.max(0, part.y - top); at < end; at++) {
      const from = at * stride + part.x * 4
      narrow(band.subarray(from, from + part.width * 4), rows.row)
      rows.add()
    }
    top += count
    if (top >= part.y + part.height) break
  }
  if (!rows.isWhole) throw new Error('the image ends before its last row')
  return { pixels: rows.pixels, width, height }
}

/** Rows of the smaller image, as rows of the larger one come. */
class Rows {
  readonly pixels: Uint8ClampedArray<ArrayBuffer>
  /** The row that is to be added, narrow already. */
  readonly row: Float32Array
  readonly #weights: Weights
  readonly #height: number
  /** Those that are not whole yet, from `#first` on. */
  readonly #open: Float32Array[] = []
  #first = 0
  #y = 0

  constructor(from: number, width: number, height: number) {
    this.#weights = new Weights(from, height)
    this.#height = height
    this.pixels = new Uint8ClampedArray(width * height * 4)
    this.row = new Float32Array(width * 4)
  }

  get isWhole(): boolean {
    return this.#first === this.#height
  }

  add(): void {
    const { starts, ends } = this.#weights
    const y = this.#y++
    let next = this.#first + this.#open.length
    while (next < this.#height && present(starts[next]) <= y) {
      this.#open.push(new Float32Array(this.row.length))
      next++
    }
    for (let at = 0; at < this.#open.length; at++)
      added(present(this.#open[at]), this.row, this.#weights.of(this.#first + at, y))
    while (this.#open.length && ends[this.#first] === y + 1)
      this.pixels.set(present(this.#open.shift()), this.#first++ * this.row.length)
  }
}

function added(sums: Float32Array, row: Float32Array, weight: number): void {
  for (let at = 0; at < row.length; at++) sums[at] = (sums[at] ?? 0) + weight * (row[at] ?? 0)
}

type Row = Uint8Array | Uint8ClampedArray

/** What makes rows of so many pixels narrower. */
function narrowing(from: number, width: number): (row: Row, to: Float32Array) => void {
  const columns = new Weights(from, width)
  const { most } = columns
  const isKept = from <= KEPT
  const weights = new Float32Array(isKept ? width * most : most)
  if (isKept) for (let at = 0; at < width; at++) columns.into(weights, at * most, at)
  return (row, to) => {
    for (let at = 0; at < width; at++) {
      if (!isKept) columns.into(weights, 0, at)
      const [start, end] = [columns.starts[at] ?? 0, columns.ends[at] ?? 0]
      summed(row, start, end, weights, isKept ? at * most : 0, to, at * 4)
    }
  }
}

function summed(
  row: Row,
  start: number,
  end: number,
  weights: Float32Array,
  place: number,
  to: Float32Array,
  at: number,
): void {
  let [red, green, blue, opacity] = [0, 0, 0, 0]
  for (let i = start, from = start * 4; i < end; i++, from += 4) {
    const weight = weights[place + i - start] ?? 0
    red += weight * (row[from] ?? 0)
    green += weight * (row[from + 1] ?? 0)
    blue += weight * (row[from + 2] ?? 0)
    opacity += weight * (row[from + 3] ?? 0)
  }
  to[at] = red
  to[at + 1] = green
  to[at + 2] = blue
  to[at + 3] = opacity
}
