// Bytes, base64 text in code and on the wire; kept in an attachment unless the field says otherwise.
import { UserError } from '../../errors.ts'
import { letGo, type PlainBase64, plainBase64 } from '../../kit/bytes.ts'
import { sql } from '../../sql/index.ts'
import type { BinaryDef, FieldDef } from '../language/definitions.ts'
import type { FieldType } from '../language/field-type.ts'
import { isImage } from './image.ts'
import { nameOf, refusal, whole } from './shared.ts'

const DATA_URL = /^data:[^,]{0,1000};base64,/i

/** Signs of the other forms, which the decoder takes too, and slowly. */
const FORMS = ['-', '_', ' ', '\n']

/** Whether more than blanks and padding follows the first padding: no byte needs so much. */
function isPaddedInside(text: string): boolean {
  const padding = text.indexOf('=')
  return padding >= 0 && text.length - padding > 1000
}

/** What a text stands for in another form: with blanks, a data URL, the alphabet for addresses. */
function otherwise(text: string): PlainBase64 | null {
  const bare = text.startsWith('data:') ? text.replace(DATA_URL, '') : text
  return isPaddedInside(bare) ? null : plainBase64(bare)
}

/**
 * Base64 decoded; null for other text. Whatever is no base64 is passed over by the decoder and makes the
 * content too short; a pattern would take many times as long.
 */
function decoded(text: string): Buffer | null {
  if (text.length % 4 !== 0 || FORMS.some((sign) => text.includes(sign))) return null
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const content = Buffer.from(text, 'base64')
  return content.length === (text.length / 4) * 3 - padding ? content : null
}

/**
 * The bytes of a value, and their base64, of any of the forms that clients send: with blanks, without
 * padding, URL-safe, a data URL; null for unset and empty ones. Throws InvalidValue for other text.
 */
export function bytesFrom(field: FieldDef, value: unknown): PlainBase64 | null {
  if (value === null || value === undefined || value === false || value === '') return null
  if (typeof value !== 'string') throw refusal(field, 'base64 text')
  // Mostly it is what it should be: nothing but decoding tells that.
  const content = decoded(value)
  const bytes = content ? { content, base64: value } : otherwise(value)
  if (!bytes) throw refusal(field, 'base64 text')
  return bytes.base64 === '' ? null : bytes
}

export const binary: FieldType = {
  ...whole,
  kind: 'binary',
  wireType: 'binary',
  comparison: 'presence',
  columnType: (field: BinaryDef) => (field.options.attachment === false ? 'bytea' : null),
  /**
   * Base64 without blanks. Throws InvalidValue for other text, UserError for what is no image where one is
   * wanted.
   */
  toColumn(field: BinaryDef, value) {
    const bytes = bytesFrom(field, value)
    if (!bytes) return null
    const { content, base64 } = bytes
    try {
      if (field.options.image && !isImage(content))
        throw new UserError(`The file given for ${nameOf(field)} is no image.`)
      // Bits behind the last byte may be anything.
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
