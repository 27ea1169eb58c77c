// Definitions of properties: a list of objects with a name and a type.
import { fromJsonText, jsonText } from './json.ts'
import { jsonOrEmpty, refusal } from './shared.ts'
import type { FieldType } from './type.ts'

const types = new Set(
  'boolean integer float monetary char text html date datetime selection tags many2one many2many separator signature'.split(' '),
)

function isDefinition(item: unknown): boolean {
  const { name, type } = (item ?? {}) as { name?: unknown; type?: unknown }
  return typeof name === 'string' && /^[a-z0-9_]+$/.test(name) && typeof type === 'string' && types.has(type)
}

export const propertiesDefinition: FieldType = {
  kind: 'properties_definition',
  wireType: 'properties_definition',
  comparison: 'json',
  columnType: () => 'jsonb',
  toColumn(field, value) {
    if (value === null || value === undefined || value === false) return null
    if (!Array.isArray(value) || !value.every(isDefinition)) throw refusal(field, 'a list of definitions with a name and a known type')
    const names = value.map((definition: { name: string }) => definition.name)
    if (new Set(names).size < names.length) throw refusal(field, 'definitions of different names')
    return jsonText(field, value)
  },
  toJson: (_field, expression) => jsonOrEmpty(expression),
  unset: false,
  fromColumn: fromJsonText,
  toWire: (_field, value) => value ?? [],
}
