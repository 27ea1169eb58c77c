// Rows of a statement as PostgreSQL renders them: one record of its columns each, in a window or one by one.
import type { Sql } from '../../sql/index.ts'
import { raw, sql } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { SearchOptions } from '../language/records.ts'
import type { Scope } from '../language/scope.ts'
import { scopeOver } from '../row/scope.ts'
import { finish } from './answer.ts'
import { LongAnswer, pieceRows } from './long-answer.ts'
import type { Reading } from './question.ts'
import { pageOf, type Query, windowOf } from './search.ts'
import { type Selection, select, selectText } from './selection.ts'
import type { ShortForm } from './short/form.ts'

/** What is to be done with what a statement gives. */
export interface Rest {
  /** How its rows are written; null where PostgreSQL gives JSON. */
  readonly short: ShortForm | null
  /** Fields that code must fill in. */
  readonly slow: readonly FieldDef[]
  /** Relations that PostgreSQL cannot expand. */
  readonly bare: readonly FieldDef[]
}

/** Where rows come from, and what is left to do with them. */
interface Rows extends Omit<Rest, 'short'> {
  /** The name of the record in `from`. */
  readonly row: Sql
  /** `FROM … ` that yields the rows in order, or in any order where `order` says which. */
  readonly from: Sql
  readonly order: Sql | null
}

/**
 * Rows of a query in a window, a record of its columns each. Behind an offset the page is chosen first, so
 * that rows that are skipped are not rendered.
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
  if (options.offset) {
    const page = sql`SELECT id, row_number() OVER () AS ord FROM (${pageOf(query, options, marked)}) AS p`
    const inside = scopeOver(lines, query.scope.model)
    const { columns, ...rest } = columnsOf(inside)
    const from = sql`(${page}) AS u JOIN ${inside.from()} ON ${inside.id} = u.id CROSS JOIN LATERAL (SELECT ${columns}) AS r`
    return { from, order: raw('u.ord'), ...rest }
  }
  const { scope, where } = query
  const { columns, ...rest } = columnsOf(scope.seenBy(lines))
  const window = windowOf(scope, options)
  return {
    from: sql`(SELECT ${columns} FROM ${scope.from()} WHERE ${where}${window}) AS r`,
    order: null,
    ...rest,
  }
}

/** The same rows one by one. */
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
