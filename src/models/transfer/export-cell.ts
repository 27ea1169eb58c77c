// A cell of an export.
import type { FieldDef } from '../language/definitions.ts'
import type { Labels } from '../terms/labels.ts'

export type ExportCell = string | number | boolean

/**
 * A cell from a value's wire form: numbers and booleans keep their type, selections show their label, unset
 * is empty.
 */
export function exportCell(field: FieldDef, value: unknown, labels: Labels): ExportCell {
  if (field.kind === 'boolean') return value === true
  if (value === false || value === null || value === undefined) return ''
  if (field.kind === 'selection') return labels.options(field)[value as string] ?? String(value)
  if (typeof value === 'object')
    return Array.isArray(value) && value.length === 0 ? '' : JSON.stringify(value)
  return value as ExportCell
}
