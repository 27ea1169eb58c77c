// True or false, never unset. Values are converted by their truth: every text except the empty one is
// true.

import type { FieldType } from '../language/field-type.ts'
import { value } from './shared.ts'

/**
 * Whether a JSON value counts as true: 0, empty texts, lists and objects do not (spec/models-api.md section
 * 5, "Values").
 */
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
