// Searching and reading at once, in one statement where every field has an SQL form: `search_read`, and pages
// with relations expanded.
import { only } from '../../kit/present.ts'
import { raw, sql } from '../../sql/index.ts'
import type { Environment } from '../language/environment.ts'
import type { SearchOptions } from '../language/records.ts'
import { fieldsShape, type Planned, planned, type Values } from '../row/plans.ts'
import { type Answer, finish, plainObjects } from './answer.ts'
import type { Paging } from './keyset.ts'
import { pageRows } from './keyset-rows.ts'
import { Lately } from './lately.ts'
import { wholeRows } from './long-answer.ts'
import type { CountedReading, Question, Reading, SearchedPage } from './question.ts'
import { inPieces, readObjects } from './read.ts'
import { Listed } from './rendered.ts'
import { long, type Rest, rowsOf } from './rows.ts'
import {
  countOf,
  countRecords,
  type SearchPlan,
  searchIds,
  searchPlan,
  windowShape,
  windowValues,
} from './search.ts'
import { formShape } from './selection.ts'
import { largeOnes } from './short/dictionary.ts'
import { shortWindow, written } from './short/statements.ts'

/** Facts that follow from the shape of a search, and were found with its plan. */
export interface SearchRest extends Rest {
  /** Rows up to which its answer is whole; null where there cannot be more. */
  readonly whole: number | null
}

/** Whether there may be more rows than are read at once. */
const mayBeMany = ({ limit }: SearchOptions, whole: number): boolean => !limit || limit > whole

/** A window that is read at once: of many rows one more than that. */
const atOnce = (options: SearchOptions, whole: number): SearchOptions =>
  mayBeMany(options, whole) ? { ...options, limit: whole + 1 } : options

/**
 * `search_read`. Found in `env`, read in `lines`, which may hide archived lines where `env` does not. A
 * LongAnswer only where it may be one.
 */
export async function searchRows(
  env: Environment,
  lines: Environment,
  question: Question,
  reading: Reading,
  mayBeLong: boolean,
): Promise<Answer> {
  const { model, tree, options, asked } = question
  const whole = wholeRows(env, reading.fields)
  const [many, window] = [mayBeMany(options, whole), atOnce(options, whole)]
  const query = await searchPlan(env, model, tree, options)
  const shape = query.shape && `search_read ${query.shape} ${shapeOf(reading, window)} ${many}`
  const values = windowValues(query.values, options)
  const bound = { whole: many ? whole : null }
  const make = (marked: boolean) => {
    const short = shortWindow(lines, query.compile(marked), reading, window, marked)
    if (short) return { ...short, rest: { ...short.rest, ...bound } }
    const { row, from, order, slow } = rowsOf(lines, query.compile(marked), reading, window, marked)
    const counted = many ? sql`, count(*)::int` : sql``
    const by = order ? sql` ORDER BY ${order}` : sql``
    return {
      statement: sql`SELECT COALESCE(json_agg(${row}${by}), '[]')::text${counted} FROM ${from}`,
      rest: { short: null, slow, bare: [], ...bound },
    }
  }
  const { statement, rest, key } = planned<SearchRest>(env, shape, values, make, asked)
  const lately = new Lately(many ? key : null, values?.real ?? [])
  if (lately.wereMany) return moreRows(env, lines, question, reading, mayBeLong ? query : null)
  if (rest.short) {
    const list = await written(env, statement, rest.short, null, true)
    return list ? list.answer : searchRows(env, lines, question, reading, mayBeLong)
  }
  const found = await env.unit.run<[string, number]>(statement, rest.slow.length === 0)
  const isMany = many && only(found)[1] > whole
  lately.note(isMany)
  if (isMany) return moreRows(env, lines, question, reading, mayBeLong ? query : null)
  const [json, count] = only(found)
  return finish(lines, json, rest.slow, reading.form, many ? count : null)
}

/** As `searchRows`, of what is known to be more rows than are read at once. */
export async function searchMany(
  env: Environment,
  lines: Environment,
  question: Question,
  reading: Reading,
  mayBeLong: boolean,
): Promise<Answer> {
  const query = mayBeLong ? await searchPlan(env, question.model, question.tree) : null
  return moreRows(env, lines, question, reading, query)
}

/** More rows than are read at once: one by one by a query, where the answer may be long, or in pieces. */
async function moreRows(
  env: Environment,
  lines: Environment,
  { model, tree, options }: Question,
  reading: Reading,
  query: SearchPlan | null,
): Promise<Answer> {
  return query
    ? long(lines, rowsOf(lines, query.compile(), reading, options), reading)
    : inPieces(lines, model, await searchIds(env, model, tree, options), reading)
}

