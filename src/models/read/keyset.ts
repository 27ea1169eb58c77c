// Keyset pages: the rows after the last row of the previous page. Late pages are as fast as early ones
// if an index has the first value of the order.
import { InvalidValue, UnprocessableEntity } from '../../errors.ts'
import { fromBase64url } from '../../kit/base64url.ts'
import { canonical } from '../../kit/canonical.ts'
import { isDate, isMoment } from '../../kit/dates.ts'
import { sha256 } from '../../kit/sha256.ts'
import { flawOf } from '../../kit/text.ts'
import { FALSE, join, limited, raw, type Sql, sql } from '../../sql/index.ts'
import type { Environment, PageRequest, Preferences } from '../language/environment.ts'
import type { SearchOptions } from '../language/records.ts'
import { type OrderTerm, orderTerms } from '../row/order.ts'
import { fieldsShape, planned, type Values } from '../row/plans.ts'
import { scopeOver } from '../row/scope.ts'
import type { Question, RowSearch } from './rendered.ts'
import { countOf, type Query, searchPlan } from './search.ts'
import { formShape, type Left, select } from './selection.ts'
import { withValues } from './shapes.ts'

/** Rows of a page where none are said, and at most. */
const [USUAL, MOST] = [80, 2000]

/** `tell` receives where the page ended. */
export interface Paging extends Pick<Preferences, 'tell'> {
  readonly page: PageRequest
}

export interface Page {
  readonly limit: number
  readonly isFirst: boolean
  /** The source of its rows: `id`, `ord` from 1 on, and `place`; one row more than the page has. */
  rows(query: Query, marked: boolean): Sql
  /** The shape of `rows`, in addition to that of its query. */
  readonly shape: string
  values(values: Values | null): Values | null
}

/**
 * Judges window and cursor. Throws InvalidValue for an offset, UnprocessableEntity for more rows than a page
 * has, an order that cannot be sought in, and a cursor of another query.
 */
export function keysetPageOf(env: Environment, question: Question, request: PageRequest): Page {
  const { options } = question
  if (options.offset) throw new InvalidValue('Cursor paging does not support offset.')
  const limit = options.limit || USUAL
  if (limit > MOST)
    throw new UnprocessableEntity(`A page by cursor may have at most ${MOST} rows.`, { code: 'too_many' })
  const terms = termsOf(env, question)
  if (terms.some(({ type }) => type === null)) throw notSeekable('its values cannot be ordered')
  const place =
    request.cursor === null ? null : placeIn(request.cursor, textOf(env, question, request), terms)
  return {
    limit,
    isFirst: place === null,
    rows: (query, marked) => rowsAfter(query, options, limit, place && marked ? marksOf(place) : place),
    shape: `keyset ${JSON.stringify(options.order ?? null)} ${limit} ${place?.map((value) => (value === null ? 0 : 1)).join('')}`,
    values: (values) => {
      if (!values || !place) return values
      const marks = marksOf(place)
      return withValues(
        values,
        ...place.flatMap((value, i) => (value === null ? [] : [[value, marks[i]] as const])),
      )
    },
  }
}

function termsOf(env: Environment, { model, options }: Question): OrderTerm[] {
  try {
    return orderTerms(scopeOver(env, model), options.order || null, { ruled: true })
  } catch (error) {
    if (error instanceof InvalidValue && error.code === 'invalid_value' && error.about.field !== undefined)
      throw notSeekable(`SQL cannot sort by ${error.about.field.slice(0, 100)}`)
    throw error
  }
}

const marksOf = (place: Place): Place =>
  place.map((value, i) => (value === null ? null : `\u2063place${i}\u2063`))

function textOf(env: Environment, { model, domain, options }: Question, { database }: PageRequest): string {
  const order = options.order?.trim() || model.order
  return canonical([
    database,
    model.name,
    domain || [],
    order,
    env.activeTest,
    env.lang,
    [...env.companyIds],
    env.tz,
  ])
}

export function reportNextPage(
  env: Environment,
  question: Question,
  { page, tell }: Paging,
  last: string | null,
): void {
  tell('preference-applied', 'paging=keyset')
  if (last !== null) tell('next-cursor', cursorOf(textOf(env, question, page), last))
}

