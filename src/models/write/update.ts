// The UPDATE of a write: one statement for all records, of the same values or of their own.
import { oncePer } from '../../kit/once-per.ts'
import { present } from '../../kit/present.ts'
import { id, idList, join, quote, raw, sql } from '../../sql/index.ts'
import type { FieldDef, Ids, LooseVals, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf, isTreePath, leadsToOne } from '../language/field-options.ts'
import { byWeight } from '../load/binaries.ts'
import { isCachedVerbatim, isSharedByAll } from '../row/cache-key.ts'
import type { Sorted } from '../row/destinations.ts'
import { columnTypeIn, expressionIn, isStoredAsIs, stored, weightOf } from '../row/values.ts'

export interface Prepared {
  readonly ids: Ids
  readonly vals: LooseVals
  readonly sorted: Sorted
}

export function update(env: Environment, model: ModelDef, ids: Ids, sorted: Pick<Sorted, 'columns'>): void {
  if (sorted.columns.size === 0 && !model.logAccess) return
  const fields = [...sorted.columns.keys()]
  if (fields.every(isStoredAsIs)) {
    const values = [...sorted.columns.values(), ...(model.logAccess ? [env.uid] : []), recordsIn(ids)]
    env.unit.buffer.post({ text: updateText(model, fields, ids.length === 1), values })
    return
  }
  const sets = [...sorted.columns].map(([field, value]) => {
    const column = id(field.name)
    if ((field.translate || field.options.companyDependent) && value !== null) {
      // Merged into what other languages or companies hold; the base language keeps its own value unless it
      // has none.
      const fresh = sql`${JSON.stringify(field.translate ? { [env.lang]: value } : { [env.companyId]: value })}::jsonb`
      const base = field.translate ? sql`${JSON.stringify(stored(env, field, value))}::jsonb || ` : sql``
      return sql`${column} = ${base}COALESCE(${column}, '{}') || ${fresh}`
    }
    if (field.options.companyDependent) return sql`${column} = ${column} - ${String(env.companyId)}::text`
    return sql`${column} = ${expressionIn(field, sql`${value}::${raw(columnTypeIn(field))}`)}`
  })
  if (model.logAccess)
    sets.push(sql`"write_uid" = ${env.uid}::int`, raw(`"write_date" = now() AT TIME ZONE 'UTC'`))
  env.unit.send(sql`UPDATE ${id(model.table)} SET ${join(sets)} WHERE "id" = ANY(${idList(ids)})`)
}

const updateTexts = oncePer((_: ModelDef) => new Map<string, string>())

/** Texts that are kept of a model: mostly the same fields are written. */
const MOST_TEXTS = 200

/** The parameter that names records: one by its id, which PostgreSQL has less to do with than with a list. */
export const recordsIn = (ids: Ids): unknown => (ids.length === 1 ? ids[0] : ids)

/**
 * The text for columns that hold one value; parameters are these values, the user where changes are logged,
 * and the ids (`recordsIn`); `isOne`: of one record.
 */
function updateText(model: ModelDef, fields: readonly FieldDef[], isOne: boolean): string {
  const texts = updateTexts(model)
  let key = isOne ? '=' : ''
  for (const { name } of fields) key += `${name},`
  const cachedText = texts.get(key)
  if (cachedText !== undefined) return cachedText
  const sets = fields.map(
    (field, i) =>
      `${quote(field.name)} = ${expressionIn(field, raw(`$${i + 1}::${columnTypeIn(field)}`)).compile().text}`,
  )
  let next = fields.length + 1
  if (model.logAccess) sets.push(`"write_uid" = $${next++}::int`, `"write_date" = now() AT TIME ZONE 'UTC'`)
  const which = isOne ? `= $${next}::int` : `= ANY((SELECT $${next}::int[])::int[])`
  const text = `UPDATE ${quote(model.table)} SET ${sets.join(', ')} WHERE "id" ${which}`
  if (texts.size >= MOST_TEXTS) texts.clear()
  texts.set(key, text)
  return text
}

