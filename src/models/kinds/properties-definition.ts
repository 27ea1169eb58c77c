// Definitions of properties: a list of objects with a name and a type.

import { assertWithin } from '../../limits.ts'
import type { FieldType } from '../language/field-type.ts'
import { fromJsonText, jsonText } from './json.ts'
import { invalidValue, whole } from './shared.ts'

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
function isSound({ string, selection, tags, comodel }: Readonly<Record<string, unknown>>): boolean {
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
