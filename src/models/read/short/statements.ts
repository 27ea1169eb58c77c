// Statements that give short lists (form.ts): of what a search finds, and of records by their ids. Each
// gives one row: the list, what else is asked for, and the versions of dictionaries.
import { id, idList, join, raw, type Sql, type Statement, sql } from '../../../sql/index.ts'
import type { Ids, LinkTable, ModelDef } from '../../language/definitions.ts'
import type { Environment } from '../../language/environment.ts'
import type { SearchOptions } from '../../language/records.ts'
import type { Scope } from '../../language/scope.ts'
import type { Row } from '../../language/unit.ts'
import { ruleOf } from '../../row/access.ts'
import { scopeOfRows, scopeOver } from '../../row/scope.ts'
import { Listed, type Reading, textsIn } from '../rendered.ts'
import { pageOf, type Query } from '../search.ts'
import { dictionariesFor, loadedFor } from './dictionary.ts'
import { isShort, type Rows, type ShortForm, shortForm, TOGETHER } from './form.ts'

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
  const rows = (columns: readonly string[]) => pageOf(query, options, marked, columns)
  const over = (page: (columns: readonly string[]) => Sql) => {
    const scope = scopeOfRows(lines, query.scope.model, page)
    return { scope, shortRows: shortForm(scope, reading) }
  }
  const { scope, shortRows } = over((columns) => sql`(${rows(columns)})`)
  if (!shortRows) return null
  const list = { counted, most: options.limit }
  // Rows of one source come in its order; those that something is joined to may not, and putting them in
  // order takes what columns save.
  if (scope.joins === 0)
    return listOf(shortRows, { ...list, order: sql``, from: scope.from(), owner: scope.id })
  if (!reading.tight && shortRows.needs.length === 0) return null
  const joined = over(
    (columns) => sql`(SELECT p.*, row_number() OVER () AS "page order" FROM (${rows(columns)}) AS p)`,
  )
  const order = sql` ORDER BY ${id(joined.scope.alias, 'page order')}`
  const source = { ...list, order, from: joined.scope.from(), owner: joined.scope.id }
  return joined.shortRows && listOf(joined.shortRows, source)
}

/** Records by ids, or by what stands for these, and how many there are. */
interface Named {
  readonly ids: Ids
  readonly most: number
}

/**
 * Records by ids, in any order and in a form, and how many of them a rule hides. PostgreSQL looks for all ids
 * at once where it need not know their order, and for each by itself where it has to.
 */
export function shortByIds(
  env: Environment,
  model: ModelDef,
  { ids, most }: Named,
  form: (scope: Scope) => ShortForm | null,
): Short | null {
  const scope = scopeOver(env, model)
  const shortForm = form(scope)
  if (!shortForm) return null
  const rule = ruleOf(scope, model, 'read')
  const counted = rule ? sql`count(*) FILTER (WHERE NOT ${rule})::int` : raw('0')
  const from = sql`${scope.from()} WHERE ${scope.id} = ANY(${idList(ids)})`
  return listOf(shortForm, { from, owner: scope.id, order: sql``, counted, most })
}

/** The part of a shape that follows from the number of ids. */
export const sizeShape = (ids: readonly unknown[]): string =>
  isShort(ids.length) ? (ids.length >= TOGETHER ? 'together' : 'short') : 'long'

/** The rows of a list, an order if they do not come in it, and how many there are at most. */
interface Source {
  readonly from: Sql
  readonly owner: Sql
  readonly order: Sql
  readonly counted: Sql | null
  readonly most: number
}

