// Documents that were issued with a record, such as a unit or a currency: what their figures are read by
// stays.
import type { ModelDef } from '#engine'
import { type Environment, idsWhere, type ModelName, type Records, type WriteRun } from '#models'
import { present } from '../../../kit/present.ts'
import { refuse } from './refusal.ts'

/** States of documents that were taken back. */
const TAKEN_BACK = ['cancel', 'canceled', 'rejected']

/** The label of a model with a document that refers to one of the records and is no draft; null: none. */
export async function issuedWith(
  env: Environment,
  model: ModelName,
  ids: readonly number[],
): Promise<string | null> {
  if (ids.length === 0) return null
  const all = env.sudo().withContext({ active_test: false })
  for (const def of env.unit.registry.models.values()) {
    const state = def.hasTable && statePath(def)
    if (!state) continue
    for (const field of def.fields.values()) {
      if (field.kind !== 'many2one' || !field.column || field.comodel.name !== model) continue
      const domain = [
        [field.name, 'in', ids],
        [state, 'not in', [...(def.authority?.open ?? []), ...TAKEN_BACK]],
      ]
      const documents = await all.model(def.name as ModelName).invoke('search_count', { domain, limit: 1 })
      if (documents) return def.label
    }
  }
  return null
}

type Vals = Readonly<Record<string, unknown>>

/**
 * Around every write: throws UserError for other values of these fields of records that documents were issued
 * with. `matters` says which changes documents do not bear, by what a record holds and what is written: all of
 * them where a model says nothing.
 */
export const keptOnceIssued =
  <N extends ModelName>(
    names: readonly string[],
    matters: (name: string, before: Vals, vals: Vals) => boolean = () => true,
  ) =>
  (next: WriteRun<Records<N>>): WriteRun<Records<N>> =>
  async (records, changes) => {
    const { env, name: model } = records
    const written = idsWhere(changes, (vals) => names.some((name) => name in vals))
    const rows = written.length ? await records.sudo().browse(written).read(names, null) : []
    const rowOf = new Map(rows.map((row) => [row.id, row]))
    for (const name of names) {
      const changed = changes.flatMap(({ ids, vals }) =>
        ids.filter((id) => {
          const before = rowOf.get(id)
          return (
            before && name in vals && (vals[name] || false) !== before[name] && matters(name, before, vals)
          )
        }),
      )
      const label = await issuedWith(env, model, changed)
      if (label)
        await refuse(
          records,
          'write',
          `"${present(env.def(model).fields.get(name)).label}" stays: records of ${label} were issued with it. Make another record, and archive this one.`,
        )
    }
    await next(records, changes)
  }

/** The path to the state of a document, from itself or from its lines; null for models that have none. */
function statePath({ authority }: ModelDef): string | null {
  if (!authority) return null
  if (authority.stateField) return authority.stateField.name
  const document = authority.partOf
  const path = document?.comodel && statePath(document.comodel)
  return path ? `${document.name}.${path}` : null
}
