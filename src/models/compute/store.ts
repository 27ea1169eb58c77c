// Storing computed values: written where they differ, amounts rounded. Log fields stay: a recomputation
// is not a user's write.

import { present } from '../../kit/present.ts'
import { Slot } from '../../kit/slot.ts'
import { id, idList, join, raw, type Sql, type Statement, sql } from '../../sql/index.ts'
import { noteChange } from '../changes/note.ts'
import { isMarkup, type KnownMarkup, sanitizeBeforeWrite, withCleaned } from '../kinds/cleaning.ts'
import { idOrValue } from '../kinds/shared.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { leadsToOne, linkOf } from '../language/field-options.ts'
import { isCachedVerbatim, variantOf } from '../row/cache-key.ts'
import { currencyPath, roundedAmount, roundedIfCached } from '../row/monetary.ts'
import { aboutValues, fieldsShape } from '../row/plans.ts'
import { scopeOver } from '../row/scope.ts'
import { columnTypeIn, expressionIn } from '../row/values.ts'
import { addToBuffered } from '../unit/cache.ts'

export type Values = ReadonlyMap<FieldDef, ReadonlyMap<number, unknown>>

/**
 * Writes computed values of one model; gives, by field, the records that may have changed. Columns that come
 * for the same records are one statement.
 */
export async function storeValues(env: Environment, values: Values): Promise<Map<FieldDef, Ids>> {
  const changed = new Map<FieldDef, Ids>()
  const columns = new Map<string, Map<FieldDef, ReadonlyMap<number, unknown>>>()
  for (const [field, of] of values) {
    if (of.size === 0) continue
    if (field.column) {
      const key = [...of.keys()].join()
      columns.set(key, (columns.get(key) ?? new Map<FieldDef, ReadonlyMap<number, unknown>>()).set(field, of))
    } else if (field.kind === 'many2many') {
      env.unit.cache.forget(field, of.keys())
      changed.set(field, await storeLinks(env, field, of))
    }
  }
  for (const group of columns.values()) {
    const markup = await cleanComputed(env, group)
    const values = withCleaned(markup, () => columnValues(env, group))
    const differing = differingOf(env, values)
    const ids = differing?.length === 0 ? [] : await storeColumns(env, values, differing)
    for (const field of group.keys()) changed.set(field, ids)
  }
  return changed
}

function columnValues(env: Environment, values: Values): Values {
  const columns = new Map<FieldDef, ReadonlyMap<number, unknown>>()
  for (const [field, of] of values) {
    const columnByRecord = new Map<number, unknown>()
    for (const [record, value] of of) columnByRecord.set(record, columnValue(env, field, value))
    columns.set(field, columnByRecord)
  }
  return columns
}

/** Records of which the table holds other values; null where the cache does not know what it holds. */
function differingOf(env: Environment, values: Values): Ids | null {
  const differing = new Set<number>()
  for (const [field, of] of values) {
    const cachedValues = env.unit.cache.of(field, variantOf(env, field))
    for (const [record, value] of of) {
      const held = heldOf(env, field, record, value)
      if (held === undefined || !cachedValues.has(record)) return null
      if (cachedValues.get(record) !== held) differing.add(record)
    }
  }
  return [...differing]
}

/** The value that a read of the column will return; undefined where only PostgreSQL knows it. */
function heldOf(env: Environment, field: FieldDef, record: number, column: unknown): unknown {
  if (isCachedVerbatim(field)) return field.type.fromColumn(field, column)
  if (field.kind !== 'monetary' || field.options.companyDependent || typeof column !== 'number')
    return undefined
  return roundedIfCached(env, field, record, column)
}

export function cleanComputed(env: Environment, values: Values): Promise<KnownMarkup> {
  const texts = [...values].flatMap(([field, of]) =>
    field.kind === 'html' ? [...of.values()].filter((value) => isMarkup(field, value)) : [],
  )
  return sanitizeBeforeWrite(env, texts as string[])
}

