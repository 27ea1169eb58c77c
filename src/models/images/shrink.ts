// Smaller versions of images: what is needed is told from the header, the work is done in a thread of its own
// (decisions/0011).

import { disableTypes, imageSize, types } from 'image-size'
import { Aside, programBeside } from '../../kit/aside.ts'
import { present } from '../../kit/present.ts'
import { assertWithin } from '../../limits.ts'
import { type Box, fitOf } from './fit.ts'
import { countedPixels } from './reading.ts'

/** One image at a time: each takes the memory of all its pixels, which are not in JavaScript's heap. */
const thread = new Aside<Task, Shrunk>({
  program: programBeside(import.meta.url, 'thread'),
  // One image takes a second or two.
  patienceMs: 30_000,
  turnMs: 2500,
  // The memory of its pixels goes with it: the library gives none of it back.
  idleMs: 3000,
  heapMb: 128,
  // As pixels take it: some ten seconds of work, beyond which one is better told to come again.
  waiting: 128 * 1024 ** 2,
  what: 'pictures',
})

/** What the thread is told. */
export interface Task {
  readonly content: Uint8Array
  readonly kind: 'jpg' | 'png' | 'webp'
  /** As EXIF counts it, 1 for upright. */
  readonly orientation: number
  /** What to fit into, one made of the other, and so the largest first; one that cuts stands alone. */
  readonly boxes: readonly Box[]
}
/** Contents in the order of the boxes. */
export type Shrunk = readonly Uint8Array<ArrayBuffer>[]

interface Header {
  readonly kind: string
  readonly width: number
  readonly height: number
  readonly orientation: number
  /** As the limit of pixels counts them. */
  readonly counted: number
}

/**
 * Kinds whose headers are read, all of them by marks at fixed places. The library reads others by lists that
 * a hostile file need not let end (icons of macOS).
 */
const READ: ReadonlySet<string> = new Set(['jpg', 'png', 'webp', 'gif', 'bmp'])
disableTypes(types.filter((kind) => !READ.has(kind)))

/** Bytes that a header mostly has, and may have: some formats let it be as long as the file. */
const [SHORT, HEADER] = [4096, 1024 ** 2]

/** A file: its bytes, or their base64, which is decoded when the thread's turn has come. */
type File = Uint8Array | string

const sizeOf = (file: File): number => (typeof file === 'string' ? (file.length >> 2) * 3 : file.length)
const beginningOf = (file: File, bytes: number): Uint8Array =>
  typeof file === 'string' ? Buffer.from(file.slice(0, 2 * bytes), 'base64') : file.subarray(0, bytes)

/** What the header says; null for contents that say nothing of their size. */
function headerOf(file: File, most = HEADER): Header | null {
  try {
    const beginning = beginningOf(file, most)
    const { type: kind = '', width, height, orientation = 1 } = imageSize(beginning)
    const counted = countedPixels({ kind, width, height }, beginning, sizeOf(file))
    return { kind, width, height, orientation, counted }
  } catch {
    // Unknown and broken files alike: they are kept as they are.
    return null
  }
}

/** Pixels of an image in base64 that would be worked on, as its header says; 0 for what is none. */
export function pixelsOf(base64: string): number {
  const header = headerOf(base64, SHORT) ?? headerOf(base64)
  return header && isTask(header.kind) ? header.counted : 0
}

const isTask = (kind: string): kind is Task['kind'] => kind === 'jpg' || kind === 'png' || kind === 'webp'

/**
 * An image in squares of the given sides, by side. Sides into which it fits are left out, and so is
 * everything for kinds that are not made smaller (drawings, animations) and for files that cannot be read.
 * `spend` hears of the pixels that are read. Throws PayloadTooLarge for an image of too many pixels.
 */
export async function shrink(
  file: File,
  sides: readonly number[],
  spend?: (pixels: number) => void,
): Promise<Map<number, Buffer>> {
  const boxes = [...new Set(sides)].sort((a, b) => b - a).map((side) => ({ width: side, height: side }))
  const made = await inBoxes(file, boxes, spend)
  return new Map([...made].map(([box, smaller]) => [box.width, smaller]))
}

/**
 * An image made to fit into a box; null where it is left as it is, as `shrink` says. Throws PayloadTooLarge
 * for an image of too many pixels.
 */
export async function fit(content: Uint8Array, box: Box): Promise<Buffer | null> {
  return (await inBoxes(content, [box])).get(box) ?? null
}

/** The content of a file for the thread, and what of its memory nobody else needs. */
function contentOf(file: File): { content: Uint8Array; given: ArrayBuffer[] } {
  if (typeof file !== 'string') return { content: file, given: [] }
  const content = Buffer.from(file, 'base64')
  const { buffer, byteLength } = content
  // Small ones share theirs.
  return { content, given: buffer.byteLength === byteLength ? [buffer] : [] }
}

async function inBoxes(
  file: File,
  boxes: readonly Box[],
  spend?: (pixels: number) => void,
): Promise<Map<Box, Buffer>> {
  const header = headerOf(file)
  if (!header) return new Map()
  const { kind, width, height, orientation, counted } = header
  assertWithin('pixels', isTask(kind) ? counted : width * height)
  const [w, h] = orientation >= 5 ? [height, width] : [width, height]
  const wanted = boxes.filter((box) => fitOf(w, h, box) !== null)
  if (!isTask(kind) || wanted.length === 0) return new Map()
  spend?.(counted)
  const shrunk = await thread.askFor(() => {
    const { content, given } = contentOf(file)
    return { piece: { content, kind, orientation, boxes: wanted }, given }
  }, 4 * counted)
  return new Map(
    shrunk?.map((made, i) => [
      present(wanted[i]),
      Buffer.from(made.buffer, made.byteOffset, made.byteLength),
    ]),
  )
}
