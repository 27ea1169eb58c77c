// Markup, sanitized on input unless the field's options say otherwise.

import type { HtmlDef } from '../language/definitions.ts'
import type { FieldType } from '../language/field-type.ts'
import { char, textFrom } from './char.ts'
import { cleaned } from './cleaning.ts'

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
