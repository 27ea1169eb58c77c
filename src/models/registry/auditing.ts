// Composes the modules' declarations of audited fields for a model (language/audited.ts) into the sets
// that changes/audited.ts uses.
import { DeclarationError } from '../../errors.ts'
import type { Audited, AuditedLater, Auditing } from '../language/audited.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Mutable } from './compose-field.ts'
import type { Draft } from './drafts.ts'

/** Declarations of all modules for a model are merged. */
export function auditAll(
  drafts: ReadonlyMap<string, Draft>,
  models: ReadonlyMap<string, Mutable<ModelDef>>,
): void {
  for (const { name, parts } of drafts.values()) {
    const model = models.get(name)
    const declared = parts.flatMap(({ behaviour }) => behaviour.audited ?? [])
    if (model && declared.length) model.auditing = auditingOf(model, declared)
  }
}

function auditingOf(model: ModelDef, declared: readonly Audited[]): Auditing {
  if (!model.hasTable) throw new DeclarationError(`${model.name} keeps no records to be audited.`)
  const fieldsOf = (names: readonly string[]) => names.map((name) => keptField(model, name))
  const always = new Set(fieldsOf(declared.flatMap(({ fields }) => fields ?? [])))
  const later = declared.flatMap(({ later }) => (later ? laterOf(model, later) : []))
  const all = [...new Set([...always, ...later.flatMap(({ fields }) => [...fields])])]
  const ofRemoved = declared.flatMap(({ unlink }) => (Array.isArray(unlink) ? (unlink as string[]) : []))
  return {
    always,
    later,
    secret: new Set(fieldsOf(declared.flatMap(({ secret }) => secret ?? []))),
    unless: fieldsOf(declared.flatMap(({ unless }) => unless ?? [])),
    create: declared.some(({ create }) => create) ? all : null,
    unlink: declared.some(({ unlink }) => unlink) ? [...new Set([...all, ...fieldsOf(ofRemoved)])] : null,
  }
}

/** A field with a column, or with a link table. */
function keptField(model: ModelDef, name: string): FieldDef {
  const field = model.fields.get(name)
  if (field && (field.column || field.link)) return field
  throw new DeclarationError(
    `audited: ${model.name} keeps no values of ${name}: name a stored field, or the one that it follows from.`,
  )
}

function laterOf(
  model: ModelDef,
  { state, in: states, fields }: NonNullable<Audited['later']>,
): AuditedLater {
  const [first = '', second, ...more] = state.split('.')
  const through = second === undefined ? null : keptField(model, first)
  const owner = through ? through.comodel : model
  const field = owner?.fields.get(second ?? first)
  if (!field?.column || more.length)
    throw new DeclarationError(`audited: ${state} is not a path from ${model.name} to a stored state.`)
  return {
    state: field,
    through,
    in: new Set(states),
    fields: new Set(fields.map((name) => keptField(model, name))),
  }
}