/** As `update`, each record with its own values: they come as rows of a table. */
export async function updateEach(env: Environment, model: ModelDef, set: readonly Prepared[]): Promise<void> {
  const fields = [...present(set[0]).sorted.columns.keys()]
  const weights: number[] = []
  const rows = set.flatMap(({ ids, sorted }) => {
    const values = fields.map((field, i) => [`c${i}`, sorted.columns.get(field)] as const)
    const weight = weightOf(sorted)
    return ids.map((record) => {
      weights.push(weight)
      return Object.fromEntries([['id', record], ...values])
    })
  })
  const definition = ['id int', ...fields.map((field, i) => `c${i} ${columnTypeIn(field)}`)].join(', ')
  const sets = fields.map((field, i) => {
    const value = raw(`x.c${i}`)
    const column = raw(`t.${quote(field.name)}`)
    if (field.translate) {
      const merged = sql`jsonb_build_object('en_US', ${value}) || COALESCE(${column}, '{}') || jsonb_build_object(${env.lang}::text, ${value})`
      return sql`${id(field.name)} = CASE WHEN ${value} IS NOT NULL THEN ${merged} END`
    }
    if (field.options.companyDependent) {
      const company = sql`${String(env.companyId)}::text`
      return sql`${id(field.name)} = CASE WHEN ${value} IS NULL THEN ${column} - ${company} ELSE COALESCE(${column}, '{}') || jsonb_build_object(${company}, ${value}) END`
    }
    return sql`${id(field.name)} = ${expressionIn(field, value)}`
  })
  if (model.logAccess)
    sets.push(sql`"write_uid" = ${env.uid}::int`, raw(`"write_date" = now() AT TIME ZONE 'UTC'`))
  if (sets.length === 0) return
  const portions = byWeight(rows, (place) => present(weights[place]))
  for (const part of portions) {
    const update = sql`UPDATE ${id(model.table)} AS t SET ${join(sets)} FROM jsonb_to_recordset(${JSON.stringify(part)}::jsonb) AS x(${raw(definition)}) WHERE t."id" = x.id`
    // Long texts are not kept until all of them have left.
    if (portions.length === 1) env.unit.send(update)
    else await env.query(update)
  }
}

// The cache after a write: columns whose values a read would return unchanged need not be read again.

/**
 * Replaces cached values of written fields, and forgets other changed ones. A record that was not read
 * may not exist: nothing is cached for it.
 */
export function cacheWritten(
  env: Environment,
  model: ModelDef,
  changed: Iterable<FieldDef>,
  set: readonly Prepared[],
): void {
  const { cache } = env.unit
  const seen = cache.of(fieldOf(model, 'id'), '')
  for (const field of changed) {
    const isHeld = isCachedVerbatim(field) && isSharedByAll(field)
    const cachedValues = isHeld ? cache.of(field, '') : null
    for (const { ids, sorted } of set) {
      const column = sorted.columns.get(field)
      if (!cachedValues || column === undefined) {
        cache.forget(field, ids)
        continue
      }
      const value = leadsToOne(field) ? column : field.type.fromColumn(field, column)
      for (const id of ids) if (cachedValues.has(id) || seen.has(id)) cachedValues.set(id, value)
    }
  }
}

/**
 * Caches the columns of new rows: explicit values, and NULL in all others; amounts only where they were
 * `rounded` to their currencies.
 */
export function cacheNewColumns(
  env: Environment,
  model: ModelDef,
  ids: Ids,
  sorted: readonly Pick<Sorted, 'columns'>[],
  rounded?: ReadonlySet<FieldDef>,
): void {
  env.unit.cache.addNewRows(model, ids, (field, n) => {
    if (field.name === 'id') return ids[n]
    const columns = sorted[n]?.columns
    const amount = rounded?.has(field) ? columns?.get(field) : undefined
    return typeof amount === 'number' ? field.type.fromColumn(field, amount) : newRowValue(field, columns)
  })
}

/** The value that a read of a new row's column would return; undefined where only PostgreSQL knows it. */
export function newRowValue(field: FieldDef, columns: ReadonlyMap<FieldDef, unknown> | undefined): unknown {
  return isStableColumn(field) ? stableNewRowValue(field, columns) : undefined
}

/** The same for a field that stands as it was made. */
export function stableNewRowValue(
  field: FieldDef,
  columns: ReadonlyMap<FieldDef, unknown> | undefined,
): unknown {
  const explicit = columns?.get(field)
  // A computed field without an explicit value is pending.
  if (field.compute && explicit === undefined) return undefined
  const value = explicit ?? null
  // An explicit amount is known once it is rounded to its currency.
  if (field.kind === 'monetary' && value !== null) return undefined
  return leadsToOne(field) ? value : field.type.fromColumn(field, value)
}

/** Columns that change by writes alone once the row exists: no log fields, no paths in trees. */
export const isStableColumn = (field: FieldDef): boolean =>
  (isCachedVerbatim(field) || (field.kind === 'monetary' && field.column)) &&
  isSharedByAll(field) &&
  !field.automatic &&
  (!field.related || field.compute !== null) &&
  !isTreePath(field)
