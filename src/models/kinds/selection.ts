// One of a few keys. Labels are for users and never accepted as values.
import { choices } from '../../kit/text.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { FieldType } from '../language/field-type.ts'
import { invalidValue, value } from './shared.ts'

/** Keys and labels, also if a function returns them; for a reference, models and their labels. */
export function selectionOf(field: FieldDef): Readonly<Record<string, string>> {
  if (field.kind !== 'selection' && field.kind !== 'reference') return {}
  const { selection } = field.options
  return (typeof selection === 'function' ? selection([]) : selection) ?? {}
}

export const selection: FieldType = {
  ...value,
  isText: true,
  ruleSample: 'x',
  kind: 'selection',
  wireType: 'selection',
  comparison: 'selection',
  columnType: () => 'text',
  toColumn(field, value) {
    if (value === null || value === undefined || value === false || value === '') return null
    const keys = selectionOf(field)
    if (typeof value !== 'string' || !Object.hasOwn(keys, value))
      throw invalidValue(field, choices(Object.keys(keys)) || 'nothing yet')
    return value
  },
  typedAs: 'text',
  direct: 'text',
}
