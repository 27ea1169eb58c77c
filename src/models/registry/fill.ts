// Adds fields, methods and checks to a model from its parts: the root's, those of mixins, its own and
// those of extensions, in this order.

import { DeclarationError } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import type { Field } from '../contract/field.ts'
import type { TableRule } from '../contract/model.ts'
import type { MethodSpec } from '../contract/param.ts'
import type { Behaviour, Check, Computed, MethodRun } from '../language/behaviour.ts'
import type { FieldDef, MethodDef, ModelDef } from '../language/definitions.ts'
import { USUAL_DECIMALS } from '../manual/custom.ts'
import { root } from '../methods/root.ts'
import { recordsOf } from '../unit/environment.ts'
import { automaticFields, composeField, displayNameField, type Mutable } from './compose-field.ts'
import { type Draft, partsOf } from './drafts.ts'

function precise(field: Field, precisions: ReadonlyMap<string, number>): Field {
  const { precision } = field.options
  return precision === undefined
    ? field
    : { ...field, options: { ...field.options, digits: [16, precisions.get(precision) ?? USUAL_DECIMALS] } }
}

/** A field whose options depend on the existing models gets these models. */
function choosing(field: Field, models: ReadonlyMap<string, ModelDef>): Field {
  const { selection } = field.options
  return typeof selection === 'function'
    ? { ...field, options: { ...field.options, selection: () => selection(models.values()) } }
    : field
}

/** Throws DeclarationError for fields of two types, missing methods, and wraps of missing methods. */
export function fillModels(
  draft: Draft,
  drafts: Map<string, Draft>,
  models: ReadonlyMap<string, ModelDef>,
  precisions: ReadonlyMap<string, number>,
): void {
  const model: Mutable<ModelDef> = present(models.get(draft.name))
  const parts = [{ module: 'core', behaviour: root }, ...partsOf(draft, drafts)]
  const computes: Record<string, Computed> = Object.assign({}, ...parts.map((p) => p.behaviour.computed))
  const defaults: Record<string, FieldDef['defaultOf']> = Object.assign(
    {},
    ...parts.map((p) => p.behaviour.defaults),
  )
  const searches: Record<string, FieldDef['search']> = Object.assign(
    {},
    ...parts.map((p) => p.behaviour.searches),
  )
  const declared = declaredFields(draft.name, parts)
  const fields = model.fields as Map<string, FieldDef>
  const auto = automaticFields(model, models)
  fields.set('id', auto.id)
  for (const [name, { field, module }] of declared) {
    const composed = composeField(
      model,
      name,
      choosing(precise(field, precisions), models),
      module,
      computes[name] ?? null,
      defaults[name] ?? null,
      models,
    )
    fields.set(name, searches[name] ? { ...composed, search: searches[name] } : composed)
  }
  model.recName = model.options.recName ?? ['name', 'x_name'].find((n) => fields.has(n)) ?? null
  const naming = parts.findLast((p) => p.behaviour.displayName)?.behaviour.displayName ?? null
  model.displayName = displayNameField(model, naming, declared.get('display_name')?.field.options)
  fields.set('display_name', model.displayName)
  if (model.logAccess) for (const field of auto.log) fields.set(field.name, field)
  model.active = fields.get('active') ?? fields.get('x_active') ?? null
  for (const { module, behaviour } of parts) {
    addMethods(model, module, behaviour)
    for (const [message, rule] of Object.entries(behaviour.checks))
      (model.hooks.checks as Check[]).push({ message, rule })
    if (behaviour.prepare) (model.hooks.prepares as unknown[]).push(behaviour.prepare)
    ;(model.hooks.onchanges as unknown[]).push(...behaviour.onchange)
    for (const [name, rule] of Object.entries(behaviour.contract.options.rules ?? {}))
      (model.rules as Map<string, TableRule>).set(name, rule)
  }
}

interface Part {
  readonly module: string
  readonly behaviour: Behaviour
}

/** Fields by name, with the module that declared them first. Later parts add to their options. */
function declaredFields(
  model: string,
  parts: readonly Part[],
): Map<string, { field: Field; module: string }> {
  const declared = new Map<string, { field: Field; module: string }>()
  for (const { module, behaviour } of parts) {
    for (const [name, field] of Object.entries(behaviour.contract.fields)) {
      const before = declared.get(name)
      if (before && before.field.kind !== field.kind) {
        throw new DeclarationError(
          `${model}.${name} is ${before.field.kind} in ${before.module} and ${field.kind} in ${module}.`,
        )
      }
      declared.set(name, {
        field: before ? { ...field, options: { ...before.field.options, ...field.options } } : field,
        module: before?.module ?? module,
      })
    }
  }
  return declared
}

/** A wrap without `concerns` handles everything. */
const ALL = () => true

function addMethods(model: Mutable<ModelDef>, module: string, behaviour: Behaviour): void {
  const methods = model.methods as Map<string, MethodDef>
  for (const [name, spec] of Object.entries(behaviour.contract.methods)) {
    const run = behaviour.methods[name]
    if (!run)
      throw new DeclarationError(
        `${behaviour.contract.name}.${name} is promised by ${module} and not implemented.`,
      )
    methods.set(name, methodDef(name, spec, module, behaviour.contract.name, run))
  }
  for (const [name, wrap] of Object.entries(behaviour.wraps)) {
    const method = methods.get(name)
    if (!method) throw new DeclarationError(`${module} wraps ${model.name}.${name}, which is not there.`)
    if (name === 'write')
      throw new DeclarationError(
        `${module} wraps ${model.name}.write: what stands around writing is declared by wrapWrite.`,
      )
    methods.set(name, { ...method, run: wrap(method.run), wrapped: true })
    if (name === 'create') (model.hooks.concerns.create as unknown[]).push(behaviour.concerns.create ?? ALL)
  }
  if (behaviour.wrapWrite) {
    ;(model.hooks.concerns.write as unknown[]).push(behaviour.concerns.write ?? ALL)
    const { writing } = model.hooks
    // Inner wraps get the records of the changes that are passed to them.
    const wrapped = behaviour.wrapWrite((records, changes) => {
      const { env } = records
      return writing(
        recordsOf(
          env,
          model,
          changes.flatMap(({ ids }) => ids),
        ) as never,
        changes,
      )
    })
    model.hooks = { ...model.hooks, writing: wrapped }
  }
}

function methodDef(
  name: string,
  spec: MethodSpec,
  module: string,
  origin: string,
  run: MethodRun,
): MethodDef {
  return {
    name,
    doc: spec.doc,
    level: spec.level ?? 'records',
    readonly: spec.readonly ?? false,
    private: spec.private ?? false,
    secret: spec.secret ?? false,
    lasting: spec.lasting ?? false,
    // So do those of every model (spec/wire.md section 9).
    checksItself: module === 'core' || spec.checksItself === true,
    tellsValues: spec.tellsValues ?? false,
    pages: spec.pages ?? false,
    extension: spec.extension ?? null,
    lenient: spec.lenient ?? null,
    params: spec.params,
    returns: spec.returns ?? null,
    module,
    origin,
    run,
    wrapped: false,
  }
}
