// Downloads: contents of attachments and of binary fields, for callers who may read them
// (spec/client-needs.md section 8).

import { createHash } from 'node:crypto'
import type { Answering } from '../access/index.ts'
import type { Databases } from '../databases/index.ts'
import type { Box } from '../kit/images.ts'
import { mediaTypeOf } from '../kit/media-type.ts'
import { present } from '../kit/present.ts'
import { sameSecret } from '../kit/secrets.ts'
import type { FieldDef, ModelDef } from '../models/language/definitions.ts'
import type { Environment } from '../models/language/environment.ts'
import { originalOf } from '../models/load/binaries.ts'
import { loadPaths } from '../models/load/load.ts'
import { fieldNamed } from '../models/rights/judge.ts'
import { recordsOf } from '../models/unit/environment.ts'
import { type Sql, sql } from '../sql/index.ts'
import { readAsOwner } from './as-owner.ts'
import type { Content } from './file-content.ts'
import { fitImageContent } from './image-sizes.ts'
import type { Credential } from './request.ts'

/** The location of a content. */
export type Place =
  | { readonly kind: 'attachment'; readonly id: number; readonly token?: string | undefined }
  | { readonly kind: 'field'; readonly model: string; readonly id: number; readonly field: string }
  | {
      readonly kind: 'xmlid'
      readonly xmlid: string
      readonly field: string
      readonly token?: string | undefined
    }
  /** The logo of a company, the first one's when none is named: anybody may see it. */
  | { readonly kind: 'logo'; readonly company: number | null }

/** A link in place of content. */
export interface Link {
  readonly url: string
}

export interface Wanted {
  readonly database: string
  /** Null: a visitor, who sees what is public. */
  readonly credential: Credential | null
  readonly remote: string
  readonly answering?: Answering | null
  readonly place: Place
  /** Images are made to fit into it. */
  readonly box?: Box | undefined
}

/**
 * The content; null where the field or attachment is empty. Throws AccessError, MissingError and InvalidValue
 * for content that the caller may not see or that does not exist.
 */
export async function content(server: Databases, wanted: Wanted): Promise<Content | Link | null> {
  const file = await whole(server, wanted)
  return file && 'read' in file && wanted.box ? fitImageContent(wanted.database, file, wanted.box) : file
}

async function whole(
  server: Databases,
  { database: name, credential, remote, answering, place }: Wanted,
): Promise<Content | Link | null> {
  if (credential && place.kind !== 'logo')
    return readAsOwner(server, { database: name, credential, remote, answering }, (env) =>
      find(env, place, true),
    )
  const database = await server.database(name)
  return database.system((env) =>
    place.kind === 'logo' ? logo(env, place.company) : find(env, place, false),
  )
}

async function find(
  env: Environment,
  place: Exclude<Place, { kind: 'logo' }>,
  hasCaller: boolean,
): Promise<Content | Link | null> {
  if (place.kind === 'attachment') return attachment(env, place.id, place.token, hasCaller)
  if (place.kind === 'field') return fieldContent(env, place.model, place.id, place.field, hasCaller)
  const dot = place.xmlid.indexOf('.')
  const [module, word] = [place.xmlid.slice(0, dot), place.xmlid.slice(dot + 1)]
  const [row] = await env.query(
    sql`SELECT model, res_id FROM ir_model_data WHERE module = ${module} AND name = ${word}`,
  )
  if (!row) return null
  const [model, id] = row as readonly [string, number]
  if (model === 'ir.attachment') return attachment(env, id, place.token, hasCaller)
  return fieldContent(env, model, id, place.field, hasCaller)
}

/** An attachment: a public one, one whose token is known, or one that the caller may read. */
async function attachment(
  env: Environment,
  id: number,
  token: string | undefined,
  hasCaller: boolean,
): Promise<Content | Link | null> {
  const stored = await kept(env, sql`id = ${id}::int`)
  if (!stored) return null
  const shown = stored.open || (token && stored.token && sameSecret(token, stored.token))
  if (!shown) {
    if (!hasCaller) return null
    const rows = await recordsOf(env, env.def('ir.attachment'), [id]).read(['name'])
    if (rows.length === 0) return null
  }
  return stored.content
}

async function fieldContent(
  env: Environment,
  name: string,
  id: number,
  field: string,
  hasCaller: boolean,
): Promise<Content | Link | null> {
  if (name === 'ir.attachment' && ['raw', 'datas', 'db_datas'].includes(field))
    return attachment(env, id, undefined, hasCaller)
  const model = env.unit.registry.get(name)
  if (!model?.hasTable) return null
  const wanted = hasCaller ? fieldNamed(env, model, field) : model.fields.get(field)
  if (wanted?.kind !== 'binary' || wanted.options.hidden) return null
  // Reading the record checks access; visitors without a session only see public contents.
  const [row] = hasCaller
    ? await recordsOf(env, model, [id]).read(['display_name'])
    : [{ display_name: false }]
  if (!row) return null
  const source = await sourceOf(env, model, id, wanted)
  if (!source) return null
  const title = typeof row.display_name === 'string' && row.display_name ? row.display_name : `${name}-${id}`
  if (source.field.stored && !source.field.column) {
    const stored = await kept(env, filesOf(source))
    return stored && (hasCaller || stored.open)
      ? stored.content && 'name' in stored.content
        ? { ...stored.content, name: title + endingOf(stored.content.mimetype) }
        : stored.content
      : null
  }
  if (!hasCaller) return null
  const [record] = await loadPaths(env.sudo(), source.model, [source.id], [source.field.name])
  const value = record?.[source.field.name]
  return typeof value === 'string'
    ? storedFile(title, Buffer.from(value, 'base64'), source.field.compute !== null)
    : null
}