function listOf(shortForm: ShortForm, { from, owner, order, counted, most }: Source): Short {
  const together = most >= TOGETHER
  const columns = shortForm.columns.map((one) => (together || !one.links ? one : { ...one, links: null }))
  const versions = join(
    shortForm.needs.map(({ version }) => sql`, ${version}`),
    '',
  )
  const total = counted ?? raw('NULL')
  const agg = (value: Sql) => sql`json_agg(${value}${order})::text`
  const rest = { short: { ...shortForm, columns }, slow: [], bare: [] } as const
  if (!columns.some(({ links }) => links)) {
    const lists = join(columns.map(({ value }) => agg(value)))
    return { statement: sql`SELECT ${lists}, ${total}${versions} FROM ${from}`, rest }
  }
  const aggregates = columns.flatMap(({ value, links }, i) =>
    links ? [] : sql`${agg(value)} AS ${id(`c${i}`)}`,
  )
  const all = columns.flatMap(({ links }, i) => (links ? [`k${i}.owners`, `k${i}.targets`] : `p.c${i}`))
  const beside = columns.flatMap(({ links }, i) =>
    links
      ? sql` CROSS JOIN LATERAL (${linksOfAll(sql`p.ids`, links)}) AS ${raw(`k${i}`)}(owners, targets)`
      : [],
  )
  const page = sql`SELECT ${join(aggregates)}, ${total} AS counted, array_agg(${owner}) AS ids FROM ${from}`
  const statement = sql`SELECT ${raw(all.join())}, p.counted${versions} FROM (${page}) AS p${join(beside, '')}`
  return { statement, rest }
}

/**
 * A short list, and what was counted with it; null where it must be planned anew. `ids`: those of a list of
 * records by ids, whose order it has. `sole`: nothing else is read, so that it needs no transaction where all
 * dictionaries are known.
 */
export async function shortJson(
  env: Environment,
  statement: Statement,
  { columns, needs, write }: ShortForm,
  ids: Ids | null,
  sole: boolean,
): Promise<{ readonly answer: Listed; readonly counted: number | null } | null> {
  const [row = []] = await env.unit.run(statement, sole)
  const dictionaries = dictionariesFor(env, needs, row)
  const current = dictionaries ? { row, dictionaries } : await loadedFor(env, statement, needs, row)
  if (!current) return null
  const rows = rowsIn(columns, current.row, ids)
  const counted = current.row[rows.width] as number | null
  return { answer: new Listed(write(rows, current.dictionaries), rows.places.length), counted }
}

/** Rows as they came, in the order of ids if there are some, and how many columns of the row they took. */
function rowsIn(of: ShortForm['columns'], row: Row, ids: Ids | null): Rows & { readonly width: number } {
  const columns: (readonly unknown[])[] = []
  let width = 0
  for (const { isText, links } of of) {
    // Of no rows PostgreSQL makes no list.
    const list = (row[width++] as string | null) ?? '[]'
    if (isText) columns.push(textsIn(list))
    else if (!links) columns.push(JSON.parse(list) as unknown[])
    else columns.push(linkedTo(columns[0] ?? [], list, (row[width++] as string | null) ?? '[]'))
  }
  const rowIds = columns[0] ?? []
  const places: number[] = []
  for (const rowId of ids ?? rowIds) {
    // Mostly they are found in the order in which they are named.
    if (rowIds[places.length] !== rowId) return { columns, places: placesOf(ids ?? [], rowIds), width }
    places.push(places.length)
  }
  return { columns, places, width }
}

function placesOf(ids: Ids, rowIds: readonly unknown[]): number[] {
  const placeOf = new Map(rowIds.map((one, n) => [one, n]))
  return ids.flatMap((one) => placeOf.get(one) ?? [])
}

/** The links of all records that a list of ids names: one row, a list of owners and one of targets. */
const linksOfAll = (owners: Sql, { table, column, other }: LinkTable): Sql =>
  sql`SELECT json_agg(k.${id(column)})::text, json_agg(k.${id(other)})::text FROM ${id(table)} k WHERE k.${id(column)} = ANY(${owners})`

/** Targets of each of `ids`, from lists of owners and targets as JSON, mostly sorted by owner. */
function linkedTo(ids: readonly unknown[], ownersJson: string, targetsJson: string): number[][] {
  const owners = JSON.parse(ownersJson) as readonly number[]
  const targets = JSON.parse(targetsJson) as readonly number[]
  const lists = new Map<unknown, number[]>()
  let [last, list]: [unknown, number[]] = [null, []]
  for (let i = 0; i < targets.length; i++) {
    const owner = owners[i]
    if (owner !== last) {
      last = owner
      list = lists.get(owner) ?? []
      if (list.length === 0) lists.set(owner, list)
    }
    list.push(targets[i] ?? 0)
  }
  return ids.map((one) => lists.get(one) ?? [])
}
