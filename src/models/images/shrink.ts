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

/** What the header says; null for contents that say nothing of their size. */
function headerOf(content: Uint8Array, size = content.length): Header | null {
  try {
    const beginning = content.subarray(0, HEADER)
    const { type: kind = '', width, height, orientation = 1 } = imageSize(beginning)
    const counted = countedPixels({ kind, width, height }, beginning, size)
    return { kind, width, height, orientation, counted }
  } catch {
    // Unknown and broken files alike: they are kept as they are.
    return null
  }
}

/** Pixels of an image in base64 that would be worked on, as its header says; 0 for what is none. */
export function pixelsOf(base64: string): number {
  const within = (bytes: number) =>
    headerOf(Buffer.from(base64.slice(0, 2 * bytes), 'base64'), (base64.length >> 2) * 3)
  const header = within(SHORT) ?? within(HEADER)
  return header && isTask(header.kind) ? header.counted : 0
}

const isTask = (kind: string): kind is Task['kind'] => kind === 'jpg' || kind === 'png' || kind === 'webp'

/**
 * An image in squares of the given sides, by side. Sides into which it fits are left out, and so is
 * everything for kinds that are not made smaller (drawings, animations) and for files that cannot be read.
 * `spend` hears of the pixels that are read; `given`: nobody needs the content any more, so that the thread
 * gets it without a copy. Throws PayloadTooLarge for an image of too many pixels.
 */
export async function shrink(
  content: Uint8Array,
  sides: readonly number[],
  { spend, given = false }: { spend?: (pixels: number) => void; given?: boolean } = {},
): Promise<Map<number, Buffer>> {
  const boxes = [...new Set(sides)].sort((a, b) => b - a).map((side) => ({ width: side, height: side }))
  const made = await inBoxes(content, boxes, { spend, given })
  return new Map([...made].map(([box, smaller]) => [box.width, smaller]))
}

/**
 * An image made to fit into a box; null where it is left as it is, as `shrink` says. Throws PayloadTooLarge
 * for an image of too many pixels.
 */
export async function fit(content: Uint8Array, box: Box): Promise<Buffer | null> {
  return (await inBoxes(content, [box], {})).get(box) ?? null
}

/** Memory that is a content's own; small ones share theirs. */
const alone = ({ buffer, byteLength }: Uint8Array): ArrayBuffer[] =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []

async function inBoxes(
  content: Uint8Array,
  boxes: readonly Box[],
  { spend, given = false }: { spend?: ((pixels: number) => void) | undefined; given?: boolean },
): Promise<Map<Box, Buffer>> {
  const header = headerOf(content)
  if (!header) return new Map()
  const { kind, width, height, orientation, counted } = header
  assertWithin('pixels', isTask(kind) ? counted : width * height)
  const [w, h] = orientation >= 5 ? [height, width] : [width, height]
  const wanted = boxes.filter((box) => fitOf(w, h, box) !== null)
  if (!isTask(kind) || wanted.length === 0) return new Map()
  spend?.(counted)
  const shrunk = await thread.ask(
    { content, kind, orientation, boxes: wanted },
    4 * counted,
    given ? alone(content) : [],
  )
  return new Map(
    shrunk?.map((made, i) => [
      present(wanted[i]),
      Buffer.from(made.buffer, made.byteOffset, made.byteLength),
    ]),
  )
}
