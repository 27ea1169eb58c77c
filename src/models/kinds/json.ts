// Any JSON value. A parameter is JSON text, which the statement casts to jsonb.
import { InvalidValue } from '../../errors.ts'
import { assertWithin } from '../../limits.ts'
import { raw } from '../../sql/index.ts'
import type { FieldDef, LooseVals } from '../language/definitions.ts'
import type { FieldType } from '../language/field-type.ts'
import { invalidValue, nameOf, whole } from './shared.ts'

/** Escapes of NUL and of half surrogate pairs, after an even number of backslashes. */
const unstorable = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f][0-9a-f]{2})/

export function jsonText(field: FieldDef, value: unknown): string {
  const text = JSON.stringify(value)
  if (text === undefined) throw invalidValue(field, 'JSON values')
  assertWithin('text', text.length)
  if (unstorable.test(text))
    throw new InvalidValue(`Wrong value for ${nameOf(field)}: a text in it cannot be stored.`)
  return text
}

export function fromJsonText(_field: FieldDef, value: unknown): unknown {
  return typeof value === 'string' ? JSON.parse(value) : (value ?? null)
}

export const json: FieldType = {
  ...whole,
  kind: 'json',
  wireType: 'json',
  comparison: 'json',
  columnType: () => 'jsonb',
  toColumn: (field, value) =>
    value === null || value === undefined || value === false ? null : jsonText(field, value),
  isCachedVerbatim: true,
  fromColumn: fromJsonText,
}

// Free-form values by name. Their definitions are in another record: read/properties.ts joins values
// with definitions for reading, and removes values without a definition after writing
// (spec/models-api.md sections 4 and 6).

/** Values by name, from an object or a list of definitions with values. Throws InvalidValue. */
function valuesByName(field: FieldDef, input: unknown): LooseVals {
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

const types = new Set(
  'boolean integer float monetary char text html date datetime selection tags many2one many2many separator signature'.split(
    ' ',
  ),
)

const isText = (value: unknown) => value === undefined || value === false || typeof value === 'string'

/** Keys with labels and other properties of options, such as a colour; no duplicate keys. */
function areOptions(value: unknown): boolean {
  if (value === undefined || value === false) return true
  if (!Array.isArray(value)) return false
  const keys = value.map((option: unknown) =>
    Array.isArray(option) && option.length >= 2 && isText(option[1]) ? (option[0] as unknown) : null,
  )
  return keys.every((key) => typeof key === 'string' && key !== '') && new Set(keys).size === keys.length
}

/** Whether label, options and model of a definition are valid, if present. */
function isSound({ string, selection, tags, comodel }: LooseVals): boolean {
  return isText(string) && isText(comodel) && areOptions(selection) && areOptions(tags)
}

function isDefinition(item: unknown): boolean {
  const { name, type } = (item ?? {}) as { name?: unknown; type?: unknown }
  return typeof name === 'string' && /^[a-z0-9_]+$/.test(name) && typeof type === 'string' && types.has(type)
}

export const propertiesDefinition: FieldType = {
  ...whole,
  kind: 'properties_definition',
  wireType: 'properties_definition',
  comparison: 'json',
  columnType: () => 'jsonb',
  toColumn(field, value) {
    if (value === null || value === undefined || value === false) return null
    if (!Array.isArray(value) || !value.every(isDefinition))
      throw invalidValue(field, 'a list of definitions with a name and a known type')
    const names = value.map((definition: { name: string }) => definition.name)
    if (!value.every(isSound))
      throw invalidValue(
        field,
        'definitions whose label and model are texts, and whose options are lists of different keys with a label',
      )
    if (new Set(names).size < names.length) throw invalidValue(field, 'definitions of different names')
    const text = jsonText(field, value)
    assertWithin('definition', text.length)
    return text
  },
  unset: [],
  fromColumn: fromJsonText,
}
