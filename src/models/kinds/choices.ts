// True or false, and one of a few keys. Truth is never unset: values are converted by it, and every text
// except the empty one is true. Labels of keys are for users and never accepted as values.

import { choices } from '../../kit/text.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { FieldType } from '../language/field-type.ts'
import { invalidValue, value } from './shared.ts'

/** Whether a JSON value is true: 0, empty texts, lists and objects are not (models-api.md section 5). */
function truthOf(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value)
}

export const boolean: FieldType = {
  ...value,
  filled: true,
  measure: 'truth',
  ruleSample: true,
  kind: 'boolean',
  wireType: 'boolean',
  comparison: 'boolean',
  columnType: () => 'bool',
  toColumn: (_field, value) => truthOf(value),
  direct: 'value',
  fromColumn: (_field, value) => value === true,
  toWire: (_field, value) => value === true,
}

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
