// Facts about the models that modules declare, without any database.
import { NotFound } from '../../errors.ts'
import { selectionOf } from '../../models/kinds/index.ts'
import type { FieldDef, MethodDef, ModelDef } from '../../models/language/definitions.ts'
import type { Module } from '../../models/language/module.ts'
import { composeRegistry } from '../../models/registry/registry.ts'
import { isNeeded, isWritable } from '../openapi/values.ts'
import { annotationOf } from '../python.ts'
import { publicMethods } from '../visible-models.ts'
import type { FieldFacts, MethodFacts, ModelFacts, ParameterFacts } from './model-facts.ts'

/**
 * The models of some modules and of those that they need; of all when none is named. `available`: all
 * modules, each after those it needs. Throws NotFound for a name that none of them has.
 */
export function declaredModels(available: readonly Module[], names: readonly string[]): ModelFacts[] {
  const wanted = new Set<string>()
  for (const name of names) add(available, name, wanted)
  const modules = names.length === 0 ? available : available.filter(({ name }) => wanted.has(name))
  const { models } = composeRegistry(modules)
  return [...models.values()].filter(({ kind }) => kind !== 'abstract').map(modelFacts)
}

function add(available: readonly Module[], name: string, wanted: Set<string>): void {
  if (wanted.has(name)) return
  const module = available.find((candidate) => candidate.name === name)
  if (!module) throw new NotFound(`Module ${name} not found.`)
  wanted.add(name)
  for (const need of module.depends) add(available, need, wanted)
}

function modelFacts(model: ModelDef): ModelFacts {
  const fields = [...model.fields.values()].filter(({ options }) => !options.hidden)
  return {
    name: model.name,
    label: model.label,
    fields: Object.fromEntries(fields.map((field) => [field.name, fieldFacts(model, field)])),
    methods: Object.fromEntries(publicMethods(model).map((method) => [method.name, methodFacts(method)])),
  }
}

function fieldFacts(model: ModelDef, field: FieldDef): FieldFacts {
  return {
    type: field.type.wireType,
    label: field.label,
    required: field.required,
    needed: isWritable(field) && isNeeded(model, field),
    relation: field.comodel?.name ?? null,
    keys: field.kind === 'selection' ? Object.keys(selectionOf(field)) : [],
  }
}

function methodFacts(method: MethodDef): MethodFacts {
  const parameters = Object.entries(method.params).map(([name, param]): [string, ParameterFacts] => [
    name,
    { annotation: annotationOf(param) ?? undefined, optional: param.hasDefault, gathers: false },
  ])
  return {
    doc: method.doc,
    parameters: Object.fromEntries(parameters),
    returns: method.returns ? (annotationOf(method.returns) ?? undefined) : undefined,
    core: method.module === 'core',
  }
}
