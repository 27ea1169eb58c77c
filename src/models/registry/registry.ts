// Composes the modules of a database into frozen models, and reports contradictions by name.

import { DeclarationError } from '../../errors.ts'
import { flush } from '../compute/recompute.ts'
import { followersOf, triggersOf } from '../compute/triggers.ts'
import { computeValues } from '../compute/values.ts'
import { compileDomain } from '../domain/index.ts'
import type { FieldDef, MethodDef, ModelDef, Registry } from '../language/definitions.ts'
import type { Module } from '../language/module.ts'
import { type ManualRows, manualModule } from '../manual/custom.ts'
import { constraintName } from '../row/thing-names.ts'
import { authorizedCreate, authorizedUnlink } from '../write/authorize.ts'
import { creatingUnquoted, writeEach } from '../write/entry.ts'
import { auditAll, authorize } from './authority.ts'
import { delegatedField, displayNameField, type Mutable } from './compose-field.ts'
import { assertSound, contradictionsIn, unknownEntriesOf } from './contradictions.ts'
import { collectDrafts, type Draft, emptyModel } from './drafts.ts'
import { fillModels } from './fill.ts'
import { optionFlaws } from './flaws.ts'

/**
 * The same modules with other custom models and fields, and other named precisions. Throws
 * DeclarationError for rows that contradict them.
 */
export function recompose(registry: Registry, manual: ManualRows | null): Registry {
  return composeRegistry(registry.declared, manual)
}

/** Composes modules, each after its dependencies, with custom models and fields. */
export function composeRegistry(declared: readonly Module[], manual: ManualRows | null = null): Registry {
  const customModule = manual && manualModule(manual)
  assertOptions(declared)
  const modules = customModule ? [...declared, customModule] : declared
  const drafts = collectDrafts(modules)
  const models = new Map<string, Mutable<ModelDef>>()
  for (const draft of drafts.values()) models.set(draft.name, emptyModel(draft))
  const precisions = new Map(manual?.precisions)
  for (const draft of drafts.values()) fillModels(draft, drafts, models, precisions)
  for (const model of models.values()) delegate(model, models)
  authorize(drafts, models)
  auditAll(drafts, models)
  for (const model of models.values()) {
    assertSound(model)
    const methods = model.methods as Map<string, MethodDef>
    const [create, unlink] = [methods.get('create'), methods.get('unlink')]
    if (create) methods.set('create', authorizedCreate(model, creatingUnquoted(model, create)))
    if (unlink) methods.set('unlink', authorizedUnlink(model, unlink))
  }
  // With custom models, the modules are composed a second time, after they were checked.
  if (!manual) assertConsistent(drafts, models)
  const constraintMessages = new Map<string, string>()
  for (const model of models.values()) {
    for (const [name, rule] of model.rules)
      if ('message' in rule) constraintMessages.set(constraintName(model, name), rule.message)
    Object.freeze(model)
    for (const field of model.fields.values()) Object.freeze(field)
  }
  const { triggers, order } = triggersOf(models)
  const registry: Registry = Object.freeze({
    engine: { flush, compute: computeValues, condition: compileDomain, writeEach },
    models,
    declared,
    modules: declared.map((m) => m.name),
    triggers,
    followers: followersOf(triggers),
    computeOrder: order,
    filled: new Set(manual?.filled),
    large: new Set(manual?.large),
    constraintMessages,
    get: (name: string) => models.get(name),
  })
  return registry
}

/**
 * Throws DeclarationError for unknown options. It runs before composition, because a misspelled option
 * makes another one look missing.
 */
function assertOptions(modules: readonly Module[]): void {
  const flaws = modules.flatMap((module) => [...optionFlaws(module)])
  if (flaws.length) throw new DeclarationError(flaws.join('\n'))
}

function delegate(model: Mutable<ModelDef>, models: ReadonlyMap<string, ModelDef>): void {
  const fields = model.fields as Map<string, FieldDef>
  for (const [target, via] of model.inherits) {
    const delegateModel = models.get(target)
    if (!delegateModel || fields.get(via)?.comodel !== delegateModel) {
      throw new DeclarationError(
        `${model.name} delegates to ${target} through ${via}, which is not a many2one to it.`,
      )
    }
    if (delegateModel.inherits.size) delegate(delegateModel as Mutable<ModelDef>, models)
    for (const field of delegateModel.fields.values()) {
      if (!fields.has(field.name)) fields.set(field.name, delegatedField(model, via, field))
    }
  }
  if (model.inherits.size && !model.active) model.active = fields.get('active') ?? null
  if (model.inherits.size && !model.recName && fields.has('name')) {
    model.recName = 'name'
    model.displayName = displayNameField(model, null)
    fields.set('display_name', model.displayName)
  }
}

/** Throws DeclarationError with all contradictions, one per line. */
function assertConsistent(drafts: ReadonlyMap<string, Draft>, models: ReadonlyMap<string, ModelDef>): void {
  const strays = [...drafts.values()].flatMap(({ name, parts }) => {
    const model = models.get(name)
    return model
      ? parts.flatMap(({ module, behaviour }) =>
          [...unknownEntriesOf(model, behaviour)].map((flaw) => `${module}: ${name}: ${flaw}`),
        )
      : []
  })
  const flaws = [...strays, ...contradictionsIn(models.values())]
  if (flaws.length) throw new DeclarationError(flaws.join('\n'))
}
