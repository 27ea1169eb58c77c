// Bytes, base64 text in code and on the wire; kept in an attachment unless the field says otherwise.
import { UserError } from '../../errors.ts'
import { sql } from '../../sql/index.ts'
import { isImage } from './image.ts'
import { jsonOrFalse, nameOf, orFalse, refusal } from './shared.ts'
import type { FieldType } from './type.ts'

const base64 = /^[A-Za-z0-9+/]*={0,2}$/

export const binary: FieldType = {
  kind: 'binary',
  wireType: 'binary',
  comparison: 'presence',
  columnType: (field) => (field.options.attachment === false ? 'bytea' : null),
  /** Base64 without blanks. Throws InvalidValue for other text, UserError for what is no image where one is wanted. */
  toColumn(field, value) {
    if (value === null || value === undefined || value === false || value === '') return null
    const compact = typeof value === 'string' ? value.replace(/\s+/g, '') : '?'
    if (compact.length % 4 !== 0 || !base64.test(compact)) throw refusal(field, 'base64 text')
    if (compact === '') return null
    const content = Buffer.from(compact, 'base64')
    if (field.options.image && !isImage(content)) throw new UserError(`The file given for ${nameOf(field)} is no image.`)
    return content.toString('base64')
  },
  // PostgreSQL breaks base64 into lines.
  toJson: (_field, expression) => jsonOrFalse(sql`translate(encode(${expression}, 'base64'), E'\\n', '')`),
  unset: false,
  fromColumn: (_field, value) => (value instanceof Uint8Array ? Buffer.from(value).toString('base64') : (value ?? null)),
  toWire: orFalse,
}
