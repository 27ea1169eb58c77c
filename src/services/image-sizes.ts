// Images in the size that a client asks for: resized on demand, and cached in memory.
import type { Readable } from 'node:stream'
import { PayloadTooLarge } from '../errors.ts'
import { type Box, fitImage } from '../kit/images.ts'
import type { Content } from './file-content.ts'

/** Bytes of resized images that are kept. */
const MOST_KEPT = 32 * 1024 * 1024
/** Images that may wait to be resized; beyond that clients get the original. */
const MOST_WAITING = 20
/** Files of more bytes are not read for this. */
const LARGEST = 64 * 1024 * 1024

/**
 * Resized images by database, content and box, least recently used first; null where the original is served.
 * Callers have checked access before they look here. The checksum of a content comes from the database, never
 * from a client, so it cannot be used to reach other users' images.
 */
const kept = new Map<string, ResizedImage | null>()
let keptBytes = 0
const waiting = new Map<string, Promise<ResizedImage | null>>()
let turn: Promise<unknown> = Promise.resolve()

interface ResizedImage {
  readonly bytes: Buffer
  readonly mimetype: string
}

/**
 * A database's content, smaller where it is an image that does not fit into the box. Drawings, animations and
 * what cannot be read are left unchanged.
 */
export async function fitImageContent(database: string, content: Content, box: Box): Promise<Content> {
  if (
    !/^image\/(png|jpeg|webp)$/.test(content.mimetype) ||
    content.etag === '' ||
    content.size === 0 ||
    content.size > LARGEST
  )
    return content
  const version = `${box.width}x${box.height}${box.crop ? 'c' : ''}`
  const key = `${database}/${content.etag}-${content.size}-${version}`
  const resized = kept.get(key) ?? (kept.has(key) ? null : await make(key, content, box))
  if (!resized) return content
  remember(key, resized)
  return {
    ...content,
    mimetype: resized.mimetype,
    size: resized.bytes.length,
    etag: `${content.etag}-${version}`,
    read: (start, end) => resized.bytes.subarray(start, end + 1),
  }
}

/**
 * Resizes an image; simultaneous requests for the same image and size share one run. Images are read and
 * resized one at a time: those that wait take no memory, and storing an image waits for one of them, not for
 * all.
 */
function make(key: string, content: Content, box: Box): Promise<ResizedImage | null> {
  const running = waiting.get(key)
  if (running) return running
  if (waiting.size >= MOST_WAITING) return Promise.resolve(null)
  const work = turn
    .then(() => smaller(content, box))
    .then((resized) => {
      remember(key, resized)
      return resized
    })
    .finally(() => waiting.delete(key))
  waiting.set(key, work)
  turn = work.catch(() => undefined)
  return work
}

async function smaller(content: Content, box: Box): Promise<ResizedImage | null> {
  const whole = content.read(0, content.size - 1)
  try {
    const bytes = await fitImage(Buffer.isBuffer(whole) ? whole : await bytesOf(whole), box)
    return bytes && { bytes, mimetype: content.mimetype }
  } catch (error) {
    // An image with too many pixels is served in its original size.
    if (error instanceof PayloadTooLarge) return null
    throw error
  }
}

async function bytesOf(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

/** Memory that a cached image takes: the constant covers the entry itself. */
const weightOf = (resized: ResizedImage | null | undefined): number => (resized?.bytes.length ?? 0) + 500

function remember(key: string, resized: ResizedImage | null): void {
  if (kept.has(key)) keptBytes -= weightOf(kept.get(key))
  kept.delete(key)
  kept.set(key, resized)
  keptBytes += weightOf(resized)
  for (const [oldest, image] of kept) {
    if (keptBytes <= MOST_KEPT) break
    kept.delete(oldest)
    keptBytes -= weightOf(image)
  }
}
