// Free-form values by name. Their definitions are in another record: read/properties.ts joins values
// with definitions for reading, and removes values without a definition after writing
// (spec/models-api.md sections 4 and 6).
import { raw } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { FieldType } from '../language/field-type.ts'
import { fromJsonText, jsonText } from './json.ts'
import { invalidValue, whole } from './shared.ts'

/** Values by name, from an object or a list of definitions with values. Throws InvalidValue. */
function valuesByName(field: FieldDef, input: unknown): Readonly<Record<string, unknown>> {
  if (typeof input !== 'object' || input === null)
    throw invalidValue(field, 'an object of values, or a list of definitions with values')
  if (!Array.isArray(input)) return input as Record<string, unknown>
  const values = new Map<string, unknown>()
  for (const item of input as unknown[]) {
    const { name, value } = (item ?? {}) as { name?: unknown; value?: unknown }
    if (typeof name !== 'string' || name === '') throw invalidValue(field, 'definitions that have a name')
    if (value !== undefined) values.set(name, value)
  }
  return Object.fromEntries(values)
}

export const properties: FieldType = {
  ...whole,
  kind: 'properties',
  wireType: 'properties',
  comparison: 'json',
  columnType: () => 'jsonb',
  toColumn: (field, value) =>
    value === null || value === undefined || value === false
      ? null
      : jsonText(field, valuesByName(field, value)),
  // read/properties.ts reads the values together with their definitions.
  toJson: () => raw(`'[]'::json`),
  unset: [],
  fromColumn: fromJsonText,
}
