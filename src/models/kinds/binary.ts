// Bytes, as base64 text in code and on the wire; stored in an attachment unless the field's options say
// otherwise.
import { UserError } from '../../errors.ts'
import { letGo, type PlainBase64, plainBase64 } from '../../kit/bytes.ts'
import { sql } from '../../sql/index.ts'
import type { BinaryDef, FieldDef } from '../language/definitions.ts'
import type { FieldType } from '../language/field-type.ts'
import { isImage } from './image.ts'
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
  /**
   * Base64 without blanks. Throws InvalidValue for other text, UserError for a file that is not an image
   * if the field needs one.
   */
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
      letGo(content)
    }
  },
  // PostgreSQL breaks base64 into lines.
  outward: (expression) => sql`translate(encode(${expression}, 'base64'), E'\\n', '')`,
  typedAs: 'text',
  fromColumn: (_field, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('base64') : (value ?? null),
}