function rowsAfter(
  { scope, where }: Query,
  { order = null }: SearchOptions,
  limit: number,
  place: Place | null,
): Sql {
  const terms = orderTerms(scope, order || null, { ruled: true })
  // As text only for the rows of the page: PostgreSQL computes the columns next to an order for every
  // row that it sorts.
  const values = join(terms.map(({ value }, i) => sql`${value} AS ${raw(`o${i}`)}`))
  const texts = raw(terms.map((_, i) => `b.o${i}::text`).join())
  const by = join(terms.map((term) => term.sql))
  const from = scope.from()
  const branches = (place ? conditionsAfter(terms, place) : [null]).map((condition) => {
    const beyond = condition ? sql` AND ${condition}` : sql``
    return sql`(SELECT ${scope.id} AS id, ${values} FROM ${from} WHERE ${where}${beyond} ORDER BY ${by}${limited(limit + 1)})`
  })
  return sql`SELECT b.id, to_json(ARRAY[${texts}])::text AS place, row_number() OVER () AS ord FROM (${join(branches, ' UNION ALL ')}${branches.length > 1 ? limited(limit + 1) : sql``}) AS b`
}

/**
 * Conditions on rows after a place, in the order of the rows that satisfy them. The first value has a
 * condition of its own, for its index; rows without that value are searched separately.
 */
function conditionsAfter(terms: readonly OrderTerm[], place: Place): Sql[] {
  const [first, ...rest] = terms as [OrderTerm, ...OrderTerm[]]
  const [value = null, ...values] = place
  const { value: expression, descending, nullsFirst, nullable } = first
  const later = rest.length ? beyond(rest, values) : FALSE
  if (value === null) {
    const same = sql`(${expression} IS NULL AND ${later})`
    return nullsFirst ? [same, sql`${expression} IS NOT NULL`] : [same]
  }
  const bound = cast(first, value)
  const reach = sql`(${expression} ${raw(descending ? '<=' : '>=')} ${bound} AND ${further(first, bound, later)})`
  return nullable && !nullsFirst ? [reach, sql`${expression} IS NULL`] : [reach]
}

/** A parameter of the value's own type: a text would be read as one anew for every row that is compared. */
const cast = ({ type }: OrderTerm, value: string): Sql => sql`${value}::${raw(type ?? 'text')}`

const further = ({ value, descending }: OrderTerm, given: Sql, later: Sql): Sql =>
  sql`(${value} ${raw(descending ? '<' : '>')} ${given} OR (${value} = ${given} AND ${later}))`

/** Rows after a place, by the remaining terms. */
function beyond([first, ...rest]: readonly OrderTerm[], [value = null, ...values]: Place): Sql {
  if (!first) return FALSE
  const later = rest.length ? beyond(rest, values) : FALSE
  if (value === null) {
    const same = sql`(${first.value} IS NULL AND ${later})`
    return first.nullsFirst ? sql`(${first.value} IS NOT NULL OR ${same})` : same
  }
  const more = further(first, cast(first, value), later)
  return first.nullable && !first.nullsFirst ? sql`(${first.value} IS NULL OR ${more})` : more
}

export async function searchPageIds(env: Environment, question: Question, paging: Paging): Promise<number[]> {
  const page = keysetPageOf(env, question, paging.page)
  const plan = await searchPlan(env, question.model, question.tree, page)
  const shape = plan.shape && `search ${plan.shape} ${page.shape}`
  const { statement } = planned(env, shape, page.values(plan.values), (marked) => ({
    statement: sql`WITH p AS MATERIALIZED (${page.rows(plan.compile(marked), marked)})
      SELECT ARRAY(SELECT id FROM p WHERE ord <= ${raw(String(page.limit))} ORDER BY ord), ${lastOf(page)}`,
    rest: null,
  }))
  const [[ids, last] = [[], null]] = (await env.unit.run(statement, true)) as [number[], string | null][]
  reportNextPage(env, question, paging, last)
  return ids
}

interface PageRows extends Left {
  readonly json: string
  readonly total: number | null
}

