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
export const isReckoned = (field: FieldDef): boolean => !sourceOf(field).stored

/**
 * Names of fields of the same record by whose changes a field changes: its own, and where nothing keeps its
 * value those that it follows from. Null where nobody knows these: any change may be one.
 */
export function changingNames(field: FieldDef): ReadonlySet<string> | null {
  const source = sourceOf(field)
  if (source.stored) return new Set([field.name])
  const reach = reachOf(source)
  if (!reach) return null
  return new Set([
    field.name,
    ...[...reach].filter((one) => one.model === source.model).map(({ name }) => name),
  ])
}