/** All of what is read in a window that the text of a statement follows from. */
const shapeOf = ({ fields, form, tight }: Reading, window: SearchOptions): string =>
  `${fieldsShape(fields)} ${windowShape(window)} ${formShape(form)} ${tight} ${largeOnes()}`

/** `search_read`, a page of it that begins behind a row. */
export async function searchPageRows(
  env: Environment,
  lines: Environment,
  question: Question,
  reading: Reading,
  paging: Paging,
): Promise<Answer> {
  const { json, slow } = await pageRows(env, lines, question, reading, paging)
  return finish(lines, json, slow, reading.form)
}

/** As `searchPage`, of a page that begins behind a row. */
export async function searchKeysetPage(
  env: Environment,
  question: Question,
  reading: CountedReading,
  paging: Paging,
): Promise<SearchedPage> {
  const { json, slow, bare, total } = await pageRows(env, env, question, reading, paging)
  const answer = await finish(env, json, slow, reading.form)
  return { rows: shownRows(env, plainObjects(answer), reading), total, bare }
}

/**
 * A page of what a domain finds, relations expanded where PostgreSQL can do that, and how many records there
 * are in all if they were counted.
 */
export async function searchPage(
  env: Environment,
  question: Question,
  reading: CountedReading,
): Promise<SearchedPage> {
  const { options } = question
  const { statement, rest, key, values } = await pagePlan(env, question, reading)
  const many = mayBeMany(options, wholeRows(env, reading.fields))
  const lately = new Lately(many ? key : null, values?.real ?? [])
  if (lately.wereMany) return manyRows(env, question, reading)
  if (rest.short) {
    const list = await written(env, statement, rest.short, null, true)
    if (!list) return searchPage(env, question, reading)
    return { rows: shownRows(env, list.answer, reading), total: list.counted, bare: [] }
  }
  const { slow, bare } = rest
  const found = only(
    await env.unit.run<[string, number | null, number]>(statement, slow.length === 0 && bare.length === 0),
  )
  const isMany = many && found[2] > wholeRows(env, reading.fields)
  lately.note(isMany)
  if (isMany) return manyRows(env, question, reading)
  const answer = await finish(env, found[0], slow, reading.form)
  return { rows: shownRows(env, plainObjects(answer), reading), total: found[1], bare }
}

/** What a page is known by, and its statement. */
async function pagePlan(
  env: Environment,
  { model, tree, options, asked }: Question,
  reading: CountedReading,
): Promise<Planned<Rest> & { readonly values: Values | null }> {
  const window = atOnce(options, wholeRows(env, reading.fields))
  const { always, limit } = reading.counting
  const query = await searchPlan(env, model, tree, options)
  const shape =
    query.shape &&
    `search_page ${query.shape} ${shapeOf(reading, window)} ${always} ${JSON.stringify(limit)} ${options.limit}`
  const values = windowValues(query.values, options)
  const make = (marked: boolean) => {
    // PostgreSQL counts only where it comes to that.
    const total = countOf(query.compile(marked), limit)
    const full = always ? sql`count(*) > 0` : sql`count(*) = ${raw(String(options.limit || -1))}`
    const counted = sql`CASE WHEN ${full} THEN (${total}) END`
    const short = shortWindow(env, query.compile(marked), reading, window, marked, counted)
    if (short) return short
    const { row, from, order, slow, bare } = rowsOf(env, query.compile(marked), reading, window, marked)
    const by = order ? sql` ORDER BY ${order}` : sql``
    return {
      statement: sql`SELECT COALESCE(json_agg(${row}${by}), '[]')::text, ${counted}, count(*)::int FROM ${from}`,
      rest: { short: null, slow, bare },
    }
  }
  return { ...planned<Rest>(env, shape, values, make, asked), values }
}

/** A page of more rows than are read at once. */
async function manyRows(
  env: Environment,
  { model, tree, options }: Question,
  { counting, ...reading }: CountedReading,
): Promise<SearchedPage> {
  const ids = await searchIds(env, model, tree, options)
  const { rows, bare } = await readObjects(env, model, ids, reading)
  const full = counting.always || ids.length === options.limit
  return { rows, total: full ? await countRecords(env, model, tree, counting.limit) : null, bare }
}

/** Rows, counted for the bound on what an answer shows. */
function shownRows<R extends SearchedPage['rows']>(env: Environment, rows: R, { fields }: Reading): R {
  env.unit.shown.add((rows instanceof Listed ? rows.count : rows.length) * (fields.length + 1))
  return rows
}
