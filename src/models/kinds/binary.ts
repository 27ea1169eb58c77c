// Bytes, as base64 text in code and on the wire; stored in an attachment unless the field's options say
// otherwise.
import { UserError } from '../../errors.ts'
import { type PlainBase64, plainBase64, releaseMemory } from '../../kit/bytes.ts'
import { sql } from '../../sql/index.ts'
import type { BinaryDef, FieldDef } from '../language/definitions.ts'
import type { FieldType } from '../language/field-type.ts'
import { invalidValue, nameOf, whole } from './shared.ts'

const DATA_URL = /^data:[^,]{0,1000};base64,/i

/** Characters of the other forms, which the decoder accepts too, but slowly. */
const FORMS = ['-', '_', ' ', '\n']

/** Whether more than blanks and padding follows the first padding: base64 never needs that much. */
function isPaddedInside(text: string): boolean {
  const padding = text.indexOf('=')
  return padding >= 0 && text.length - padding > 1000
}

/** Decodes the other forms: with blanks, a data URL, the URL-safe alphabet. */
function otherwise(text: string): PlainBase64 | null {
  const bare = text.startsWith('data:') ? text.replace(DATA_URL, '') : text
  return isPaddedInside(bare) ? null : plainBase64(bare)
}

/**
 * Decodes base64; null for other text. The decoder skips invalid characters, which makes the content too
 * short. A regular expression takes many times as long.
 */
function decoded(text: string): Buffer | null {
  if (text.length % 4 !== 0 || FORMS.some((sign) => text.includes(sign))) return null
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const content = Buffer.from(text, 'base64')
  return content.length === (text.length / 4) * 3 - padding ? content : null
}

/**
 * The bytes of a value, and their base64, in any form that clients send: with blanks, without padding,
 * URL-safe, a data URL. Null for unset and empty values. Throws InvalidValue for other text.
 */
export function bytesFrom(field: FieldDef, value: unknown): PlainBase64 | null {
  if (value === null || value === undefined || value === false || value === '') return null
  if (typeof value !== 'string') throw invalidValue(field, 'base64 text')
  // Most values are plain base64, which only decoding can show.
  const content = decoded(value)
  const bytes = content ? { content, base64: value } : otherwise(value)
  if (!bytes) throw invalidValue(field, 'base64 text')
  return bytes.base64 === '' ? null : bytes
}

export const binary: FieldType = {
  ...whole,
  kind: 'binary',
  wireType: 'binary',
  comparison: 'presence',
  columnType: (field: BinaryDef) => (field.options.attachment === false ? 'bytea' : null),
  /** Throws InvalidValue for other text, UserError for a file that is not the image it has to be. */
  toColumn(field: BinaryDef, value) {
    const bytes = bytesFrom(field, value)
    if (!bytes) return null
    const { content, base64 } = bytes
    try {
      if (field.options.image && !isImage(content))
        throw new UserError(`The file given for ${nameOf(field)} is not an image.`)
      // Bits after the last byte are arbitrary.
      return base64 === value && base64.endsWith('=') ? content.toString('base64') : base64
    } finally {
      releaseMemory(content)
    }
  },
  // PostgreSQL breaks base64 into lines.
  outward: (expression) => sql`translate(encode(${expression}, 'base64'), E'\\n', '')`,
  typedAs: 'text',
  fromColumn: (_field, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : (value ?? null),
}

/** First bytes of formats that browsers show, and their position `at`. */
const signatures: readonly { readonly at: number; readonly bytes: string }[] = [
  { at: 0, bytes: '\x89PNG\r\n\x1a\n' },
  { at: 0, bytes: '\xff\xd8\xff' }, // JPEG
  { at: 0, bytes: 'GIF87a' },
  { at: 0, bytes: 'GIF89a' },
  { at: 8, bytes: 'WEBP' },
  { at: 0, bytes: 'BM' }, // BMP; its header says more, see below
  { at: 0, bytes: 'II*\0' }, // TIFF
  { at: 0, bytes: 'MM\0*' },
  { at: 0, bytes: '\0\0\x01\0' }, // ICO
  { at: 4, bytes: 'ftypavif' },
  { at: 4, bytes: 'ftypheic' },
]

/** Parts of an SVG file before its element, with fixed ends, so that the scan does not backtrack. */
const prologue: readonly (readonly [begin: RegExp, end: string])[] = [
  [/<\?xml/iy, '>'],
  [/<!--/y, '-->'],
  [/<!DOCTYPE svg/iy, '>'],
]
const MARK = '\xef\xbb\xbf'

/** Whether the content begins like an image that browsers show, SVG included. */
export function isImage(content: Uint8Array): boolean {
  const start = Buffer.from(content.buffer, content.byteOffset, Math.min(content.byteLength, 4096)).toString(
    'latin1',
  )
  const signature = signatures.find(({ at, bytes }) => start.startsWith(bytes, at))
  // Many texts begin with BM: bytes 6 to 9 of a bitmap are reserved and zero.
  if (signature?.bytes === 'BM') return start.startsWith('\0\0\0\0', 6)
  if (signature?.bytes === 'WEBP') return start.startsWith('RIFF')
  return signature !== undefined || isDrawing(start)
}

function isDrawing(start: string): boolean {
  let at = start.startsWith(MARK) ? MARK.length : 0
  for (;;) {
    at = matchAt(/\s*/y, start, at)
    const end = endOfPrologue(start, at)
    if (end === null) return matchAt(/<svg[\s>]/iy, start, at) > at
    at = end
  }
}

/** Where a declaration, comment or document type that begins here is over; null where none does. */
function endOfPrologue(start: string, at: number): number | null {
  for (const [begin, end] of prologue) {
    const after = matchAt(begin, start, at)
    if (after === at) continue
    const close = start.indexOf(end, after)
    return close < 0 ? null : close + end.length
  }
  return null
}

/** Where a match that begins here ends; `at` itself without one. */
function matchAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}
