// Fields whose values nothing keeps: changes are noted of the fields that they follow from.
import type { FieldDef } from '../../models/language/definitions.ts'
import { reachOf } from '../../models/load/reach.ts'

/** Where a field is kept that is seen by way of a delegate; itself, where it is not. */
function sourceOf(field: FieldDef): FieldDef {
  const { model, inherited, related } = field
  const [via, name = ''] = (inherited && related) || []
  const source = via === undefined ? undefined : model.fields.get(via)?.comodel?.fields.get(name)
  return source ? sourceOf(source) : field
}

/** Whether nothing keeps a value: changes of it are those of the fields that it follows from. */
export const isNotStored = (field: FieldDef): boolean => !sourceOf(field).stored

/**
 * Names of fields of the same record whose changes change a field: the field itself, and for one that is not
 * stored those that it is computed from. Null where these are unknown: any change may matter.
 */
export function changingNames(field: FieldDef): ReadonlySet<string> | null {
  const source = sourceOf(field)
  if (source.stored) return new Set([field.name])
  const reach = reachOf(source)
  if (!reach) return null
  return new Set([
    field.name,
    ...[...reach].filter((dependency) => dependency.model === source.model).map(({ name }) => name),
  ])
}

/**
 * Names of fields of the same record that a field says it follows from, its own among them: over others that
 * are kept nowhere either, and with those of a delegate, which a record shows as its own.
 */
export function declaredNames(field: FieldDef): ReadonlySet<string> {
  const names = new Set<string>()
  const add = (field: FieldDef | undefined) => {
    if (!field || names.has(field.name)) return
    names.add(field.name)
    const { stored, related, compute, model } = sourceOf(field)
    if (stored) return
    for (const path of related ? [related] : (compute?.depends ?? []).map((text) => text.split('.'))) {
      const [first = '', second] = path
      add(model.fields.get(first))
      for (const other of model.fields.values())
        if (other.inherited && other.related?.[0] === first && other.related[1] === second) add(other)
    }
  }
  add(field)
  return names
}
