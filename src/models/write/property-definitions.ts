// Definitions of properties, changed by way of a record that has values: forms send both together, marked.

import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { definitionPath } from '../language/field-options.ts'
import { loadFields } from '../load/load.ts'
import { recordsOf } from '../unit/environment.ts'

type Item = Readonly<Record<string, unknown>>

/** The definitions that a value brings along, when one of them is marked as changed or deleted; else null. */
export function definitionsIn(value: unknown): Item[] | null {
  if (!Array.isArray(value)) return null
  const items = value.filter((item): item is Item => typeof item === 'object' && item !== null)
  if (!items.some((item) => item.definition_changed || item.definition_deleted)) return null
  return items
    .filter((item) => !item.definition_deleted)
    .map(
      ({ definition_changed: _changed, definition_deleted: _deleted, value: _value, ...definition }) =>
        definition,
    )
}

/** Writes definitions on the records that define properties for `ids`, with the caller's rights. */
export async function redefine(
  env: Environment,
  field: FieldDef,
  ids: readonly number[],
  definitions: readonly Item[],
): Promise<void> {
  const [via, holder] = definitionPath(field)
  const step = field.model.fields.get(via)
  if (!step?.comodel) return
  const { of } = await loadFields(env.sudo(), field.model, ids, [step])
  const holders = [
    ...new Set(ids.flatMap((record) => (of.get(step)?.get(record) as number | null | undefined) ?? [])),
  ]
  if (holders.length) await recordsOf(env, step.comodel, holders).write({ [holder]: definitions })
}
