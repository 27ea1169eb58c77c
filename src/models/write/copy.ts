// Copying: values of the fields that are copied, then `create`; translations come along.
import { mapInTurns } from '../../kit/pace.ts'
import { present } from '../../kit/present.ts'
import { id, idList, join, sql } from '../../sql/index.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { loadFields } from '../load/load.ts'
import { assertModel, fieldNamed, mayField, missingRecordsError } from '../rights/judge.ts'
import { guardRecords } from '../row/access.ts'
import { assertVals } from '../row/values.ts'
import { recordsOf } from '../unit/environment.ts'

/**
 * Values to create copies with, one object for each record (spec/models-api.md section 5, "copy"). Throws
 * MissingError for records that are gone, AccessError for hidden ones and for set fields of a group that the
 * user is not in, PayloadTooLarge for more of them, lines included, than a call may make.
 */
export async function copyValues(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  overrides: unknown,
): Promise<Record<string, unknown>[]> {
  const defaults =
    overrides === null || overrides === undefined || overrides === false ? {} : assertVals(overrides)
  for (const name of Object.keys(defaults)) fieldNamed(env, model, name)
  if (ids.length === 0) return []
  env.unit.quota.reserve('records', ids.length)
  assertModel(env, model, 'read')
  await guardRecords(env, model, ids, 'read', 'refuse')
  const fields = copied(model).filter((field) => !Object.hasOwn(defaults, field.name))
  // As the user: links to records that rules hide are neither shown nor copied (spec/wire.md section 9,
  // "x2many values").
  const whole = env.withContext({ active_test: false })
  const { existing, of } = await loadFields(whole, model, ids, fields)
  if (existing.length < new Set(ids).size) throw missingRecordsError(model, ids, existing)
  const lines = new Map<FieldDef, Map<number, unknown>>()
  for (const field of fields)
    if (field.kind === 'one2many') lines.set(field, await copiedLines(whole, field, of.get(field)))
  return mapInTurns(ids, (record) => {
    const vals: Record<string, unknown> = {}
    for (const field of fields) {
      const value = of.get(field)?.get(record) ?? null
      if (!mayField(env, field)) {
        if (value !== null && !(Array.isArray(value) && value.length === 0))
          fieldNamed(env, model, field.name)
        continue
      }
      vals[field.name] =
        field.kind === 'many2many'
          ? [[6, 0, [...((value as Ids | null) ?? [])]]]
          : field.type.toWire(field, value)
      const copies = lines.get(field)
      if (copies) vals[field.name] = ((value as Ids | null) ?? []).map((line) => [0, 0, copies.get(line)])
    }
    return { ...vals, ...defaults }
  })
}

/** Values of copied lines by line: what its own `copy_data` gives, without the way back. */
async function copiedLines(
  env: Environment,
  field: FieldDef,
  linked: ReadonlyMap<number, unknown> | undefined,
): Promise<Map<number, unknown>> {
  const all = [...(linked?.values() ?? [])].flatMap((value) => (value as Ids | null) ?? [])
  env.unit.quota.reserve('records', all.length)
  const ids = [...new Set(all)]
  if (ids.length === 0 || !field.comodel) return new Map()
  const copies = (await recordsOf(env, field.comodel, ids).invoke('copy_data', { default: null })) as Record<
    string,
    unknown
  >[]
  return new Map(
    ids.map((line, i) => {
      const { [field.inverse ?? '']: _, ...vals } = present(copies[i])
      return [line, vals]
    }),
  )
}

function copied(model: ModelDef): FieldDef[] {
  const via = new Set(model.inherits.values())
  return [...model.fields.values()].filter((field) => {
    if (field.options.hidden || via.has(field.name)) return false
    if (!field.inherited) return field.copy && !field.automatic
    const source = delegateOf(field)
    // A delegate further down is made anew like the first.
    if (source && [...source.model.inherits.values()].includes(source.name)) return false
    return Boolean(source?.copy && !source.automatic && source.kind !== 'one2many' && source.stored)
  })
}

/** The field that a delegated one shows in the end, over as many levels as there are. */
function delegateOf(field: FieldDef): FieldDef | undefined {
  const below = field.related
    ? field.model.fields.get(present(field.related[0]))?.comodel?.fields.get(field.name)
    : undefined
  return below?.inherited ? delegateOf(below) : below
}

export async function copyTranslations(
  env: Environment,
  model: ModelDef,
  pairs: ReadonlyMap<number, number>,
  overridden: readonly string[],
): Promise<void> {
  if (pairs.size === 0) return
  for (const [target, via] of model.inherits) {
    if (!overridden.includes(via))
      await copyTranslations(env, env.def(target), await delegatePairs(env, model, via, pairs), overridden)
  }
  const fields = [...model.fields.values()].filter(
    (f) => f.translate && f.column && f.copy && !overridden.includes(f.name),
  )
  if (fields.length === 0) return
  const rows = JSON.stringify([...pairs].map(([from, to]) => ({ a: from, b: to })))
  // The current language's value was set by `create`, maybe with a suffix: it wins.
  const sets = fields.map((f) => {
    const [old, copy] = [sql`s.${id(f.name)}`, sql`t.${id(f.name)}`]
    return sql`${id(f.name)} = CASE WHEN ${copy} IS NOT NULL THEN COALESCE(${old} || jsonb_build_object(${env.lang}::text, ${copy}->>${env.lang}::text), ${copy}) END`
  })
  const table = id(model.table)
  env.unit.send(
    sql`UPDATE ${table} t SET ${join(sets)} FROM jsonb_to_recordset(${rows}::jsonb) AS x(a int, b int) JOIN ${table} s ON s."id" = x.a WHERE t."id" = x.b`,
  )
  for (const field of fields) env.unit.cache.forget(field, pairs.values())
}

async function delegatePairs(
  env: Environment,
  model: ModelDef,
  via: string,
  pairs: ReadonlyMap<number, number>,
): Promise<Map<number, number>> {
  const ids = [...pairs].flat()
  const rows = await env.query<[number, number]>(
    sql`SELECT "id", ${id(via)} FROM ${id(model.table)} WHERE "id" = ANY(${idList(ids)})`,
  )
  const delegate = new Map(rows.map((row) => [row[0], row[1]]))
  return new Map([...pairs].map(([from, to]) => [present(delegate.get(from)), present(delegate.get(to))]))
}
