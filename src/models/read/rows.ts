// Rows of a statement as PostgreSQL renders them, in a window or one by one, and the fields without an SQL
// form that code fills in.
import { present } from '../../kit/present.ts'
import { raw, readsRows, type Sql, sql } from '../../sql/index.ts'
import type { FieldDef, Ids } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import { fieldOf } from '../language/field-options.ts'
import type { SearchOptions } from '../language/records.ts'
import type { Scope } from '../language/scope.ts'
import { binarySizes, bytesIn, sizeText, wantsSize } from '../load/binaries.ts'
import { loadFields } from '../load/load.ts'
import { scopeOver } from '../row/scope.ts'
import { LongAnswer, pieceRows } from './long-answer.ts'
import { outwardValues } from './references.ts'
import { type Reading, Rendered, type WireRow } from './rendered.ts'
import { pageOf, type Query, windowOf } from './search.ts'
import { type Form, type Left, type Selection, select, selectText } from './selection.ts'
import type { ShortForm } from './short/form.ts'

export interface Rest extends Left {
  /** Writes its rows; null if PostgreSQL returns JSON. */
  readonly short: ShortForm | null
}

/** Where rows come from, and what is left to do with them. */
interface Rows extends Left {
  readonly row: Sql
  /** `FROM … ` that yields the rows in order, or in any order where `order` says which. */
  readonly from: Sql
  readonly order: Sql | null
}

/**
 * Tables that PostgreSQL puts into another order (`join_collapse_limit`). With more of them, a condition on
 * rows of other tables is judged after all are joined, to every row of the table.
 */
const MOST_REORDERED = 8

/**
 * Rows of a query in a window, a record of its columns each. The page is selected first where skipped rows
 * must not be rendered, and where rows that do not match would be joined to all that columns need.
 */
export const rowsOf = (
  lines: Environment,
  query: Query,
  { fields, form }: Reading,
  options: SearchOptions,
  marked = false,
): Rows => {
  const window = { lines, query, options, marked }
  return { row: raw('r'), ...windowed(window, (scope) => select(scope, fields, form)) }
}

/** As `rowsOf`, each a text. */
export const textRowsOf = (
  lines: Environment,
  query: Query,
  { fields, form }: Reading,
  options: SearchOptions,
): Rows => {
  const columnsOf = (scope: Scope): Selection => {
    const { text, ...left } = selectText(scope, fields, form)
    return { columns: sql`${text} AS text`, ...left }
  }
  return { row: raw('r.text'), ...windowed({ lines, query, options, marked: false }, columnsOf) }
}

interface Window {
  readonly lines: Environment
  readonly query: Query
  readonly options: SearchOptions
  readonly marked: boolean
}

function windowed(
  { lines, query, options, marked }: Window,
  columnsOf: (scope: Scope) => Selection,
): Omit<Rows, 'row'> {
  // As it is before the columns join their tables to it.
  const ids = pageOf(query, options, marked)
  if (!options.offset) {
    const { scope, where } = query
    const { columns, ...rest } = columnsOf(scope.seenBy(lines))
    const window = windowOf(scope, options)
    const from = sql`(SELECT ${columns} FROM ${scope.from()} WHERE ${where}${window}) AS r`
    const isLate = scope.joins > MOST_REORDERED && readsRows(where)
    if (!isLate || !options.limit) return { from, order: null, ...rest }
  }
  const page = sql`SELECT id, row_number() OVER () AS ord FROM (${ids}) AS p`
  const inside = scopeOver(lines, query.scope.model)
  const { columns, ...rest } = columnsOf(inside)
  const from = sql`${inside.from(sql`(${page}) AS u`)} CROSS JOIN LATERAL (SELECT ${columns}) AS r`
  return { from, order: raw('u.ord'), ...rest }
}

export function long(
  env: Environment,
  { row, from, order, slow }: Omit<Rows, 'bare'>,
  { fields, form }: Reading,
): LongAnswer {
  const by = order ? sql` ORDER BY ${order}` : sql``
  const fill = (inside: Environment, json: string) => finish(inside, json, slow, form)
  return new LongAnswer(
    env,
    sql`SELECT to_json(${row})::text FROM ${from}${by}`,
    pieceRows(env, fields),
    slow.length ? fill : null,
  )
}

export type Answer = Rendered | WireRow[] | LongAnswer

/** Rows as objects. Asked for by code, which never gets them in pieces. */
export function plainObjects(answer: Answer): WireRow[] {
  if (answer instanceof LongAnswer) throw new Error('Code reads rows whole.')
  return answer instanceof Rendered ? (JSON.parse(answer.json) as WireRow[]) : answer
}

/** Fills in what needs code, in the user's environment: the query judged the rules. */
export async function finish(
  env: Environment,
  json: string,
  slow: readonly FieldDef[],
  form: Form,
): Promise<Rendered | WireRow[]> {
  if (slow.length === 0) return new Rendered(json)
  const rows = JSON.parse(json) as WireRow[]
  if (rows.length === 0) return rows
  const ids = [...new Set(rows.map((row) => row.id))]
  const { model } = present(slow[0])
  const idColumn = env.unit.cache.of(fieldOf(model, 'id'), '')
  for (const record of ids) idColumn.set(record, record)
  const sized = slow.filter((field) => wantsSize(env, field))
  const computedFields = slow.filter((field) => !sized.includes(field))
  const { of } = await loadFields(env, model, ids, computedFields)
  for (const field of sized) await fillSizes(env, rows, field, ids, form)
  for (const field of computedFields) {
    const outward = await outwardValues(env, field, present(of.get(field)), ids, form)
    for (const row of rows) row[field.name] = outward(row.id)
  }
  return rows
}

async function fillSizes(
  env: Environment,
  rows: readonly WireRow[],
  field: FieldDef,
  ids: Ids,
  { typed }: Form,
): Promise<void> {
  const sizes = await sizesOf(env, field, ids)
  for (const row of rows) {
    const text = sizeText(sizes.get(row.id))
    row[field.name] = typed ? text || null : text
  }
}

/** Bytes of binary values; those that are made by code are made, unless their model knows better. */
async function sizesOf(env: Environment, field: FieldDef, ids: Ids): Promise<Map<number, number | null>> {
  const sizes = await binarySizes(env, field, ids)
  if (sizes) return sizes
  const { of } = await loadFields(env, field.model, ids, [field])
  return new Map(ids.map((record) => [record, bytesIn(of.get(field)?.get(record))]))
}
