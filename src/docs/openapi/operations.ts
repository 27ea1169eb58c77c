// A model's part of the OpenAPI document: the shapes of its records, and one operation for each method that
// the caller may use.
import type { Extensions } from '../../config/index.ts'
import type { FieldDef, MethodDef, ModelDef } from '../../models/language/definitions.ts'
import type { Environment } from '../../models/language/environment.ts'
import { mayModel, usableMethods, visibleFields } from '../visible-models.ts'
import { failures } from './errors.ts'
import { bodyExample, callExample, resultExample, rowExample } from './examples.ts'
import { bodySchema, resultSchema } from './parameters.ts'
import { isNeeded, isWritable, readSchema, ref, type Schema, writeSchema } from './values.ts'

export interface ModelPart {
  readonly paths: Record<string, object>
  readonly schemas: Record<string, Schema>
  /** Bodies and answers of generic methods, the same for every model. */
  readonly requestBodies: Record<string, object>
  readonly responses: Record<string, object>
}

/** Generic methods that nearly every program calls; the others are included for models asked for by name. */
const USUAL: ReadonlySet<string> = new Set([
  'search_read',
  'search',
  'search_count',
  'read',
  'create',
  'upsert',
  'write',
  'unlink',
  'copy',
  'action_archive',
  'action_unarchive',
  'fields_get',
])

interface Telling {
  /** Whether to include all methods, or the model's own and the usual ones. */
  readonly isWhole: boolean
  readonly extensions: Extensions
  /** References to headers that a call takes, by whether its method only reads. */
  readonly headers: (readonly: boolean) => readonly object[]
}

const parametersIn = (parameters: readonly object[]) => (parameters.length ? { parameters } : {})

/** Paths and components of a model: of all its methods, or of its own and the usual ones. */
export function modelPart(
  env: Environment,
  model: ModelDef,
  { isWhole, headers, extensions }: Telling,
): ModelPart {
  const fields = visibleFields(env, model)
  const part: ModelPart = { paths: {}, schemas: shapes(env, model, fields), requestBodies: {}, responses: {} }
  const methods = usableMethods(env, model, extensions)
  for (const method of isWhole
    ? methods
    : methods.filter(({ module, name }) => module !== 'core' || USUAL.has(name)))
    part.paths[`/json/2/${model.name}/${method.name}`] = {
      post: { ...operation(part, model, fields, method), ...parametersIn(headers(method.readonly)) },
    }
  return part
}

function shapes(env: Environment, model: ModelDef, fields: readonly FieldDef[]): Record<string, Schema> {
  const writable = fields.filter(isWritable)
  const values = { properties: Object.fromEntries(writable.map((field) => [field.name, writeSchema(field)])) }
  const needed = writable.filter((field) => isNeeded(model, field)).map((field) => field.name)
  const shape = (what: string, rest: object): Schema => ({
    title: `${model.label}: ${what}`,
    type: 'object',
    ...rest,
  })
  const [mayCreate, mayWrite] = [mayModel(env, model, 'create'), mayModel(env, model, 'write')]
  // Both schemas have the same values: `create` refers to `write` and adds only the required names.
  const created = {
    ...(mayWrite ? { allOf: [ref(`${model.name}.write`)] } : values),
    ...(needed.length ? { required: needed } : {}),
  }
  return {
    [`${model.name}.fields`]: {
      title: `${model.label}: names of fields`,
      type: 'string',
      enum: fields.map((field) => field.name),
    },
    [`${model.name}.read`]: shape('as read', {
      properties: Object.fromEntries(fields.map((field) => [field.name, readSchema(field)])),
    }),
    ...(mayCreate ? { [`${model.name}.create`]: shape('to create', created) } : {}),
    ...(mayWrite ? { [`${model.name}.write`]: shape('to write', values) } : {}),
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
    requestBody: shared
      ? { $ref: `#/components/requestBodies/${name}` }
      : (body ?? requestBody(method, bodySchema(method))),
    responses: {
      200: answer
        ? { $ref: `#/components/responses/${name}` }
        : response(result ?? resultSchema(method), row ? [row] : resultExample(method.returns)),
      ...failures,
    },
  }
}

/** Bodies and results of generic methods that depend on the model. */
function special(
  model: ModelDef,
  fields: readonly FieldDef[],
  method: MethodDef,
): { body?: object; result?: Schema; row?: object } {
  if (method.module !== 'core') return {}
  const shape = (kind: string) => ref(`${model.name}.${kind}`)
  const body = (about: Readonly<Record<string, Schema>>) =>
    requestBody(method, bodySchema(method, about), callExample(model, fields, method))
  switch (method.name) {
    case 'search_read':
    case 'read':
      return {
        result: { type: 'array', items: shape('read') },
        row: rowExample(model, fields),
        body: body({ fields: { type: 'array', items: shape('fields') } }),
      }
    case 'create':
      return {
        body: body({ vals_list: { anyOf: [{ type: 'array', items: shape('create') }, shape('create')] } }),
      }
    case 'write':
      return { body: body({ vals: shape('write') }) }
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
  return {
    description: 'The result.',
    content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } },
  }
}