/** The rows of a page in one statement, and the total of the domain if there may be other rows. */
export async function pageRows(
  { env, lines, question, reading: { fields, form, counting } }: RowSearch,
  paging: Paging,
): Promise<PageRows> {
  const page = keysetPageOf(env, question, paging.page)
  const plan = await searchPlan(env, question.model, question.tree, page)
  const shape =
    plan.shape &&
    `page ${plan.shape} ${page.shape} ${fieldsShape(fields)} ${formShape(form)} ${JSON.stringify(counting ?? null)}`
  const { statement, rest } = planned(env, shape, page.values(plan.values), (marked) => {
    const inside = scopeOver(lines, question.model)
    const { columns, ...left } = select(inside, fields, form)
    const from = sql`${inside.from(sql`p AS u`)} CROSS JOIN LATERAL (SELECT ${columns}) AS j`
    const others = page.isFirst ? sql`(SELECT count(*) FROM p) > ${raw(String(page.limit))}` : raw('TRUE')
    const total = counting
      ? sql`CASE WHEN ${others} THEN (${countOf(plan.compile(marked), counting.limit)}) ELSE count(*)::int END`
      : sql`NULL::int`
    return {
      statement: sql`WITH p AS MATERIALIZED (${page.rows(plan.compile(marked), marked)})
        SELECT COALESCE(json_agg(j ORDER BY u.ord), '[]')::text, ${lastOf(page)}, ${total} FROM ${from} WHERE u.ord <= ${raw(String(page.limit))}`,
      rest: left,
    }
  })
  const { slow, bare } = rest
  const [row] = await env.unit.run(statement, slow.length === 0 && bare.length === 0)
  const [json, last, total] = row as [string, string | null, number | null]
  reportNextPage(env, question, paging, last)
  return { json, total, slow, bare }
}

const lastOf = ({ limit }: Page): Sql =>
  sql`(SELECT place FROM p WHERE ord = ${raw(String(limit))} AND EXISTS (SELECT FROM p WHERE ord > ${raw(String(limit))}))`

// Cursors of keyset pages: where a page ended, bound to the question that it answers. They bear no right.

/** The values that a row's place in an order follows from, as PostgreSQL writes them; null where unset. */
export type Place = readonly (string | null)[]

const VERSION = 'k1.'
const SUM = 16
const LONGEST = 6000

const sumOf = (question: string, place: string): Buffer => sha256(`${question}\n${place}`).subarray(0, SUM)

/** Throws UnprocessableEntity if its values are too long. */
export function cursorOf(question: string, place: string): string {
  const cursor = VERSION + Buffer.concat([sumOf(question, place), Buffer.from(place)]).toString('base64url')
  if (cursor.length > LONGEST) throw notSeekable('its values are too long')
  return cursor
}

export const notSeekable = (reason: string) =>
  new UnprocessableEntity(`Cursor paging does not support this order: ${reason}.`, {
    code: 'order_not_seekable',
  })

/** Throws UnprocessableEntity for a cursor of another query, or an invalid one. */
export function placeIn(cursor: string, question: string, terms: readonly OrderTerm[]): Place {
  const bytes = cursor.startsWith(VERSION) ? fromBase64url(cursor.slice(VERSION.length)) : null
  const text = bytes?.subarray(SUM).toString() ?? ''
  if (!bytes?.subarray(0, SUM).equals(sumOf(question, text))) throw mismatch()
  const place = parsed(text)
  if (place?.length !== terms.length || !terms.every((term, i) => fits(term, place[i]))) throw mismatch()
  return place as Place
}

const mismatch = () =>
  new UnprocessableEntity('The cursor is invalid, or belongs to another query.', { code: 'cursor_mismatch' })

function parsed(text: string): unknown[] | null {
  try {
    const place: unknown = JSON.parse(text)
    return Array.isArray(place) ? place : null
  } catch {
    return null
  }
}

const INT4 = 2 ** 31

/** By type, whether PostgreSQL reads a text as a value of it. */
const readable: Readonly<Record<string, (text: string) => boolean>> = {
  int4: (text) => /^-?\d{1,10}$/.test(text) && Number(text) >= -INT4 && Number(text) < INT4,
  numeric: (text) => /^(?:-?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?|NaN|-?Infinity)$/.test(text),
  float8: (text) =>
    /^-?\d+(?:\.\d+)?(?:e[+-]?\d{1,3})?$/.test(text)
      ? Number.isFinite(Number(text))
      : /^(?:NaN|-?Infinity)$/.test(text),
  bool: (text) => text === 'true' || text === 'false',
  date: isDate,
  timestamp: (text) => /^.{19}(?:\.\d{1,6})?$/.test(text) && isMoment(text.slice(0, 19)),
  'time(0)': (text) => /^([01]\d|2[0-4]):[0-5]\d:[0-5]\d$/.test(text),
  text: (text) => !flawOf(text),
}

function fits({ type, nullable }: OrderTerm, value: unknown): boolean {
  if (value === null) return nullable
  return typeof value === 'string' && type !== null && (readable[type]?.(value) ?? false)
}
