// JSON Schemas of methods' parameters, results and request bodies.
import type { Param, ParamType } from '../../models/contract/param.ts'
import type { MethodDef } from '../../models/language/definitions.ts'
import { annotationIn } from '../annotation.ts'
import { annotationOf } from '../python.ts'
import { schemaOf } from './annotation.ts'
import { ref, type Schema } from './values.ts'

const texts: Schema = { type: 'array', items: { type: 'string' } }

/** Schemas of the values that `fit` of `models/methods/bind.ts` accepts. */
const kinds: Readonly<Record<ParamType, Schema>> = {
  any: {},
  boolean: { type: 'boolean' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  string: { type: 'string' },
  text: { type: 'string' },
  domain: ref('Domain'),
  fields: texts,
  strings: texts,
  order: { type: 'string' },
  limit: { type: 'integer', minimum: 0 },
  offset: { type: 'integer', minimum: 0 },
  vals: { type: 'object' },
  valsList: { anyOf: [{ type: 'array', items: { type: 'object' } }, { type: 'object' }] },
  object: { type: 'object' },
  array: { type: 'array' },
  ids: ref('Ids'),
  specification: { type: 'object' },
  records: ref('Ids'),
  nothing: { type: 'null' },
}

/** Types that say less than their annotation. */
const vague: ReadonlySet<ParamType> = new Set(['any', 'array', 'object'])

function schemaOfParam(param: Param): Schema {
  const schema =
    param.annotation !== undefined && vague.has(param.type) ? schemaOf(annotationIn(param.annotation)) : {}
  return Object.keys(schema).length > 0 ? schema : kinds[param.type]
}

/** Whether null is among what a schema takes. */
const takesNull = ({ type, anyOf }: Schema): boolean =>
  [type].flat().includes('null') ||
  (Array.isArray(anyOf) && anyOf.some((option: Schema) => takesNull(option)))

/** A parameter's schema; `special` replaces what its type says. */
function parameterSchema(param: Param, special?: Schema): Schema {
  const schema = special ?? schemaOfParam(param)
  const nullable =
    param.hasDefault && param.default === null && Object.keys(schema).length > 0 && !takesNull(schema)
  const annotation = annotationOf(param)
  return {
    ...(nullable ? { anyOf: [schema, { type: 'null' }] } : schema),
    ...(param.doc ? { description: param.doc } : {}),
    ...(param.hasDefault ? { default: param.default ?? null } : {}),
    ...(annotation ? { 'x-annotation': annotation } : {}),
  }
}

/** A result's schema; methods that declare nothing answer null. */
export function resultSchema(method: MethodDef): Schema {
  const { returns } = method
  if (!returns) return {}
  const annotated = returns.annotation === undefined ? {} : schemaOf(annotationIn(returns.annotation))
  // Records and ids have a schema of their own, with a name.
  const named = ['ids', 'records'].includes(returns.type) || Object.keys(annotated).length === 0
  return {
    ...(named ? kinds[returns.type] : annotated),
    ...(returns.doc ? { description: returns.doc } : {}),
  }
}

/** The body of a call. */
export function bodySchema(method: MethodDef, special: Readonly<Record<string, Schema>> = {}): Schema {
  const params = Object.entries(method.params)
  const onRecords = method.level === 'records'
  const required = params.filter(([, param]) => !param.hasDefault).map(([name]) => name)
  if (onRecords) required.unshift('ids')
  return {
    type: 'object',
    properties: {
      ...(onRecords ? { ids: ref('Ids') } : {}),
      ...Object.fromEntries(params.map(([name, param]) => [name, parameterSchema(param, special[name])])),
      context: ref('Context'),
    },
    ...(required.length ? { required } : {}),
    additionalProperties: false,
  }
}
