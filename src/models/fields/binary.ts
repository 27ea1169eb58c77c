// Bytes, base64 text in code and on the wire; kept in an attachment unless the field says otherwise.
import { UserError } from '../../errors.ts'
import { sql } from '../../sql/index.ts'
import { isImage } from './image.ts'
import { jsonOrFalse, nameOf, orFalse, refusal } from './shared.ts'
import type { FieldType } from './type.ts'

const DATA_URL = /^data:[^,]{0,1000};base64,/i

/** The base64 of a text: without blanks and the head of a data URL, in the usual alphabet, padded. */
function canonical(text: string): string {
  const bare = text.startsWith('data:') ? text.replace(DATA_URL, '') : text
  const compact = /\s/.test(bare) ? bare.replace(/\s+/g, '') : bare
  const usual = compact.includes('-') || compact.includes('_') ? compact.replaceAll('-', '+').replaceAll('_', '/') : compact
  // One sign alone behind whole groups of four is no byte: it stays, and is refused.
  return usual.length % 4 > 1 && !usual.endsWith('=') ? usual.padEnd(Math.ceil(usual.length / 4) * 4, '=') : usual
}

/** Base64 decoded; null for other text. Whatever is no base64 is passed over by the decoder and makes the content too short; a pattern would take many times as long. */
function decoded(text: string): Buffer | null {
  if (text.length % 4 !== 0) return null
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const content = Buffer.from(text, 'base64')
  return content.length === (text.length / 4) * 3 - padding ? content : null
}

export const binary: FieldType = {
  kind: 'binary',
  wireType: 'binary',
  comparison: 'presence',
  columnType: (field) => (field.options.attachment === false ? 'bytea' : null),
  /** Base64 without blanks, from any of the forms that clients send: without padding, URL-safe, a data URL. Throws InvalidValue for other text, UserError for what is no image where one is wanted. */
  toColumn(field, value) {
    if (value === null || value === undefined || value === false || value === '') return null
    const compact = typeof value === 'string' ? canonical(value) : '?'
    const content = decoded(compact)
    if (!content) throw refusal(field, 'base64 text')
    if (compact === '') return null
    if (field.options.image && !isImage(content)) throw new UserError(`The file given for ${nameOf(field)} is no image.`)
    // Bits behind the last byte may be anything.
    return compact.endsWith('=') ? content.toString('base64') : compact
  },
  // PostgreSQL breaks base64 into lines.
  toJson: (_field, expression) => jsonOrFalse(sql`translate(encode(${expression}, 'base64'), E'\\n', '')`),
  unset: false,
  fromColumn: (_field, value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : (value ?? null)),
  toWire: orFalse,
}
