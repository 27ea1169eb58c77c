// Rows of a statement as PostgreSQL renders them: one record of its columns each, in a window or one by one.
import type { Sql } from '../../sql/index.ts'
import { raw, sql } from '../../sql/index.ts'
import type { FieldDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { SearchOptions } from '../language/records.ts'
import { scopeOver } from '../row/scope.ts'
import { finish } from './answer.ts'
import { LongAnswer, pieceRows } from './long-answer.ts'
import type { Reading } from './question.ts'
import { pageOf, type Query, windowOf } from './search.ts'
import { select } from './selection.ts'
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
 * Rows of a query in a window. Behind an offset the page is chosen first, so that rows that are skipped are
 * not rendered.
 */
export function rowsOf(
  lines: Environment,
  query: Query,
  { fields, form }: Reading,
  options: SearchOptions,
  marked = false,
): Rows {
  if (options.offset) {
    const page = sql`SELECT id, row_number() OVER () AS ord FROM (${pageOf(query, options, marked)}) AS p`
    const inside = scopeOver(lines, query.scope.model)
    const { columns, ...rest } = select(inside, fields, form)
    const from = sql`(${page}) AS u JOIN ${inside.from()} ON ${inside.id} = u.id CROSS JOIN LATERAL (SELECT ${columns}) AS j`
    return { row: raw('j'), from, order: raw('u.ord'), ...rest }
  }
  const { scope, where } = query
  const { columns, ...rest } = select(scope.seenBy(lines), fields, form)
  const window = windowOf(scope, options)
  return {
    row: raw('r'),
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
