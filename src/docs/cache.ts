// Documents that were made are kept: by the rights of a database as of one version, and within them by
// language, groups and subject.
import { createHash } from 'node:crypto'
import { jsonInTurns } from '../kit/json-in-turns.ts'
import type { Environment } from '../models/language/environment.ts'
import type { Rights } from '../models/language/rights.ts'

export interface Document {
  readonly json: string
  /** With its quotation marks. It follows from the content, so all nodes give the same. */
  readonly etag: string
  /** As `Content-Language` spells it, such as `en-US`. */
  readonly language: string
}

/** Characters of JSON kept for one database; the documents asked for longest ago go first. */
const MOST = 32 * 1024 * 1024

interface Shelf {
  readonly documents: Map<string, Document>
  /** Those that are being made: who asks for one meanwhile waits for it. */
  readonly making: Map<string, Promise<Document>>
  size: number
}

/** Rights are replaced when anything about them or the models changes: what was kept for them goes along. */
const shelves = new WeakMap<Rights, Shelf>()

/**
 * The document that `make` returns for this caller, created once. `subject` identifies it. Errors of `make`
 * are not cached.
 */
export async function keptDocument(
  env: Environment,
  subject: string,
  make: () => unknown,
): Promise<Document> {
  const { rights } = env.unit
  let shelf = shelves.get(rights)
  if (!shelf) {
    shelf = { documents: new Map(), making: new Map(), size: 0 }
    shelves.set(rights, shelf)
  }
  const language = env.user.lang ?? 'en_US'
  const key = JSON.stringify([language, env.su, [...env.user.groupIds].sort((a, b) => a - b), subject])
  const cached = shelf.documents.get(key)
  if (cached) {
    shelf.documents.delete(key)
    shelf.documents.set(key, cached)
    return cached
  }
  for (let underWay = shelf.making.get(key); underWay; underWay = shelf.making.get(key)) {
    // A failure for another caller does not imply one for this caller.
    const shared = await underWay.catch(() => null)
    if (shared) return shared
  }
  const making = createDocument(subject, language, make)
  shelf.making.set(key, making)
  try {
    const document = await making
    keep(shelf, key, document)
    return document
  } finally {
    if (shelf.making.get(key) === making) shelf.making.delete(key)
  }
}

async function createDocument(subject: string, language: string, make: () => unknown): Promise<Document> {
  const json = await jsonInTurns(await make())
  const digest = createHash('sha256')
    .update(`${subject}\n${language}\n${json}`)
    .digest('base64url')
    .slice(0, 27)
  return { json, etag: `"${digest}"`, language: language.replace('_', '-') }
}

function keep(shelf: Shelf, key: string, document: Document): void {
  shelf.size -= shelf.documents.get(key)?.json.length ?? 0
  shelf.documents.set(key, document)
  shelf.size += document.json.length
  for (const [oldest, { json }] of shelf.documents) {
    if (shelf.size <= MOST || oldest === key) return
    shelf.documents.delete(oldest)
    shelf.size -= json.length
  }
}