interface Source {
  readonly model: ModelDef
  readonly id: number
  readonly field: FieldDef
  /** The smaller version of an image that is asked for. */
  readonly smaller?: FieldDef
}

/**
 * The attachments with a field's content; a smaller version was made after its original, and is the newest.
 */
function filesOf({ model, id, field, smaller }: Source): Sql {
  const names = [field.name, ...(smaller ? [smaller.name] : [])]
  return sql`res_model = ${model.name} AND res_field = ANY(${names}::text[]) AND res_id = ${id}::int`
}

/** The record that stores a related field's value. */
async function sourceOf(
  env: Environment,
  model: ModelDef,
  id: number,
  field: FieldDef,
): Promise<Source | null> {
  if (!field.related || field.stored) return { model, id, field }
  const original = originalOf(field)
  if (original) return { model, id, field: original, smaller: field }
  let [holder, record] = [model, id]
  for (const name of field.related.slice(0, -1)) {
    const step = holder.fields.get(name)
    const [row] = await loadPaths(env.sudo(), holder, [record], [name])
    const target = row?.[name] as { id: number } | null | undefined
    if (!step?.comodel || !target) return null
    holder = step.comodel
    record = target.id
  }
  const last = holder.fields.get(present(field.related.at(-1)))
  return last ? sourceOf(env, holder, record, last) : null
}

async function logo(env: Environment, company: number | null): Promise<Content | Link | null> {
  const [row] = await env.query<[number]>(
    sql`SELECT id FROM res_company WHERE ${company}::int IS NULL OR id = ${company}::int ORDER BY id LIMIT 1`,
  )
  const model = env.unit.registry.get('res.company')
  const field = model?.fields.get('logo')
  const source = row && model && field ? await sourceOf(env, model, row[0], field) : null
  if (!source) return null
  const stored = await kept(env, filesOf(source))
  return stored ? stored.content : null
}

interface Kept {
  readonly open: boolean
  readonly token: string | null
  readonly content: Content | Link | null
}

type AttachmentRow = readonly [
  string,
  string | null,
  string | null,
  string,
  string | null,
  string | null,
  boolean | null,
  string | null,
]

/**
 * The content of the newest attachment that satisfies a condition. The caller of this function checks access.
 */
async function kept(env: Environment, condition: Sql): Promise<Kept | null> {
  const [row] = await env.query(
    sql`SELECT name, mimetype, checksum, type, url, store_fname, public, access_token FROM ir_attachment WHERE ${condition} ORDER BY id DESC LIMIT 1`,
  )
  if (!row) return null
  const [name, type, checksum, kind, url, key, open, token] = row as AttachmentRow
  const shared = { open: open === true, token }
  if (kind === 'url') return { ...shared, content: url ? { url } : null }
  const facts = {
    name,
    mimetype: type ?? 'application/octet-stream',
    etag: checksum ?? '',
    open: open === true,
    drawn: false,
  }
  const { files } = env.unit.services
  if (key !== null && files) {
    const size = await files.size(key)
    if (size === null) return { ...shared, content: null }
    return { ...shared, content: { ...facts, size, read: (start, end) => files.open(key, start, end) } }
  }
  const [held] = await env.query<[Buffer | null | undefined]>(
    sql`SELECT db_datas FROM ir_attachment WHERE ${condition} ORDER BY id DESC LIMIT 1`,
  )
  const bytes = held?.[0] ?? Buffer.alloc(0)
  return {
    ...shared,
    content: { ...facts, size: bytes.length, read: (start, end) => bytes.subarray(start, end + 1) },
  }
}

const endings: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'image/svg+xml': '.svg',
  'application/pdf': '.pdf',
  'text/plain': '.txt',
}

/** The ending that a file of this kind gets when it is named after its record. */
const endingOf = (mimetype: string): string => endings[mimetype] ?? ''

async function storedFile(name: string, bytes: Buffer, drawn: boolean): Promise<Content> {
  const svg = /^\s*<svg[\s>]/.test(bytes.subarray(0, 200).toString('latin1'))
  const mimetype = svg ? 'image/svg+xml' : ((await mediaTypeOf(bytes)) ?? 'application/octet-stream')
  const etag = createHash('sha1').update(bytes).digest('hex')
  return {
    name,
    mimetype,
    size: bytes.length,
    etag,
    open: false,
    drawn: drawn && svg,
    read: (start, end) => bytes.subarray(start, end + 1),
  }
}