/** Stores columns of records that are known to differ, or of all: PostgreSQL returns which did. */
async function storeColumns(env: Environment, values: Values, differing: Ids | null): Promise<Ids> {
  const fields = [...values.keys()]
  const [first] = fields
  if (!first) return []
  const ids = differing ?? [...(values.get(first)?.keys() ?? [])]
  // While the cache has what was there before.
  noteChange(env, first.model, 'u', ids, fields)
  for (const [field, of] of values) {
    env.unit.cache.forget(field, ids)
    const cachedValues = env.unit.cache.of(field, variantOf(env, field))
    for (const record of ids) {
      const held = heldOf(env, field, record, of.get(record))
      if (held !== undefined) cachedValues.set(record, held)
    }
  }
  // Where nothing follows, it is enough to know which of them may have changed.
  const follows = fields.some((field) => env.unit.registry.triggers.has(field))
  if (differing || !follows) {
    if (!addToBuffered(env, first.model, ids, () => settledColumns(env, values, ids)))
      sendUpdate(env, first.model, values, ids)
    return ids
  }
  const updated = await env.unit.run<[number]>(updateOf(env, first.model, values, ids, true))
  return updated.map((row) => row[0])
}

/** Final values of the columns of these records; null where only PostgreSQL knows them. */
export function settledColumns(env: Environment, values: Values, ids: Ids): Values | null {
  const settled = new Map<FieldDef, ReadonlyMap<number, unknown>>()
  for (const [field, of] of values) {
    if (field.translate || field.options.companyDependent) return null
    const columnByRecord = new Map<number, unknown>()
    for (const id of ids) {
      const column = of.get(id)
      const isAmount = field.kind === 'monetary' && typeof column === 'number'
      const held = isAmount ? roundedIfCached(env, field, id, column) : column
      if (isAmount && held === undefined) return null
      columnByRecord.set(id, held)
    }
    settled.set(field, columnByRecord)
  }
  return settled
}

/** An UPDATE that was sent, and has not left. */
interface Sent {
  readonly model: ModelDef
  readonly ids: string
  readonly values: Values
  readonly statement: Statement
}

const MOST_SENT = 8

/** The last that were sent, with nothing in between. */
const lastSent = new Slot<readonly Sent[]>()

/** Sends columns of records with those that were sent for the same ones before, and that may as well come now. */
function sendUpdate(env: Environment, model: ModelDef, values: Values, ids: Ids): void {
  const { unit } = env
  const { buffer } = unit
  const sent = lastSent.get(unit) ?? []
  const key = ids.join()
  const place = sent.findLastIndex((one) => one.model === model)
  const before = sent[place]
  const behind = sent.slice(place + 1)
  const joins =
    before?.ids === key &&
    roundsAlike(before.values, values) &&
    behind.every((one) => roundsAlike(before.values, one.values)) &&
    buffer.withdrawBefore(
      before.statement,
      behind.map((one) => one.statement),
    )
  const all: Values = joins ? new Map([...before.values, ...values]) : values
  const update = { model, ids: key, values: all, statement: updateOf(env, model, all, ids) }
  const rest = (joins ? sent.filter((other) => other !== before) : sent).slice(-MOST_SENT)
  lastSent.set(unit, buffer.endsWith(rest.map(({ statement }) => statement)) ? [...rest, update] : [update])
  buffer.post(update.statement)
}

/** Whether amounts are rounded alike before and after other values are stored. */
function roundsAlike(before: Values, after: Values): boolean {
  const stored = [...before.keys()]
  for (const field of after.keys()) {
    const path = field.kind === 'monetary' ? currencyPath(field) : null
    if (path && stored.some((one) => leadsToOne(one) || path.includes(one.name))) return false
  }
  return true
}

/** Sets columns where they differ; `returning`: returns the ids of records that did. */
function updateOf(env: Environment, model: ModelDef, values: Values, ids: Ids, returning = false): Statement {
  const fields = [...values.keys()]
  const rows: Record<string, unknown>[] = []
  for (const id of ids) {
    const row: Record<string, unknown> = { id }
    for (const [i, field] of fields.entries()) row[`v${i}`] = values.get(field)?.get(id)
    rows.push(row)
  }
  const shape = `store ${model.name} ${returning} ${fieldsShape(fields)}`
  return aboutValues(env, shape, [JSON.stringify(rows)], ([json]) => {
    const update = updateFrom(env, model, fields, present(json))
    return returning ? sql`${update} RETURNING m."id"` : update
  })
}

