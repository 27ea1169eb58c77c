// What the page of one model shows: its document, and a body to call each method with.
import type { Environment } from '../models/environment.ts'
import { type ModelDocument, modelDocument } from './catalogue.ts'
import { callExample } from './openapi/examples.ts'
import { publicMethods, visibleFields, visibleModel } from './visible.ts'

export interface DescribedModel {
  readonly document: ModelDocument
  /** By method. */
  readonly bodies: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Throws as `modelDocument` does. */
export async function describeModel(env: Environment, name: string): Promise<DescribedModel> {
  const document = await modelDocument(env, name)
  const model = visibleModel(env, name)
  const fields = visibleFields(env, model)
  const bodies = publicMethods(model).map((method) => [method.name, callExample(model, fields, method)] as const)
  return { document, bodies: Object.fromEntries(bodies) }
}
