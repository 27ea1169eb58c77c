// Documents that were issued with a record, such as a unit or a currency: what their figures are read by
// stays.
import { claimRows, type FieldDef, holdersBy, type ModelDef } from '#engine'
import {
  type Environment,
  idsWhere,
  type ModelName,
  type Records,
  type WriteChange,
  type WriteRun,
} from '#models'
import { ValidationError } from '../../../errors.ts'
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
  return ids.length ? issuedThrough(env, ids, documentFields(env, model)) : null
}

async function issuedThrough(
  env: Environment,
  ids: readonly number[],
  fields: readonly DocumentField[],
): Promise<string | null> {
  const all = env.sudo().withContext({ active_test: false })
  for (const { def, state, field } of fields) {
    const domain = [
      [field.name, 'in', ids],
      [state, 'not in', [...(def.authority?.open ?? []), ...TAKEN_BACK]],
    ]
    const documents = await all.model(def.name as ModelName).invoke('search_count', { domain, limit: 1 })
    if (documents) return def.label
  }
  return null
}

interface DocumentField {
  readonly def: ModelDef
  /** The path from a record of `def` to the state of its document. */
  readonly state: string
  readonly field: FieldDef
}

/** Stored fields of documents and of their lines that refer to a model. */
function documentFields(env: Environment, model: ModelName): DocumentField[] {
  return [...env.unit.registry.models.values()].flatMap((def) => {
    const state = def.hasTable && statePath(def)
    if (!state) return []
    return [...def.fields.values()]
      .filter((field) => field.kind === 'many2one' || field.kind === 'many2many')
      .filter((field) => (field.column || field.link) && field.comodel?.name === model)
      .map((field) => ({ def, state, field }))
  })
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
 * Around `unlink`: throws ValidationError for records that issued documents list, or refer to by links that
 * PostgreSQL clears, as it does itself for the targets of other links.
 */
export const keptOnceListed =
  (next: (records: Records<ModelName>, params: Readonly<Record<string, unknown>>) => unknown) =>
  async (records: Records<ModelName>, params: Readonly<Record<string, unknown>>): Promise<unknown> => {
    const { env, name: model, ids } = records
    const holding = await clearedFields(env, model, ids)
    const label = await issuedThrough(env, ids, holding)
    if (label && (await records.invoke('has_access', { operation: 'unlink' })))
      throw new ValidationError(
        `The record cannot be deleted: records of ${label} were issued with it. Archive it.`,
      )
    for (const { def, holders } of holding) await claimDocuments(env, def, holders)
    return next(records, params)
  }

const isCleared = (field: FieldDef) =>
  field.kind === 'many2one'
    ? !field.required && (field.options.ondelete ?? 'set null') === 'set null'
    : field.kind === 'many2many'

/** Fields that lose these records in some document, with the records that have them. One query. */
async function clearedFields(
  env: Environment,
  model: ModelName,
  ids: readonly number[],
): Promise<readonly (DocumentField & { readonly holders: readonly number[] })[]> {
  if (ids.length === 0) return []
  const fields = documentFields(env, model).filter(({ field }) => isCleared(field))
  const links = fields.map(({ field }) => field)
  const holders = await holdersBy(env, links, ids)
  return fields.flatMap((field, n) => {
    const holding = holders.get(n)
    return holding ? [{ ...field, holders: holding }] : []
  })
}

/** Claims the documents that records are, or are parts of: a call that issues one meanwhile is repeated. */
async function claimDocuments(env: Environment, def: ModelDef, ids: readonly number[]): Promise<void> {
  const parent = def.authority?.stateField ? null : def.authority?.partOf
  if (!parent?.comodel) return claimRows(env, def, ids)
  const parts = env
    .sudo()
    .model(def.name as ModelName)
    .browse(ids)
  const rows = (await parts.read([parent.name], null)) as readonly Vals[]
  const documents = new Set(rows.map((row) => row[parent.name]).filter(Number.isInteger))
  await claimDocuments(env, parent.comodel, [...documents] as number[])
}

/** The path to the state of a document, from itself or from its lines; null for models that have none. */
function statePath({ authority }: ModelDef): string | null {
  if (!authority) return null
  if (authority.stateField) return authority.stateField.name
  const document = authority.partOf
  const path = document?.comodel && statePath(document.comodel)
  return path ? `${document.name}.${path}` : null
}
