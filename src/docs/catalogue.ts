// The documents of `/doc`: the index of models and the page of one model, read from contracts (spec/wire.md section 14).
import type { MethodDef, ModelDef } from '../models/defs.ts'
import type { Environment } from '../models/environment.ts'
import { describeField } from '../models/methods/describe.ts'
import { annotationOf, html, type ParameterDocument, parametersOf, signature } from './python.ts'
import { assertReader, moduleOf, publicMethods, visibleFields, visibleModel, visibleModels } from './visible.ts'

export interface ModelSummary {
  readonly model: string
  readonly name: string
  readonly fields: Readonly<Record<string, { readonly string: string }>>
  readonly methods: readonly string[]
}

export interface IndexDocument {
  /** Each after those it needs. */
  readonly modules: readonly string[]
  readonly models: readonly ModelSummary[]
}

export interface MethodDocument {
  readonly signature: string
  readonly parameters: Readonly<Record<string, ParameterDocument>>
  readonly return?: { readonly annotation?: string; readonly doc?: string }
  readonly api?: readonly string[]
  readonly doc?: string
  readonly model: string
  readonly module: string
}

export interface ModelDocument {
  readonly model: string
  readonly name: string
  readonly doc: string | null
  readonly fields: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly methods: Readonly<Record<string, MethodDocument>>
}

/** Modules, and every model that the caller may read. Throws AccessError for callers outside of the documentation group. */
export function indexDocument(env: Environment): IndexDocument {
  assertReader(env)
  return {
    modules: env.unit.registry.modules,
    models: visibleModels(env).map((model) => ({
      model: model.name,
      name: model.label,
      fields: Object.fromEntries(visibleFields(env, model).map((field) => [field.name, { string: field.label }])),
      methods: publicMethods(model).map((method) => method.name),
    })),
  }
}

/** One model. Throws AccessError outside of the group and for a model that may not be read, NotFound for an unknown one. */
export function modelDocument(env: Environment, name: string): ModelDocument {
  assertReader(env)
  const model = visibleModel(env, name)
  return {
    model: model.name,
    name: model.label,
    doc: null,
    fields: fieldsOf(env, model),
    methods: Object.fromEntries(publicMethods(model).map((method) => [method.name, methodDocument(method)])),
  }
}

function fieldsOf(env: Environment, model: ModelDef): ModelDocument['fields'] {
  return Object.fromEntries(
    visibleFields(env, model).map((field) => [field.name, { ...describeField(env, field), module: moduleOf(field) }]),
  )
}

function methodDocument(method: MethodDef): MethodDocument {
  const { returns } = method
  const annotation = returns && annotationOf(returns)
  const api = [...(method.level === 'model' ? ['model'] : []), ...(method.readonly ? ['readonly'] : [])]
  return {
    signature: signature(method),
    parameters: parametersOf(method),
    ...(returns ? { return: { ...(annotation ? { annotation } : {}), ...(returns.doc ? { doc: html(returns.doc) } : {}) } } : {}),
    ...(api.length ? { api } : {}),
    ...(method.doc ? { doc: html(method.doc) } : {}),
    model: method.origin,
    module: method.module,
  }
}
