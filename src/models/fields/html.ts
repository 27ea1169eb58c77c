// Markup, cleaned on the way in unless the field says otherwise.
import { char, textFrom } from './char.ts'
import { cleanHtml } from './html-policy.ts'
import type { FieldType } from './type.ts'

export const html: FieldType = {
  ...char,
  kind: 'html',
  wireType: 'html',
  toColumn(field, value) {
    const markup = textFrom(field, value)
    return markup === null || field.options.sanitize === false ? markup : cleanHtml(markup)
  },
}
