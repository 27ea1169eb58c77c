// Keyset pages: rows behind the one that the page before ended with, whatever their place. As quick at the
// end as at the beginning where an index has the order's first value.
import { InvalidValue, UnprocessableEntity } from '../../errors.ts'
import { canonical } from '../../kit/canonical.ts'
import { FALSE, join, limited, raw, type Sql, sql } from '../../sql/index.ts'
import type { Environment } from '../language/environment.ts'
import type { SearchOptions } from '../language/records.ts'
import type { PageWish, Wishes } from '../language/wishes.ts'
import { type OrderTerm, orderTerms } from '../row/order.ts'
import { planned, type Values } from '../row/plans.ts'
import { scopeOver } from '../row/scope.ts'
import { cursorOf, notSeekable, type Place, placeIn } from './cursor.ts'
import type { Question } from './question.ts'
import { type Query, searchPlan } from './search.ts'
import { withValues } from './shapes.ts'

/** Rows of a page where none are said, and at most. */
const [USUAL, MOST] = [80, 2000]

/** Which page it is, and who hears where it ended. */
export interface Paging extends Pick<Wishes, 'tell'> {
  readonly page: PageWish
}

/** A page that was asked for. */
export interface Page {
  readonly limit: number
  /** Whether it is the first. */
  readonly isFirst: boolean
  /** What its rows come from: `id`, `ord` from 1 on, and `place`; one row more than the page has. */
  rows(query: Query, marked: boolean): Sql
  /** The shape of `rows`, beside that of its query. */
  readonly shape: string
  values(values: Values | null): Values | null
}

/**
 * Judges window and cursor. Throws InvalidValue for an offset, UnprocessableEntity for more rows than a page
 * has, an order that cannot be sought in, and a cursor of another question.
 */
export function pageOf(env: Environment, question: Question, wish: PageWish): Page {
  const { options } = question
  if (options.offset) throw new InvalidValue('Pages by cursor take no offset.')
  const limit = options.limit || USUAL
  if (limit > MOST)
    throw new UnprocessableEntity(`A page by cursor has ${MOST} rows at most.`, { code: 'too_many' })
  const terms = termsOf(env, question)
  if (terms.some(({ type }) => type === null)) throw notSeekable('its values have no order of their own')
  const place = wish.cursor === null ? null : placeIn(wish.cursor, textOf(env, question, wish), terms)
  return {
    limit,
    isFirst: place === null,
    rows: (query, marked) => rowsBehind(query, options, limit, place && marked ? marksOf(place) : place),
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

/** What rows are put in order by. Throws UnprocessableEntity for what has no order in SQL. */
function termsOf(env: Environment, { model, options }: Question): OrderTerm[] {
  try {
    return orderTerms(scopeOver(env, model), options.order || null, { ruled: true })
  } catch (error) {
    if (error instanceof InvalidValue && error.code === 'invalid_value' && error.about.field !== undefined)
      throw notSeekable(`there is none by ${error.about.field.slice(0, 100)}`)
    throw error
  }
}

const marksOf = (place: Place): Place =>
  place.map((value, i) => (value === null ? null : `\u2063place${i}\u2063`))

/** What a cursor is bound to, as text. */
function textOf(env: Environment, { model, domain, options }: Question, { database }: PageWish): string {
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

/** Tells where the page ended, unless it was the last. */
export function tellNext(
  env: Environment,
  question: Question,
  { page, tell }: Paging,
  last: string | null,
): void {
  tell('preference-applied', 'paging=keyset')
  if (last !== null) tell('next-cursor', cursorOf(textOf(env, question, page), last))
}

/** `id`, `ord` and `place` of a page's rows and the next one. */
function rowsBehind(
  { scope, where }: Query,
  { order = null }: SearchOptions,
  limit: number,
  place: Place | null,
): Sql {
  const terms = orderTerms(scope, order || null, { ruled: true })
  // As text only of the rows of the page: PostgreSQL makes what stands beside an order of all that it sorts.
  const values = join(terms.map(({ value }, i) => sql`${value} AS ${raw(`o${i}`)}`))
  const texts = raw(terms.map((_, i) => `b.o${i}::text`).join())
  const by = join(terms.map((term) => term.sql))
  const from = scope.from()
  const branches = (place ? behind(terms, place) : [null]).map((condition) => {
    const beyond = condition ? sql` AND ${condition}` : sql``
    return sql`(SELECT ${scope.id} AS id, ${values} FROM ${from} WHERE ${where}${beyond} ORDER BY ${by}${limited(limit + 1)})`
  })
  return sql`SELECT b.id, to_json(ARRAY[${texts}])::text AS place, row_number() OVER () AS ord FROM (${join(branches, ' UNION ALL ')}${branches.length > 1 ? limited(limit + 1) : sql``}) AS b`
}

/**
 * Conditions on rows behind a place, in the order in which those that satisfy them come. The first value is
 * said once more by itself, for its index; rows without one are sought apart.
 */
function behind(terms: readonly OrderTerm[], place: Place): Sql[] {
  const [first, ...rest] = terms as [OrderTerm, ...OrderTerm[]]
  const [value = null, ...values] = place
  const { value: own, descending, nullsFirst, nullable } = first
  const later = rest.length ? beyond(rest, values) : FALSE
  if (value === null) {
    const same = sql`(${own} IS NULL AND ${later})`
    return nullsFirst ? [same, sql`${own} IS NOT NULL`] : [same]
  }
  const given = cast(first, value)
  const reach = sql`(${own} ${raw(descending ? '<=' : '>=')} ${given} AND ${further(first, given, later)})`
  return nullable && !nullsFirst ? [reach, sql`${own} IS NULL`] : [reach]
}

/** A parameter of the value's own type: a text would be read as one anew for every row that is compared. */
const cast = ({ type }: OrderTerm, value: string): Sql => sql`${value}::${raw(type ?? 'text')}`

const further = ({ value, descending }: OrderTerm, given: Sql, later: Sql): Sql =>
  sql`(${value} ${raw(descending ? '<' : '>')} ${given} OR (${value} = ${given} AND ${later}))`

/** Rows that come behind a place, by the terms from here on. */
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

/** `search`, a page of it. */
export async function searchPageIds(env: Environment, question: Question, paging: Paging): Promise<number[]> {
  const page = pageOf(env, question, paging.page)
  const plan = await searchPlan(env, question.model, question.tree, page)
  const shape = plan.shape && `search ${plan.shape} ${page.shape}`
  const { statement } = planned(env, shape, page.values(plan.values), (marked) => ({
    statement: sql`WITH p AS MATERIALIZED (${page.rows(plan.compile(marked), marked)})
      SELECT ARRAY(SELECT id FROM p WHERE ord <= ${raw(String(page.limit))} ORDER BY ord), ${lastOf(page)}`,
    rest: null,
  }))
  const [[ids, last] = [[], null]] = (await env.unit.run(statement, true)) as [number[], string | null][]
  tellNext(env, question, paging, last)
  return ids
}

/** The place of a page's last row, where there are rows behind it. */
export const lastOf = ({ limit }: Page): Sql =>
  sql`(SELECT place FROM p WHERE ord = ${raw(String(limit))} AND EXISTS (SELECT FROM p WHERE ord > ${raw(String(limit))}))`
