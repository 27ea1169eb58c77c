// Documents that were made are kept: by the rights of a database as of one version, and within them by
// language, groups and subject.
import { createHash } from 'node:crypto'
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
  size: number
}

/** Rights are replaced when anything about them or the models changes: what was kept for them goes along. */
const shelves = new WeakMap<Rights, Shelf>()

/**
 * The document that `make` gives for this caller, made once. `subject` says what it is about. What `make`
 * throws is not kept.
 */
export async function keptDocument(
  env: Environment,
  subject: string,
  make: () => unknown,
): Promise<Document> {
  const { rights } = env.unit
  let shelf = shelves.get(rights)
  if (!shelf) {
    shelf = { documents: new Map(), size: 0 }
    shelves.set(rights, shelf)
  }
  const language = env.user.lang ?? 'en_US'
  const key = JSON.stringify([language, env.su, [...env.user.groupIds].sort((a, b) => a - b), subject])
  const known = shelf.documents.get(key)
  if (known) {
    shelf.documents.delete(key)
    shelf.documents.set(key, known)
    return known
  }
  const json = JSON.stringify(await make())
  const digest = createHash('sha256')
    .update(`${subject}\n${language}\n${json}`)
    .digest('base64url')
    .slice(0, 27)
  const made: Document = { json, etag: `"${digest}"`, language: language.replace('_', '-') }
  keep(shelf, key, made)
  return made
}

function keep(shelf: Shelf, key: string, made: Document): void {
  shelf.documents.set(key, made)
  shelf.size += made.json.length
  for (const [oldest, { json }] of shelf.documents) {
    if (shelf.size <= MOST || oldest === key) return
    shelf.documents.delete(oldest)
    shelf.size -= json.length
  }
}