/** `rows`: a list of objects with the id of a record and its values `v0`, `v1`, … */
function updateFrom(env: Environment, model: ModelDef, fields: readonly FieldDef[], rows: Sql): Sql {
  const definition = raw(['id int', ...fields.map((field, i) => `v${i} ${columnTypeIn(field)}`)].join(', '))
  const source = sql`jsonb_to_recordset(${rows}::jsonb) AS x(${definition})`
  const newValue = (i: number) => raw(`s.v${i}`)
  // Amounts are compared and kept rounded to their currency, which may take a look at the record.
  const scope = scopeOver(env, model)
  const expressions = fields.map((field, i) => {
    const value = expressionIn(field, raw(`x.v${i}`))
    return sql`${field.kind === 'monetary' ? roundedAmount(scope, field, value) : value} AS v${raw(String(i))}`
  })
  const amounts = fields.some((field) => field.kind === 'monetary')
  const beside = amounts ? sql` JOIN ${scope.from()} ON ${scope.id} = x.id` : sql``
  const from = sql`(SELECT x.id, ${join(expressions)} FROM ${source}${beside}) AS s`
  return sql`UPDATE ${id(model.table)} AS m
    SET ${join(fields.map((field, i) => sql`${id(field.name)} = ${newValue(i)}`))} FROM ${from} WHERE m."id" = s.id
    AND (${join(
      fields.map((field, i) => sql`m.${id(field.name)} IS DISTINCT FROM ${newValue(i)}`),
      ' OR ',
    )})`
}

/** Computed links: those that are not wanted any more go, the others are made. */
async function storeLinks(
  env: Environment,
  field: FieldDef,
  values: ReadonlyMap<number, unknown>,
): Promise<number[]> {
  const { table, column, other } = linkOf(field)
  const wanted = rowsOf(pairsOf(values))
  const gone = await env.query(
    sql`DELETE FROM ${id(table)} WHERE ${id(column)} = ANY(${idList([...values.keys()])}) AND (${join([id(column), id(other)])}) NOT IN (${wanted}) RETURNING ${id(column)}`,
  )
  const inserted = await env.query(
    sql`INSERT INTO ${id(table)} (${join([id(column), id(other)])}) ${wanted} ON CONFLICT DO NOTHING RETURNING ${id(column)}`,
  )
  const changed = [...new Set([...gone, ...inserted].map((row) => row[0] as number))]
  noteChange(env, field.model, 'u', changed, [field])
  return changed
}

export function insertLinks(env: Environment, field: FieldDef, values: ReadonlyMap<number, Ids>): void {
  const { table, column, other } = linkOf(field)
  const [records, targets]: [number[], number[]] = [[], []]
  for (const [record, linked] of values)
    for (const target of linked.length > 1 ? new Set(linked) : linked) {
      records.push(record)
      targets.push(target)
    }
  if (records.length === 0) return
  // They are the first of their records: none can be there already.
  env.unit.send(
    sql`INSERT INTO ${id(table)} (${join([id(column), id(other)])}) SELECT * FROM unnest(${records}::int[], ${targets}::int[])`,
  )
  env.unit.insertions.note(table, records.length)
}

const pairsOf = (values: ReadonlyMap<number, unknown>) =>
  [...values].flatMap(([record, linked]) => linkedIds(linked).map((target) => ({ a: record, b: target })))

function rowsOf(pairs: ReturnType<typeof pairsOf>) {
  return sql`SELECT a, b FROM jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) AS x(a int, b int)`
}

export function linkedIds(linked: unknown): number[] {
  return [...((linked as Iterable<number | { readonly id: number }> | null | undefined) ?? [])].map((one) =>
    typeof one === 'object' ? one.id : one,
  )
}

function columnValue(env: Environment, field: FieldDef, value: unknown): unknown {
  const stored = field.type.toColumn(field, idOrValue(value) ?? false)
  if (field.translate) return stored === null ? null : { en_US: stored }
  if (field.options.companyDependent) return stored === null ? null : { [env.companyId]: stored }
  return stored
}
