// The documents of `/doc`: the index of models and the page of one model, read from contracts (spec/wire.md
// section 14).
import type { MethodDef, ModelDef } from '../models/language/definitions.ts'
import type { Environment } from '../models/language/environment.ts'
import { describeField } from '../models/methods/describe.ts'
import { type Labels, labelsOf } from '../models/terms/labels.ts'
import { annotationOf, html, type ParameterDocument, parametersOf, signature } from './python.ts'
import {
  assertReader,
  moduleOf,
  publicMethods,
  visibleFields,
  visibleModel,
  visibleModels,
} from './visible-models.ts'

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

/**
 * Modules, and every model that the caller may read. Throws AccessError for callers outside of the
 * documentation group.
 */
export async function indexDocument(env: Environment): Promise<IndexDocument> {
  assertReader(env)
  const models: ModelSummary[] = []
  for (const model of visibleModels(env)) models.push(summaryOf(env, model, await labelsOf(env, model)))
  return { modules: env.unit.registry.modules, models }
}

function summaryOf(env: Environment, model: ModelDef, labels: Labels): ModelSummary {
  return {
    model: model.name,
    name: labels.model(model),
    fields: Object.fromEntries(
      visibleFields(env, model).map((field) => [field.name, { string: labels.label(field) }]),
    ),
    methods: publicMethods(model).map((method) => method.name),
  }
}

/**
 * One model. Throws AccessError outside of the group and for a model that may not be read, NotFound for an
 * unknown one.
 */
export async function modelDocument(env: Environment, name: string): Promise<ModelDocument> {
  assertReader(env)
  const model = visibleModel(env, name)
  const labels = await labelsOf(env, model)
  return {
    model: model.name,
    name: labels.model(model),
    doc: null,
    fields: fieldsOf(env, model, labels),
    methods: Object.fromEntries(publicMethods(model).map((method) => [method.name, methodDocument(method)])),
  }
}

function fieldsOf(env: Environment, model: ModelDef, labels: Labels): ModelDocument['fields'] {
  return Object.fromEntries(
    visibleFields(env, model).map((field) => [
      field.name,
      { ...describeField(field, labels), module: moduleOf(field) },
    ]),
  )
}

function methodDocument(method: MethodDef): MethodDocument {
  const { returns } = method
  const annotation = returns && annotationOf(returns)
  const api = [...(method.level === 'model' ? ['model'] : []), ...(method.readonly ? ['readonly'] : [])]
  return {
    signature: signature(method),
    parameters: parametersOf(method),
    ...(returns
      ? {
          return: {
            ...(annotation ? { annotation } : {}),
            ...(returns.doc ? { doc: html(returns.doc) } : {}),
          },
        }
      : {}),
    ...(api.length ? { api } : {}),
    ...(method.doc ? { doc: html(method.doc) } : {}),
    model: method.origin,
    module: method.module,
  }
}
