// A model's part of the OpenAPI document: the shapes of its records, and one operation for each method that the caller may use.
import type { FieldDef, MethodDef, ModelDef } from '../../models/language/definitions.ts'
import type { Environment } from '../../models/language/environment.ts'
import { mayModel, usableMethods, visibleFields } from '../visible.ts'
import { failures } from './errors.ts'
import { bodyExample, createExample, resultExample, rowExample, writeExample } from './examples.ts'
import { bodySchema, resultSchema } from './parameters.ts'
import { isNeeded, isWritable, readSchema, ref, type Schema, writeSchema } from './values.ts'

export interface ModelPart {
  readonly paths: Record<string, object>
  readonly schemas: Record<string, Schema>
  /** Bodies and answers of generic methods, the same for every model. */
  readonly requestBodies: Record<string, object>
  readonly responses: Record<string, object>
}

/** Paths and components of a model. */
export function modelPart(env: Environment, model: ModelDef): ModelPart {
  const fields = visibleFields(env, model)
  const part: ModelPart = { paths: {}, schemas: shapes(env, model, fields), requestBodies: {}, responses: {} }
  for (const method of usableMethods(env, model))
    part.paths[`/json/2/${model.name}/${method.name}`] = { post: operation(part, model, fields, method) }
  return part
}

function shapes(env: Environment, model: ModelDef, fields: readonly FieldDef[]): Record<string, Schema> {
  const writable = fields.filter(isWritable)
  const values = Object.fromEntries(writable.map((field) => [field.name, writeSchema(field)]))
  const needed = writable.filter((field) => isNeeded(model, field)).map((field) => field.name)
  const shape = (what: string, rest: object): Schema => ({ title: `${model.label}: ${what}`, type: 'object', ...rest })
  return {
    [`${model.name}.read`]: shape('as read', { properties: Object.fromEntries(fields.map((field) => [field.name, readSchema(field)])) }),
    ...(mayModel(env, model, 'create')
      ? { [`${model.name}.create`]: shape('to create', { properties: values, ...(needed.length ? { required: needed } : {}) }) }
      : {}),
    ...(mayModel(env, model, 'write') ? { [`${model.name}.write`]: shape('to write', { properties: values }) } : {}),
  }
}

function operation(part: ModelPart, model: ModelDef, fields: readonly FieldDef[], method: MethodDef): object {
  const { body, result, row } = special(model, fields, method)
  const shared = method.module === 'core' && !body
  const answer = shared && !result
  const name = `core.${method.name}`
  if (shared) part.requestBodies[name] ??= requestBody(method, bodySchema(method))
  if (answer) part.responses[name] ??= response(resultSchema(method), resultExample(method.returns))
  return {
    operationId: `${model.name}.${method.name}`,
    tags: [model.name],
    ...(method.doc ? { summary: method.doc } : {}),
    'x-module': method.module,
    'x-readonly': method.readonly,
    requestBody: shared ? { $ref: `#/components/requestBodies/${name}` } : (body ?? requestBody(method, bodySchema(method))),
    responses: {
      200: answer
        ? { $ref: `#/components/responses/${name}` }
        : response(result ?? resultSchema(method), row ? [row] : resultExample(method.returns)),
      ...failures,
    },
  }
}

/** Bodies and results of generic methods that depend on the model. */
function special(model: ModelDef, fields: readonly FieldDef[], method: MethodDef): { body?: object; result?: Schema; row?: object } {
  const shape = (kind: string) => ref(`${model.name}.${kind}`)
  const rows: Schema = { type: 'array', items: shape('read') }
  if (method.module !== 'core') return {}
  const names = { fields: { type: 'array', items: { type: 'string', enum: fields.map((field) => field.name) } } }
  const example = fields.find((field) => field.name === model.recName)?.name ?? 'display_name'
  switch (method.name) {
    case 'search_read':
      return {
        result: rows,
        row: rowExample(example),
        body: requestBody(method, bodySchema(method, names), { domain: [], fields: [example], limit: 10 }),
      }
    case 'read':
      return {
        result: rows,
        row: rowExample(example),
        body: requestBody(method, bodySchema(method, names), { ids: [1], fields: [example] }),
      }
    case 'create': {
      const values = { anyOf: [{ type: 'array', items: shape('create') }, shape('create')] }
      return { body: requestBody(method, bodySchema(method, { vals_list: values }), { vals_list: [createExample(model, fields)] }) }
    }
    case 'write':
      return { body: requestBody(method, bodySchema(method, { vals: shape('write') }), { ids: [1], vals: writeExample(model, fields) }) }
    default:
      return {}
  }
}

function requestBody(method: MethodDef, schema: Schema, example: object = bodyExample(method)): object {
  const { required } = schema
  return {
    required: Array.isArray(required) && required.length > 0,
    description: method.level === 'model' ? 'Named parameters.' : 'Ids of the records, and named parameters.',
    content: { 'application/json': { schema, example } },
  }
}

function response(schema: Schema, example: unknown): object {
  return { description: 'The result.', content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } } }
}
