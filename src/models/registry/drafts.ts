// Collects the declarations of each model in the order of the modules, and creates the model without its
// fields and methods.
import { DeclarationError } from '../../errors.ts'
import type { ModelOptions } from '../contract/model.ts'
import type { Behaviour } from '../language/behaviour.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Module } from '../language/module.ts'
import { recordsets } from '../read/recordset.ts'
import { writeChanges } from '../write/write.ts'
import type { Mutable } from './compose-field.ts'

export interface Draft {
  readonly name: string
  readonly kind: ModelDef['kind']
  readonly module: string
  options: ModelOptions
  /** Implementations with their modules, in order: the root's, mixins', the model's own, extensions'. */
  readonly parts: { readonly module: string; readonly behaviour: Behaviour }[]
}

/** Throws DeclarationError for models declared twice, or only extended, and for modules out of order. */
export function collectDrafts(modules: readonly Module[]): Map<string, Draft> {
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
      const draft = drafts.get(name)
      if (kind === 'extension') {
        if (!draft)
          throw new DeclarationError(
            `Module ${module.name} extends ${name}, which none of the modules it depends on declares.`,
          )
        draft.options = {
          ...draft.options,
          ...options,
          rules: { ...draft.options.rules, ...options.rules },
          events: { ...draft.options.events, ...options.events },
        }
        draft.parts.push({ module: module.name, behaviour })
      } else {
        if (draft)
          throw new DeclarationError(
            `Model ${name} is declared twice: by ${draft.module} and ${module.name}.`,
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

export function emptyModel(draft: Draft): Mutable<ModelDef> {
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
    authority: null,
    auditing: null,
    rules: new Map(Object.entries(options.rules ?? {})),
    hooks: {
      checks: [],
      prepares: [],
      onchanges: [],
      writing: (records, changes) => writeChanges(records.env, model, changes),
      concerns: { create: [], write: [] },
    },
    recordset: recordsets(() => model),
  }
  return model
}

/** The model's own parts after those of the root and of mixins. */
export function partsOf(
  draft: Draft,
  drafts: Map<string, Draft>,
  seen: readonly string[] = [],
): Draft['parts'] {
  if (seen.includes(draft.name)) throw new DeclarationError(`Mixins of ${draft.name} go in a circle.`)
  const parts: Draft['parts'] = []
  const mixins = draft.parts.flatMap(({ behaviour }) => behaviour.contract.options.mixins ?? [])
  for (const mixin of new Set(mixins)) {
    const mixinDraft = drafts.get(mixin)
    if (mixinDraft?.kind !== 'abstract')
      throw new DeclarationError(`${draft.name} takes over ${mixin}, which is not an abstract model.`)
    parts.push(...partsOf(mixinDraft, drafts, [...seen, draft.name]))
  }
  return [...new Set([...parts, ...draft.parts])]
}
