// Documents that were issued with a record, such as a unit or a currency: what their figures are read by
// stays.
import type { ModelDef } from '#engine'
import {
  type Environment,
  idsWhere,
  type ModelName,
  type Records,
  type WriteChange,
  type WriteRun,
} from '#models'
import { present } from '../../../kit/present.ts'
import { refuse } from './refusal.ts'

/** States of documents that were taken back. */
const TAKEN_BACK = ['cancel', 'canceled', 'rejected']

/** The label of a model with a document that refers to one of the records and is no draft; null: none. */
export async function issuedWith(
  env: Environment,
  model: ModelName,
  ids: readonly number[],
  kinds: readonly string[] = ['many2one', 'many2many'],
): Promise<string | null> {
  if (ids.length === 0) return null
  const all = env.sudo().withContext({ active_test: false })
  for (const def of env.unit.registry.models.values()) {
    const state = def.hasTable && statePath(def)
    if (!state) continue
    for (const field of def.fields.values()) {
      if (!kinds.includes(field.kind) || !(field.column || field.link)) continue
      if (field.comodel?.name !== model) continue
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

/** Another value of a field of a record. */
interface OtherValue {
  readonly id: number
  readonly name: string
  /** Values of the record in the fields that were asked about. */
  readonly before: Vals
  readonly vals: Vals
}

/** Values of these fields that differ from what the records hold. One query, and none if none is written. */
export async function otherValues<N extends ModelName>(
  records: Records<N>,
  changes: readonly WriteChange[],
  names: readonly string[],
): Promise<OtherValue[]> {
  const written = idsWhere(changes, (vals) => names.some((name) => name in vals))
  if (written.length === 0) return []
  const rows = await records.sudo().browse(written).read(names, null)
  const rowOf = new Map(rows.map((row) => [row.id, row]))
  return changes.flatMap(({ ids, vals }) =>
    ids.flatMap((id) => {
      const before = rowOf.get(id)
      if (!before) return []
      return names
        .filter((name) => name in vals && (vals[name] || false) !== (before[name] || false))
        .map((name) => ({ id, name, before, vals }))
    }),
  )
}

/**
 * Around every write: throws UserError for other values of these fields of records that documents were issued
 * with. `matters` says which of them documents do not bear: all where a model does not say.
 */
export const keptOnceIssued =
  <N extends ModelName>(names: readonly string[], matters: (other: OtherValue) => boolean = () => true) =>
  (next: WriteRun<Records<N>>): WriteRun<Records<N>> =>
  async (records, changes) => {
    const { env, name: model } = records
    const others = (await otherValues(records, changes, names)).filter(matters)
    for (const [name, same] of Map.groupBy(others, (other) => other.name)) {
      const label = await issuedWith(
        env,
        model,
        same.map(({ id }) => id),
      )
      if (label)
        await refuse(
          records,
          'write',
          `"${present(env.def(model).fields.get(name)).label}" cannot change: records of ${label} were issued with it. Create another record, and archive this one.`,
        )
    }
    await next(records, changes)
  }

/**
 * Around `unlink`: throws UserError for records that issued documents list, whose lists would lose them.
 * PostgreSQL keeps those that documents link to.
 */
export const keptOnceListed =
  (next: (records: Records<ModelName>, params: Readonly<Record<string, unknown>>) => unknown) =>
  async (records: Records<ModelName>, params: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const label = await issuedWith(records.env, records.name, records.ids, ['many2many'])
    if (label)
      await refuse(
        records,
        'unlink',
        `The record cannot be deleted: records of ${label} were issued with it. Archive it.`,
      )
    return next(records, params)
  }

/** The path to the state of a document, from itself or from its lines; null for models that have none. */
function statePath({ authority }: ModelDef): string | null {
  if (!authority) return null
  if (authority.stateField) return authority.stateField.name
  const document = authority.partOf
  const path = document?.comodel && statePath(document.comodel)
  return path ? `${document.name}.${path}` : null
}
