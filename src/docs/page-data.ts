// Data that pages show in addition to the documents: what models are for; the required values, an example
// record and example bodies of one model.

import type { ModelDef } from '../models/language/definitions.ts'
import type { Environment } from '../models/language/environment.ts'
import type { Module } from '../models/language/module.ts'
import { type IndexDocument, indexDocument, type ModelDocument, modelDocument } from './catalogue.ts'
import { type Purpose, purposesOf } from './model-groups.ts'
import { callExample, recordExample } from './openapi/examples.ts'
import { isNeeded, isWritable } from './openapi/values.ts'
import { mayModel, publicMethods, visibleFields, visibleModel, visibleModels } from './visible-models.ts'

export interface DescribedModel {
  readonly document: ModelDocument
  /** By method. */
  readonly bodies: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /**
   * Names of the fields that a call of `create` must send: required ones without a default. Null for users
   * who may not create records.
   */
  readonly needed: readonly string[] | null
  /** Messages of the model's constraints. */
  readonly rules: readonly string[]
  /** A record as it is read. */
  readonly example: Readonly<Record<string, unknown>>
}

/** The models of a database, and what they are for. */
export interface DescribedIndex {
  readonly document: IndexDocument
  readonly purposes: readonly Purpose[]
}

/** Throws as `indexDocument` does. */
export async function describeIndex(env: Environment, modules: readonly Module[]): Promise<DescribedIndex> {
  return { document: await indexDocument(env), purposes: purposesOf(visibleModels(env), modules) }
}

/** Throws as `modelDocument` does. */
export async function describeModel(env: Environment, name: string): Promise<DescribedModel> {
  const document = await modelDocument(env, name)
  const model = visibleModel(env, name)
  const fields = visibleFields(env, model)
  const bodies = publicMethods(model).map(
    (method) => [method.name, callExample(model, fields, method)] as const,
  )
  const needed = fields
    .filter((field) => isWritable(field) && isNeeded(model, field))
    .map((field) => field.name)
  return {
    document,
    bodies: Object.fromEntries(bodies),
    needed: mayModel(env, model, 'create') ? needed : null,
    rules: rulesOf(model),
    example: recordExample(model, fields),
  }
}

function rulesOf({ hooks: { checks }, rules }: ModelDef): readonly string[] {
  const ofTable = [...rules.values()].flatMap((rule) => ('message' in rule ? [rule.message] : []))
  return [...new Set([...checks.map(({ message }) => message), ...ofTable])]
}
