// Registry: the modules of a database, composed once into frozen models. Contradictions are told here, by
// name.

import { DeclarationError } from '../../errors.ts'
import { flush } from '../compute/recompute.ts'
import { followersOf, triggersOf } from '../compute/triggers.ts'
import { computeValues } from '../compute/values.ts'
import type { Field } from '../contract/field.ts'
import type { ModelOptions, TableRule } from '../contract/model.ts'
import type { MethodSpec } from '../contract/param.ts'
import { compileDomain } from '../domain/index.ts'
import type { Behaviour, Computed, MethodRun } from '../language/behaviour.ts'
import type { Check, FieldDef, MethodDef, ModelDef, Registry } from '../language/definitions.ts'
import type { Module } from '../language/module.ts'
import { manualModule } from '../manual/module.ts'
import { type ManualRows, USUAL_DECIMALS } from '../manual/rows.ts'
import { root } from '../methods/root.ts'
import { recordsetClass } from '../read/recordset.ts'
import { constraintName } from '../schema/constraint-name.ts'
import { recordsOf } from '../unit/records.ts'
import { writeEach } from '../write/each.ts'
import { writeChanges } from '../write/write.ts'
import { creatingWithIds } from '../write/written-ids.ts'
import {
  automaticFields,
  composeField,
  delegatedField,
  displayNameField,
  type Mutable,
} from './compose-field.ts'
import { contradictionsIn, straysOf } from './contradictions.ts'
import { assertSound } from './sound.ts'

/** What is gathered of a model before it is frozen. */
interface Draft {
  readonly name: string
  readonly kind: ModelDef['kind']
  readonly module: string
  options: ModelOptions
  /** Behaviours in order: the root's, mixins', own, extensions'; with the module each came from. */
  readonly parts: { readonly module: string; readonly behaviour: Behaviour }[]
}

/**
 * The same modules with other made models and fields, and other named precisions. Throws DeclarationError for
 * rows that contradict them.
 */
export function recompose(registry: Registry, manual: ManualRows | null): Registry {
  return composeRegistry(registry.declared, manual)
}

/**
 * Composes modules, given in an order in which each comes after what it needs, with models and fields made
 * over the API.
 */
export function composeRegistry(declared: readonly Module[], manual: ManualRows | null = null): Registry {
  const made = manual && manualModule(manual)
  const modules = made ? [...declared, made] : declared
  const drafts = gather(modules)
  const models = new Map<string, Mutable<ModelDef>>()
  for (const draft of drafts.values()) models.set(draft.name, shell(draft))
  const precisions = new Map(manual?.precisions)
  for (const draft of drafts.values()) fill(draft, drafts, models, precisions)
  for (const model of models.values()) delegate(model, models)
  for (const model of models.values()) {
    assertSound(model)
    const create = model.methods.get('create')
    if (create) (model.methods as Map<string, MethodDef>).set('create', creatingWithIds(model, create))
  }
  // With models made over the API it is composed again, and by then the modules were judged.
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
    constraintMessages,
    get: (name: string) => models.get(name),
  })
  return registry
}

function gather(modules: readonly Module[]): Map<string, Draft> {
  const drafts = new Map<string, Draft>()
  const loaded = new Set<string>()
  for (const module of modules) {
    for (const need of module.depends) {
      if (!loaded.has(need))
        throw new DeclarationError(`Module ${module.name} needs ${need}, which is not loaded before it.`)
    }
    loaded.add(module.name)
    for (const behaviour of module.models) {
      const { name, kind, options } = behaviour.contract
      const known = drafts.get(name)
      if (kind === 'extension') {
        if (!known)
          throw new DeclarationError(
            `Module ${module.name} extends ${name}, which none of the modules it depends on declares.`,
          )
        known.options = {
          ...known.options,
          ...options,
          rules: { ...known.options.rules, ...options.rules },
          events: { ...known.options.events, ...options.events },
        }
        known.parts.push({ module: module.name, behaviour })
      } else {
        if (known)
          throw new DeclarationError(
            `Model ${name} is declared twice: by ${known.module} and ${module.name}.`,
          )
        drafts.set(name, {
          name,
          kind,
          module: module.name,
          options,
          parts: [{ module: module.name, behaviour }],
        })
      }
    }
  }
  return drafts
}

function shell(draft: Draft): Mutable<ModelDef> {
  const { name, kind, module, options } = draft
  const model: Mutable<ModelDef> = {
    name,
    label: options.label ?? name,
    kind,
    module,
    options,
    table: options.table ?? name.replaceAll('.', '_'),
    hasTable: kind !== 'abstract' && options.auto !== false && options.query === undefined,
    hasRows: kind !== 'abstract' && options.auto !== false,
    fields: new Map(),
    methods: new Map(),
    order: options.order ?? 'id',
    recName: null,
    displayName: undefined as unknown as FieldDef,
    active: null,
    parent: options.parent ?? null,
    parentStore: options.parentStore ?? false,
    formsBySaving: options.formsBySaving ?? false,
    inherits: new Map(Object.entries(options.inherits ?? {})),
    logAccess: options.logAccess ?? kind !== 'abstract',
    rules: new Map(Object.entries(options.rules ?? {})),
    checks: [],
    prepares: [],
    onchanges: [],
    writing: (records, changes) => writeChanges(records.env, model, changes),
    recordset: once(() => recordsetClass(model)),
  }
  return model
}

