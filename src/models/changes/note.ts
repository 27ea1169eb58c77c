// Notes of what is about to change: called by every writer of rows before its statement leaves, so that rows
// can be kept as they were.

import { oncePer } from '../../kit/once-per.ts'
import { id, idList, join, jsonbObject, literal, raw, type Sql, sql } from '../../sql/index.ts'
import type { ModelName } from '../contract/names.ts'
import type { DeferredId } from '../language/deferred.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { comodelOf } from '../language/field-options.ts'
import type { Rights } from '../language/rights.ts'
import type { ChangeKind } from '../language/unit.ts'
import { noteAudited } from './audited.ts'
import { TX } from './last.ts'
import { isTracked, noteTouch } from './log.ts'

/**
 * Notes that records are created, changed or removed, with the changed fields. Where a record rule reads
 * one of them, or the record is removed, the old values that rules read are kept: only users who could
 * see the record before learn that it left their view.
 */
export function noteChange(
  env: Environment,
  model: ModelDef,
  kind: ChangeKind,
  ids: Ids,
  fields: readonly FieldDef[] = [],
): void {
  noteTouch(env.unit, model, kind, fields)
  noteAudited(env, model, kind, ids, fields)
  const { changes } = env.unit
  if (!changes || ids.length === 0 || !isTracked(model)) return
  if (kind !== 'c' && changes.publishes) keepBefore(env, model, ids, kind === 'd' ? null : fields)
  const names = fields.map(({ name }) => name)
  changes.note(env.user.id, model.name, kind, ids, names)
}

/** As `noteChange`, of a new record with a deferred id, whose model is not audited. */
export function noteDeferred(env: Environment, model: ModelDef, id: DeferredId): void {
  noteTouch(env.unit, model, 'c', [])
  if (isTracked(model)) env.unit.changes?.note(env.user.id, model.name, 'c', [id], [])
}

/**
 * Notes that a module's own SQL is about to change records; call it before the statement. `fields` may
 * be computed ones, whose values depend on the changed columns.
 */
export function changed(env: Environment, model: ModelName, ids: Ids, fields: readonly string[]): void {
  const def = env.def(model)
  const changedFields = fields.flatMap((name) => def.fields.get(name) ?? [])
  noteChange(env, def, 'u', ids, changedFields)
}

/** Columns that may decide who sees a record, where the rules are not known: the server's own work. */
const deciding = new Set(['many2one', 'boolean', 'selection'])

/** Columns of a model that its record rules read; null: it has no rules. */
function ruled(env: Environment, model: ModelDef): readonly FieldDef[] | null {
  const { rights } = env.unit
  if (rights.version !== 'unrestricted') return rights.ruled(model)
  return [...model.fields.values()].filter(
    (field) => field.column && deciding.has(field.kind) && !field.options.companyDependent,
  )
}

interface Kept {
  readonly columns: readonly FieldDef[]
  readonly named: ReadonlySet<FieldDef>
  readonly delegates: readonly { readonly field: FieldDef; readonly read: readonly FieldDef[] }[]
}

/** By the rights that say it, as calls ask again and again; null where nothing is kept. */
const keptByModelOf = oncePer((_: Rights) => new WeakMap<ModelDef, Kept | null>())

function keptOf(env: Environment, model: ModelDef): Kept | null {
  const keptByModel = keptByModelOf(env.unit.rights)
  let kept = keptByModel.get(model)
  if (kept === undefined) {
    kept = findKept(env, model)
    keptByModel.set(model, kept)
  }
  return kept
}

function findKept(env: Environment, model: ModelDef): Kept | null {
  const ruledFields = ruled(env, model)
  const delegates = [...model.inherits.values()].flatMap((via) => {
    const field = model.fields.get(via)
    const read = field?.comodel && ruled(env, field.comodel)
    return field?.comodel && read ? [{ field, read }] : []
  })
  if (!ruledFields && delegates.length === 0) return null
  const columns = [...(ruledFields ?? []), ...delegates.map(({ field }) => field)]
  return { columns, named: new Set(columns), delegates }
}

const isAny = (fields: readonly FieldDef[], of: ReadonlySet<FieldDef>): boolean => {
  for (const field of fields) if (of.has(field)) return true
  return false
}

function keepBefore(env: Environment, model: ModelDef, ids: Ids, fields: readonly FieldDef[] | null): void {
  const kept = keptOf(env, model)
  if (!kept || (fields && !isAny(fields, kept.named))) return
  const { columns, delegates } = kept
  const seen = ids.filter((one) => !env.unit.changes?.isNew(model.name, one))
  if (seen.length === 0) return
  const members = [
    imageOf('t', columns),
    ...delegates.map(
      ({ field, read }) =>
        sql`jsonb_build_object(${literal(`${field.name}.`)}, (SELECT ${imageOf('d', read)} FROM ${id(comodelOf(field).table)} d WHERE d."id" = t.${id(field.name)}))`,
    ),
  ]
  env.unit.send(sql`INSERT INTO comptoir_change_before (tx, model, res_id, image)
    SELECT ${raw(TX)}, ${model.name}, t."id", ${join(members, ' || ')} FROM ${id(model.table)} t WHERE t."id" = ANY(${idList(seen)})`)
}

function imageOf(alias: string, fields: readonly FieldDef[]): Sql {
  const names = new Set(['id', ...fields.map(({ name }) => name)])
  return jsonbObject([...names].map((name) => [name, sql`${raw(alias)}.${id(name)}`]))
}
