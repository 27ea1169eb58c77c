// Smaller versions of images: what is needed is told from the header, the work is done in a thread of its own (decisions/0011).
import { Worker } from 'node:worker_threads'
import { disableTypes, imageSize, types } from 'image-size'
import { UserError } from '../../errors.ts'
import { type Box, fitOf } from './fit.ts'

/** Pixels that an image may have: a small file may claim to be a wall. */
const MOST_PIXELS = 50_000_000
/** One image takes a second; whatever takes this long has gone wrong. */
const PATIENCE_MS = 30_000
/** The thread and its memory go when nothing was asked of them for a while. */
const IDLE_MS = 20_000

/** What the thread is told. */
export interface Task {
  readonly content: Uint8Array
  readonly kind: 'jpg' | 'png' | 'webp'
  /** As EXIF counts it, 1 for upright. */
  readonly orientation: number
  /** What to fit into, one made of the other, and so the largest first; one that cuts stands alone. */
  readonly boxes: readonly Box[]
}
/** Contents in the order of the boxes; null where the image cannot be read. */
export type Shrunk = readonly Uint8Array[] | null

interface Header {
  readonly kind: string
  readonly width: number
  readonly height: number
  readonly orientation: number
}

/** Kinds whose headers are read, all of them by marks at fixed places. The library reads others by lists that a hostile file need not let end (icons of macOS). */
const READ: ReadonlySet<string> = new Set(['jpg', 'png', 'webp', 'gif', 'bmp'])
disableTypes(types.filter((kind) => !READ.has(kind)))

/** What the header says; null for contents that say nothing of their size. */
function headerOf(content: Uint8Array): Header | null {
  try {
    const { type = '', width, height, orientation = 1 } = imageSize(content)
    return { kind: type, width, height, orientation }
  } catch {
    // Unknown and broken files alike: they are kept as they are.
    return null
  }
}

const isTask = (kind: string): kind is Task['kind'] => kind === 'jpg' || kind === 'png' || kind === 'webp'

/**
 * An image in squares of the given sides, by side. Sides into which it fits are left out, and so is everything for kinds that are not made smaller (drawings,
 * animations) and for files that cannot be read. Throws UserError for an image of too many pixels.
 */
export async function shrink(content: Uint8Array, sides: readonly number[]): Promise<Map<number, Buffer>> {
  const boxes = [...new Set(sides)].sort((a, b) => b - a).map((side) => ({ width: side, height: side }))
  const made = await inBoxes(content, boxes)
  return new Map([...made].map(([box, smaller]) => [box.width, smaller]))
}

/** An image made to fit into a box; null where it is left as it is, as `shrink` says. Throws UserError for an image of too many pixels. */
export async function fit(content: Uint8Array, box: Box): Promise<Buffer | null> {
  return (await inBoxes(content, [box])).get(box) ?? null
}

async function inBoxes(content: Uint8Array, boxes: readonly Box[]): Promise<Map<Box, Buffer>> {
  const header = headerOf(content)
  if (!header) return new Map()
  const { kind, width, height, orientation } = header
  if (width * height > MOST_PIXELS)
    throw new UserError(`The image is too large: ${width} by ${height} pixels, and ${MOST_PIXELS / 1_000_000} million are allowed.`)
  const [w, h] = orientation >= 5 ? [height, width] : [width, height]
  const wanted = boxes.filter((box) => fitOf(w, h, box) !== null)
  if (!isTask(kind) || wanted.length === 0) return new Map()
  const shrunk = await inTurn(() => ask({ content, kind, orientation, boxes: wanted }))
  return new Map(shrunk?.map((made, i) => [wanted[i] as Box, Buffer.from(made.buffer, made.byteOffset, made.byteLength)]))
}

let turn: Promise<unknown> = Promise.resolve()
let thread: Worker | undefined
let idle: NodeJS.Timeout | undefined

/** One image at a time: each takes the memory of all its pixels. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const run = turn.then(work)
  turn = run.catch(() => undefined)
  return run
}

/** The file of the thread, beside this one, as source or compiled. */
const program = new URL(`./thread${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url)

async function ask(task: Task): Promise<Shrunk> {
  clearTimeout(idle)
  thread ??= new Worker(program)
  const worker = thread
  worker.ref()
  const { promise, resolve } = Promise.withResolvers<Shrunk>()
  const timer = setTimeout(() => resolve(null), PATIENCE_MS)
  const fail = () => resolve(null)
  worker.once('message', resolve).once('error', fail).once('exit', fail)
  worker.postMessage(task)
  const shrunk = await promise
  clearTimeout(timer)
  worker.off('message', resolve).off('error', fail).off('exit', fail)
  worker.unref()
  // After a failure its memory is in no state to go on with.
  if (shrunk === null) await leave(worker)
  else idle = setTimeout(() => void leave(worker), IDLE_MS).unref()
  return shrunk
}

async function leave(worker: Worker): Promise<void> {
  if (thread === worker) thread = undefined
  worker.on('error', () => undefined)
  await worker.terminate()
}