/** A value made when it is first asked for: methods are known by then. */
function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Own parts with those of the root and of mixins before them. */
function partsOf(draft: Draft, drafts: Map<string, Draft>, seen: readonly string[] = []): Draft['parts'] {
  if (seen.includes(draft.name)) throw new DeclarationError(`Mixins of ${draft.name} go in a circle.`)
  const parts: Draft['parts'] = []
  const mixins = draft.parts.flatMap(({ behaviour }) => behaviour.contract.options.mixins ?? [])
  for (const mixin of new Set(mixins)) {
    const found = drafts.get(mixin)
    if (found?.kind !== 'abstract')
      throw new DeclarationError(`${draft.name} takes over ${mixin}, which is no abstract model.`)
    parts.push(...partsOf(found, drafts, [...seen, draft.name]))
  }
  return [...new Set([...parts, ...draft.parts])]
}

/** A number of a named precision with its digits. */
function precise(field: Field, precisions: ReadonlyMap<string, number>): Field {
  const { precision } = field.options
  return precision === undefined
    ? field
    : { ...field, options: { ...field.options, digits: [16, precisions.get(precision) ?? USUAL_DECIMALS] } }
}

function fill(
  draft: Draft,
  drafts: Map<string, Draft>,
  models: ReadonlyMap<string, ModelDef>,
  precisions: ReadonlyMap<string, number>,
): void {
  const model = models.get(draft.name) as Mutable<ModelDef>
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
  const declared = new Map<string, { field: Field; module: string }>()
  for (const { module, behaviour } of parts) {
    for (const [name, field] of Object.entries(behaviour.contract.fields)) {
      const before = declared.get(name)
      if (before && before.field.kind !== field.kind) {
        throw new DeclarationError(
          `${draft.name}.${name} is ${before.field.kind} in ${before.module} and ${field.kind} in ${module}.`,
        )
      }
      declared.set(name, {
        field: before ? { ...field, options: { ...before.field.options, ...field.options } } : field,
        module: before?.module ?? module,
      })
    }
  }
  const fields = model.fields as Map<string, FieldDef>
  const auto = automaticFields(model, models)
  fields.set('id', auto.id)
  for (const [name, { field, module }] of declared) {
    const composed = composeField(
      model,
      name,
      precise(field, precisions),
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
      (model.checks as Check[]).push({ message, rule })
    if (behaviour.prepare) (model.prepares as unknown[]).push(behaviour.prepare)
    ;(model.onchanges as unknown[]).push(...behaviour.onchange)
    for (const [name, rule] of Object.entries(behaviour.contract.options.rules ?? {}))
      (model.rules as Map<string, TableRule>).set(name, rule)
  }
}

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
    const known = methods.get(name)
    if (!known) throw new DeclarationError(`${module} wraps ${model.name}.${name}, which is not there.`)
    if (name === 'write')
      throw new DeclarationError(
        `${module} wraps ${model.name}.write: what stands around writing is declared by wrapWrite.`,
      )
    methods.set(name, { ...known, run: wrap(known.run), wrapped: true })
  }
  if (behaviour.wrapWrite) {
    const { writing } = model
    // Inner wraps see the records of the changes that they are given.
    model.writing = behaviour.wrapWrite((records, changes) => {
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
    params: spec.params,
    returns: spec.returns ?? null,
    module,
    origin,
    run,
    wrapped: false,
  }
}

/** Fields of the models that this one delegates to. */
function delegate(model: Mutable<ModelDef>, models: ReadonlyMap<string, ModelDef>): void {
  const fields = model.fields as Map<string, FieldDef>
  for (const [target, via] of model.inherits) {
    const delegateModel = models.get(target)
    if (!delegateModel || fields.get(via)?.comodel !== delegateModel) {
      throw new DeclarationError(
        `${model.name} delegates to ${target} through ${via}, which is no many2one to it.`,
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

/** Throws DeclarationError with everything that contradicts itself, a line each. */
function assertConsistent(drafts: ReadonlyMap<string, Draft>, models: ReadonlyMap<string, ModelDef>): void {
  const strays = [...drafts.values()].flatMap(({ name, parts }) => {
    const model = models.get(name)
    return model
      ? parts.flatMap(({ module, behaviour }) =>
          [...straysOf(model, behaviour)].map((flaw) => `${module}: ${name}: ${flaw}`),
        )
      : []
  })
  const found = [...strays, ...contradictionsIn(models.values())]
  if (found.length) throw new DeclarationError(found.join('\n'))
}
