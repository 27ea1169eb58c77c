// Values that code makes, in wire form.
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne } from '../language/relations.ts'
import { loadPaths } from '../load/load.ts'
import { wireProperties } from './properties.ts'

/** Wire form of a slow field's values, names of many2ones fetched together. */
export async function wireValues(
  env: Environment,
  field: FieldDef,
  values: ReadonlyMap<number, unknown>,
  ids: readonly number[],
  classic: boolean,
): Promise<(id: number) => unknown> {
  if (field.kind === 'properties') return wireProperties(env, field, values, ids)
  if (!leadsToOne(field) || !classic || !field.comodel) {
    const unset = field.comodel && !leadsToOne(field) ? [] : null
    return (record) => field.type.toWire(field, values.get(record) ?? unset)
  }
  const targets = [...new Set(ids.flatMap((record) => (values.get(record) as number | null) ?? []))]
  const named = await loadPaths(env.sudo(), field.comodel, targets, ['display_name'])
  const names = new Map(named.map((target) => [target.id, target.display_name ?? false]))
  return (record) => {
    const target = values.get(record) as number | null | undefined
    return target ? [target, names.get(target) ?? false] : false
  }
}
