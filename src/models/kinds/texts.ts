// Text on one line or several, possibly truncated, and markup, sanitized on input unless the field says
// otherwise; also the conversion of values to text for all text types.
import { truncateText } from '../../kit/text.ts'
import { assertWithin, limits } from '../../limits.ts'
import type { FieldDef, HtmlDef, TextDef } from '../language/definitions.ts'
import type { FieldType } from '../language/field-type.ts'
import { cleaned } from './cleaning.ts'
import { invalidValue, storableText, value } from './shared.ts'

/**
 * Text as it came: numbers become text, nothing is trimmed, the empty text stays one, null and false unset
 * (spec/models-api.md section 5, "Values"). Throws InvalidValue for other things and for text that cannot be
 * stored, PayloadTooLarge for a long one.
 */
export function textFrom(field: FieldDef, value: unknown): string | null {
  if (value === null || value === undefined || value === false) return null
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value !== 'string') throw invalidValue(field, 'text')
  const limit = field.kind === 'char' ? 'line' : 'text'
  // A character takes at most three bytes per unit of its length: most texts need no counting.
  if (value.length * 3 > limits[limit]) assertWithin(limit, Buffer.byteLength(value))
  return storableText(field, value)
}

function toColumn(field: TextDef, value: unknown): string | null {
  const text = textFrom(field, value)
  return text === null || field.options.size === undefined ? text : truncateText(text, field.options.size)
}

export const char: FieldType = {
  ...value,
  isText: true,
  ruleSample: 'x',
  kind: 'char',
  wireType: 'char',
  comparison: 'text',
  columnType: () => 'text',
  toColumn,
  typedAs: 'text',
  direct: 'text',
}

export const text: FieldType = { ...char, kind: 'text', wireType: 'text' }

export const html: FieldType = {
  ...char,
  kind: 'html',
  // Rules name no markup, and an import's markup may be cleaned.
  plain: false,
  ruleSample: undefined,
  wireType: 'html',
  toColumn(field: HtmlDef, value) {
    const markup = textFrom(field, value)
    return markup === null || field.options.sanitize === false ? markup : cleaned(markup)
  },
}
