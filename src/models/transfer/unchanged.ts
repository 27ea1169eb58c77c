// Repeated imports: values that a record already has are not written, which saves the work of modules
// for changes.

import type { Change, FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { loadFields } from '../load/load.ts'
import { matchesStored } from '../row/same.ts'
import { prepareVals } from '../row/values.ts'

const isPlain = (field: FieldDef | undefined): field is FieldDef =>
  field?.type.plain === true &&
  field.column &&
  !field.translate &&
  !field.options.companyDependent &&
  !field.compute

/**
 * Changes without plain values that their records already have. A record without other values is still
 * written, without values, because it was imported now. Throws the errors of the
 * model's `prepare`.
 */
export async function whatChanges(
  env: Environment,
  model: ModelDef,
  changes: readonly Change[],
): Promise<readonly Change[]> {
  if (changes.length < 2) return changes
  const prepared = changes.map(({ ids, vals }) => {
    const values = { ...(vals as Record<string, unknown>) }
    prepareVals(env, model, values, ids)
    return { ids, vals: values }
  })
  const fields = [...new Set(prepared.flatMap(({ vals }) => Object.keys(vals)))]
    .map((name) => model.fields.get(name))
    .filter(isPlain)
  if (fields.length === 0) return changes
  const { of } = await loadFields(
    env.sudo(),
    model,
    prepared.flatMap(({ ids }) => ids),
    fields,
  )
  const same = (record: number, field: FieldDef, value: unknown): boolean => {
    const values = of.get(field)
    return values?.has(record) === true && matchesStored(field, value, values.get(record))
  }
  return prepared.map(({ ids, vals }) => ({
    ids,
    vals: Object.fromEntries(
      Object.entries(vals).filter(([name, value]) => {
        const field = model.fields.get(name)
        return !isPlain(field) || !ids.every((record) => same(record, field, value))
      }),
    ),
  }))
}
