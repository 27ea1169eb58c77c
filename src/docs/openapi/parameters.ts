// JSON Schemas of methods' parameters, results and request bodies.
import type { Param, ParamType } from '../../models/contract/param.ts'
import type { MethodDef } from '../../models/defs.ts'
import { annotationOf } from '../python.ts'
import { ref, type Schema } from './values.ts'

const texts: Schema = { type: 'array', items: { type: 'string' } }

/** What `fit` of `models/methods/bind.ts` lets through. */
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

/** A parameter's schema; `special` replaces what its type says. */
export function parameterSchema(param: Param, special?: Schema): Schema {
  const schema = special ?? kinds[param.type]
  const nullable = param.hasDefault && param.default === null && Object.keys(schema).length > 0
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
  if (!method.returns) return {}
  return { ...kinds[method.returns.type], ...(method.returns.doc ? { description: method.returns.doc } : {}) }
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
