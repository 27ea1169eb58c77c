// Annotations as JSON Schemas, and values that fit them: `list[int] | None` is an array of integers, or null;
// `[1]` for one.
import { present } from '../../kit/present.ts'
import type { Annotation } from '../annotation.ts'
import { ref, type Schema } from './values.ts'

/** The schema; empty where anything goes. */
export function schemaOf(type: Annotation): Schema {
  switch (type.is) {
    case 'unknown':
      return {}
    case 'domain':
      return ref('Domain')
    case 'values':
      return { type: 'object' }
    case 'literal':
      return { const: type.value }
    case 'list':
      return { type: 'array', ...(type.of.is === 'unknown' ? {} : { items: schemaOf(type.of) }) }
    case 'tuple':
      return {
        type: 'array',
        prefixItems: type.items.map(schemaOf),
        minItems: type.items.length,
        maxItems: type.items.length,
      }
    case 'object':
      return {
        type: 'object',
        ...(type.values.is === 'unknown' ? {} : { additionalProperties: schemaOf(type.values) }),
      }
    case 'union':
      return unionOf(type.of)
    default:
      return { type: type.is }
  }
}

/** Several schemas: literals as one list, names of types as one list, anything else side by side. */
function unionOf(types: readonly Annotation[]): Schema {
  const schemas = types.map(schemaOf)
  if (schemas.every((schema) => 'const' in schema)) return { enum: schemas.map((schema) => schema.const) }
  const plain = schemas.every((schema) => Object.keys(schema).join() === 'type')
  return plain ? { type: schemas.map((schema) => schema.type) } : { anyOf: schemas }
}

/** A value of the type. */
export function exampleOf(type: Annotation): unknown {
  switch (type.is) {
    case 'integer':
      return 1
    case 'number':
      return 1.5
    case 'string':
      return 'text'
    case 'boolean':
      return true
    case 'domain':
      return []
    case 'values':
      return {}
    case 'literal':
      return type.value
    case 'list':
      return type.of.is === 'unknown' ? [] : [exampleOf(type.of)]
    case 'tuple':
      return type.items.map(exampleOf)
    case 'object':
      return {}
    case 'union':
      return exampleOf(present(type.of[0]))
    default:
      return null
  }
}
