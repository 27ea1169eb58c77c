// Effects of a removal on other records: the database cascades, clears many2ones and drops links, and
// stored values depend on those.
import { oncePer } from '../../kit/once-per.ts'
import { id, idList, join, raw, sql } from '../../sql/index.ts'
import { removeAudited } from '../changes/audited.ts'
import { isTracked } from '../changes/log.ts'
import { noteChange } from '../changes/note.ts'
import { clearPending, modified } from '../compute/recompute.ts'
import type { FieldDef, Ids, ModelDef, Registry } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne } from '../language/field-options.ts'
import { assertModel } from '../rights/judge.ts'
import { guardRecords } from '../row/access.ts'
import { clearCompanyLinks } from '../row/company-values.ts'
import { together } from '../unit/reads.ts'

/**
 * Marks what follows from records that are about to go, from those that the database will remove with them,
 * and from the links it will clear.
 */
export async function markRemoval(env: Environment, model: ModelDef, ids: Ids): Promise<void> {
  const gone = new Map<ModelDef, Set<number>>()
  await remove(env, model, ids, gone)
}

async function remove(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  gone: Map<ModelDef, Set<number>>,
): Promise<void> {
  const seen = gone.get(model) ?? new Set<number>()
  gone.set(model, seen)
  const fresh = ids.filter((record) => !seen.has(record))
  if (fresh.length === 0) return
  for (const record of fresh) seen.add(record)
  noteChange(env, model, 'd', fresh)
  const { registry } = env.unit
  const followed = [...model.fields.values()].filter((field) => registry.triggers.has(field))
  const fields = reaching(registry, model, env.unit.changes !== null)
  const [holders] = await together(holdersBy(env, fields, fresh), modified(env, followed, fresh))
  for (const [n, field] of fields.entries()) {
    const holding = holders.get(n) ?? []
    if (cascades(field)) await remove(env, field.model, holding, gone)
    else {
      const going = gone.get(field.model)
      noteChange(env, field.model, 'u', going ? holding.filter((one) => !going.has(one)) : holding, [field])
      await modified(env, [field], holding)
    }
  }
}

/** Records that refer to one of these, by the place of the field in the list: one statement. */
export async function holdersBy(
  env: Environment,
  fields: readonly FieldDef[],
  ids: Ids,
): Promise<Map<number, number[]>> {
  if (fields.length === 0) return new Map()
  const queries = fields.map((field, n) => {
    const { table, column, other } = field.link ?? {
      table: field.model.table,
      column: 'id',
      other: field.name,
    }
    return sql`SELECT ${raw(String(n))} AS n, ${id(column)} FROM ${id(table)} WHERE ${id(other)} = ANY(${idList(ids)})`
  })
  const rows = (await env.query(join(queries, ' UNION '))) as readonly (readonly [number, number])[]
  const holders = new Map<number, number[]>()
  for (const [n, holder] of rows) {
    const existing = holders.get(n)
    if (existing) existing.push(holder)
    else holders.set(n, [holder])
  }
  return holders
}

/**
 * Writes rows without changing them: a call that changes one of them at the same time conflicts with this
 * one, and the later call is repeated.
 */
export async function claimRows(env: Environment, model: ModelDef, ids: readonly number[]): Promise<void> {
  if (ids.length)
    await env.query(sql`UPDATE ${id(model.table)} SET "id" = "id" WHERE "id" = ANY(${idList(ids)})`)
}

const cascades = (field: FieldDef) => leadsToOne(field) && field.options.ondelete === 'cascade'

const reachingByReport = oncePer((_: Registry) => ({
  reported: new Map<ModelDef, readonly FieldDef[]>(),
  unreported: new Map<ModelDef, readonly FieldDef[]>(),
}))

/**
 * Fields through which a removal in `model` changes stored values elsewhere; most models have none, and
 * nothing is asked for them.
 */
function reaching(registry: Registry, model: ModelDef, isReported: boolean): readonly FieldDef[] {
  const models = reachingByReport(registry)[isReported ? 'reported' : 'unreported']
  const fields =
    models.get(model) ??
    holdersOf(registry, model).filter(
      (field) => (isReported && isFollowed(field)) || isAudited(field) || matters(registry, field, new Set()),
    )
  models.set(model, fields)
  return fields
}

function holdersOf(registry: Registry, model: ModelDef): FieldDef[] {
  return [...registry.models.values()]
    .filter((holder) => holder.hasTable)
    .flatMap((holder) => [...holder.fields.values()])
    .filter(
      (field) =>
        field.comodel === model &&
        !field.inherited &&
        !(field.kind === 'many2many' && field.options.outlives) &&
        (leadsToOne(field) ? field.column && !field.options.companyDependent : field.link !== null),
    )
}

/** Changes of log fields are not reported: every table has them. */
const isFollowed = (field: FieldDef) =>
  isTracked(field.model) && !['create_uid', 'write_uid'].includes(field.name)

/** Whether the audit log gets entries about records that lose this link, or go with its target. */
const isAudited = (field: FieldDef) =>
  cascades(field) ? Boolean(field.model.auditing?.unlink) : Boolean(field.model.auditing?.always.has(field))

/** Whether something follows the field, or the records that go with its target. */
function matters(registry: Registry, field: FieldDef, trail: Set<ModelDef>): boolean {
  if (!cascades(field)) return registry.triggers.has(field)
  if ([...field.model.fields.values()].some((own) => registry.triggers.has(own))) return true
  if (trail.has(field.model)) return false
  trail.add(field.model)
  return holdersOf(registry, field.model).some((below) => matters(registry, below, trail))
}

// Removing: rights, what follows from the lines that go, one DELETE; the database cascades, clears or
// restricts.

/**
 * Removes records, with their external ids and attachments. Throws MissingError for records that are gone
 * where rules are in force, AccessError for hidden ones, ValidationError when another record needs one of
 * them (spec/models-api.md section 5).
 */
export async function unlinkRecords(env: Environment, model: ModelDef, input: Ids): Promise<void> {
  const ids = [...new Set(input)]
  if (ids.length === 0) return
  assertModel(env, model, 'unlink')
  await guardRecords(env, model, ids, 'unlink', 'refuse')
  await markRemoval(env, model, ids)
  env.unit.send(sql`DELETE FROM ${id(model.table)} WHERE "id" = ANY(${idList(ids)})`)
  await clearCompanyLinks(env, model, ids)
  for (const field of [...env.unit.recomputation.pending.keys()])
    if (field.model === model) clearPending(env, field, ids)
  await removeTraces(env, model, ids)
  env.unit.cache.clear()
  env.unit.authorized.forget()
}

async function removeTraces(env: Environment, model: ModelDef, ids: Ids): Promise<void> {
  const { registry } = env.unit
  if (registry.get('ir.model.data'))
    env.unit.send(sql`DELETE FROM ir_model_data WHERE model = ${model.name} AND res_id = ANY(${idList(ids)})`)
  const attachment = registry.get('ir.attachment')
  if (attachment)
    removeAudited(env, attachment, sql`t.res_model = ${model.name} AND t.res_id = ANY(${idList(ids)})`)
}
