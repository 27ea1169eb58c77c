// Searching and reading in one statement where every field has an SQL form: `search_read`, and pages with
// relations expanded.
import { only } from '../../kit/present.ts'
import { raw, sql } from '../../sql/index.ts'
import type { Environment } from '../language/environment.ts'
import type { SearchOptions } from '../language/records.ts'
import { fieldsShape, type Planned, planned, type RequestKey } from '../row/plans.ts'
import { type Paging, pageRows } from './keyset.ts'
import { ResultSize, wholeRows } from './long-answer.ts'
import { inPieces, readObjects } from './read.ts'
import { Listed, type PageSearch, type RowSearch, type SearchedPage } from './rendered.ts'
import { type Answer, finish, long, plainObjects, type Rest, rowsOf } from './rows.ts'
import { countOf, countRecords, searchIds, searchPlan, windowShape, windowValues } from './search.ts'
import { formShape } from './selection.ts'
import { largeTableCount } from './short/dictionary.ts'
import { shortJson, shortWindow } from './short/statements.ts'

export interface SearchRest extends Rest {
  /** The most rows that are read at once; null where there cannot be more. */
  readonly whole: number | null
}

/**
 * The statement of a search, cached for `request`: the rows as JSON; with them, where the total is counted or
 * where there may be more rows than are read at once, the total and the number of rows. Of more rows than are
 * read at once, it reads one more.
 */
export async function rowsPlan(
  { env, lines, question, reading }: RowSearch,
  request: RequestKey | null,
): Promise<Planned<SearchRest>> {
  const { model, tree, options } = question
  const { fields, form, tight, counting } = reading
  const most = wholeRows(env, fields)
  const whole = !options.limit || options.limit > most ? most : null
  const window: SearchOptions = whole === null ? options : { ...options, limit: whole + 1 }
  const query = await searchPlan(env, model, tree, options)
  const shape =
    query.shape &&
    `search_read ${query.shape} ${fieldsShape(fields)} ${windowShape(window)} ${formShape(form)} ${tight} ${largeTableCount()} ${whole} ${JSON.stringify(counting ?? null)} ${options.limit}`
  const make = (marked: boolean) => {
    // PostgreSQL counts only the records of a full page.
    const full = counting?.always ? sql`count(*) > 0` : sql`count(*) = ${raw(String(options.limit || -1))}`
    const total =
      counting && sql`CASE WHEN ${full} THEN (${countOf(query.compile(marked), counting.limit)}) END`
    const short = shortWindow(lines, query.compile(marked), reading, window, marked, total)
    if (short) return { ...short, rest: { ...short.rest, whole } }
    const { row, from, order, slow, bare } = rowsOf(lines, query.compile(marked), reading, window, marked)
    const by = order ? sql` ORDER BY ${order}` : sql``
    const counts = total || whole !== null ? sql`, ${total ?? raw('NULL')}, count(*)::int` : sql``
    return {
      statement: sql`SELECT COALESCE(json_agg(${row}${by}), '[]')::text${counts} FROM ${from}`,
      rest: { short: null, slow, bare, whole },
    }
  }
  // The reach of a shortened window is not that of the request, whose key other offsets have too.
  const isOfRequest = window === options || !options.offset
  return planned<SearchRest>(
    env,
    shape,
    windowValues(query.values, options),
    make,
    isOfRequest ? request : null,
  )
}

/** Rows of a large search: one by one where the answer may be long, or in pieces. */
export async function manyRows(
  { env, lines, question, reading }: RowSearch,
  mayBeLong: boolean,
): Promise<Answer> {
  const { model, tree, options } = question
  if (!mayBeLong) return inPieces(lines, model, await searchIds(env, model, tree, options), reading)
  const query = await searchPlan(env, model, tree)
  return long(lines, rowsOf(lines, query.compile(), reading, options), reading)
}

export async function searchPageRows(search: RowSearch, paging: Paging): Promise<Answer> {
  const { json, slow } = await pageRows(search, paging)
  return finish(search.lines, json, slow, search.reading.form)
}

export async function searchKeysetPage(search: PageSearch, paging: Paging): Promise<SearchedPage> {
  const { env, reading } = search
  const { json, slow, bare, total } = await pageRows(search, paging)
  const answer = await finish(env, json, slow, reading.form)
  return { rows: shownRows(env, plainObjects(answer), reading.fields.length + 1), total, bare }
}

/**
 * A page of what a domain finds, relations expanded where PostgreSQL can do that, and how many records there
 * are in all if they were counted. `plan`: the cached plan of `request`; without it, one is composed and
 * cached.
 */
export async function searchPage(
  env: Environment,
  request: RequestKey | null,
  search: () => PageSearch,
  plan: Planned<SearchRest> | null,
): Promise<SearchedPage> {
  const { statement, rest, values } = plan ?? (await rowsPlan(search(), request))
  const { short, slow, bare, whole } = rest
  const size = whole === null ? null : new ResultSize(rest, values)
  if (size?.isLarge) return manyObjects(search())
  if (short) {
    const list = await shortJson(env, statement, short, null, true)
    if (!list) return searchPage(env, request, search, null)
    return { rows: shownRows(env, list.answer, short.width), total: list.counted, bare: [] }
  }
  const isLast = slow.length === 0 && bare.length === 0
  const [json, total, count] = only(await env.unit.run<[string, number | null, number]>(statement, isLast))
  const isLarge = whole !== null && count > whole
  size?.note(isLarge)
  if (isLarge) return manyObjects(search())
  const { form, fields } = search().reading
  const answer = await finish(env, json, slow, form)
  return { rows: shownRows(env, plainObjects(answer), fields.length + 1), total, bare }
}

async function manyObjects({ env, question, reading }: PageSearch): Promise<SearchedPage> {
  const { model, tree, options } = question
  const { counting, ...readingOnly } = reading
  const ids = await searchIds(env, model, tree, options)
  const { rows, bare } = await readObjects(env, model, ids, readingOnly)
  const full = counting.always || ids.length === options.limit
  return { rows, total: full ? await countRecords(env, model, tree, counting.limit) : null, bare }
}

/** Rows, counted for the bound on the values of an answer. */
function shownRows<R extends SearchedPage['rows']>(env: Environment, rows: R, width: number): R {
  env.unit.shown.add((rows instanceof Listed ? rows.count : rows.length) * width)
  return rows
}
