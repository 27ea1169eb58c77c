// Statements that give short lists (form.ts): of what a search finds, and of records by their ids. Each
// gives one row: the list, what else is asked for, and the versions of dictionaries.
import type { Sql, Statement } from '../../../sql/index.ts'
import { idList, join, raw, sql } from '../../../sql/index.ts'
import type { ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import type { SearchOptions } from '../../language/records.ts'
import type { Scope } from '../../language/scope.ts'
import type { Row } from '../../language/unit.ts'
import { ruleOf } from '../../row/rule.ts'
import { scopeOfRows, scopeOver } from '../../row/scope.ts'
import type { Reading } from '../question.ts'
import { Listed, textsIn } from '../rendered.ts'
import { pageOf, type Query } from '../search.ts'
import { knownFor, loadedFor } from './dictionary.ts'
import { isShort, type Rows, type ShortForm, shortForm } from './form.ts'

/** A statement, and how its list is written. */
interface Short {
  readonly statement: Sql
  readonly rest: { readonly short: ShortForm; readonly slow: readonly []; readonly bare: readonly [] }
}

/** A window of what a search finds; `counted` is said of its rows together. */
export function shortWindow(
  lines: Environment,
  query: Query,
  reading: Reading,
  options: SearchOptions,
  marked: boolean,
  counted: Sql | null = null,
): Short | null {
  if (!isShort(options.limit)) return null
  const page = pageOf(query, options, marked, true)
  const over = (rows: Sql) => {
    const scope = scopeOfRows(lines, query.scope.model, rows)
    return { scope, made: shortForm(scope, reading) }
  }
  const { scope, made } = over(sql`(${page})`)
  if (!made) return null
  // Rows of one source come in its order; those that something is joined to may not.
  if (!scope.joined) return listOf(made, sql``, counted, scope.from())
  const joined = over(sql`(SELECT p.*, row_number() OVER () AS "page order" FROM (${page}) AS p)`)
  const order = sql` ORDER BY ${joined.scope.column('page order')}`
  return joined.made && listOf(joined.made, order, counted, joined.scope.from())
}

/**
 * Records by ids, in any order and in a form, and how many of them a rule hides. PostgreSQL looks for all ids
 * at once where it need not know their order, and for each by itself where it has to.
 */
export function shortByIds(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  form: (scope: Scope) => ShortForm | null,
): Short | null {
  const scope = scopeOver(env, model)
  const made = form(scope)
  if (!made) return null
  const rule = ruleOf(scope, model, 'read')
  const hidden = rule ? sql`count(*) FILTER (WHERE NOT ${rule})::int` : raw('0')
  return listOf(made, sql``, hidden, sql`${scope.from()} WHERE ${scope.id} = ANY(${idList(ids)})`)
}

function listOf(short: ShortForm, order: Sql, counted: Sql | null, from: Sql): Short {
  const versions = short.needs.map(({ version }) => sql`, ${version}`)
  const columns = short.columns.map(({ value }) => sql`json_agg(${value}${order})::text`)
  const statement = sql`SELECT ${join(columns)}, ${counted ?? raw('NULL')}${join(versions, '')} FROM ${from}`
  return { statement, rest: { short, slow: [], bare: [] } }
}

/**
 * A short list, and what was counted with it; null where it must be planned anew. `ids`: those of a list of
 * records by ids, whose order it has. `sole`: nothing else is read, so that it needs no transaction where all
 * dictionaries are known.
 */
export async function written(
  env: Environment,
  statement: Statement,
  { columns, needs, write }: ShortForm,
  ids: readonly number[] | null,
  sole: boolean,
): Promise<{ readonly answer: Listed; readonly counted: number | null } | null> {
  const [row = []] = await env.unit.run(statement, sole)
  const known = knownFor(env, needs, row)
  const found = known ? { row, dictionaries: known } : await loadedFor(env, statement, needs, row)
  if (!found) return null
  const rows = rowsIn(columns, found.row, ids)
  const counted = found.row[columns.length] as number | null
  return { answer: new Listed(write(rows, found.dictionaries), rows.places.length), counted }
}

/** Rows as they came, in the order of ids if there are some. */
function rowsIn(of: ShortForm['columns'], row: Row, ids: readonly number[] | null): Rows {
  const columns: (readonly unknown[])[] = []
  for (const { isText } of of) {
    // Of no rows PostgreSQL makes no list.
    const list = (row[columns.length] as string | null) ?? '[]'
    columns.push(isText ? textsIn(list) : (JSON.parse(list) as unknown[]))
  }
  const found = columns[0] ?? []
  const places: number[] = []
  for (const id of ids ?? found) {
    // Mostly they are found in the order in which they are named.
    if (found[places.length] !== id) return { columns, places: placesOf(ids ?? [], found) }
    places.push(places.length)
  }
  return { columns, places }
}

/** Where ids are among those that were found. */
function placesOf(ids: readonly number[], found: readonly unknown[]): number[] {
  const placeOf = new Map(found.map((id, n) => [id, n]))
  return ids.flatMap((id) => placeOf.get(id) ?? [])
}
