// Reading: rows in wire form. PostgreSQL renders the JSON; only fields without SQL form are filled in by
// code.

import { InvalidValue } from '../../errors.ts'
import { isNoObject } from '../../kit/nothing.ts'
import { Pace } from '../../kit/pace.ts'
import { shown } from '../../kit/text.ts'
import { assertWithin } from '../../limits.ts'
import type { Sql } from '../../sql/index.ts'
import { idList, raw, sql } from '../../sql/index.ts'
import { flush } from '../compute/recompute.ts'
import type { FieldDef, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { SearchOptions } from '../language/records.ts'
import type { Tree } from '../language/tree.ts'
import { binarySizes, bytesIn, sizeText, wantsSize } from '../load/binaries.ts'
import { loadFields } from '../load/load.ts'
import { assertModel, fieldNamed, hidden, mayField } from '../rights/judge.ts'
import { fieldsShape, planned } from '../row/plans.ts'
import { ruleOf } from '../row/rule.ts'
import { scopeOver } from '../row/scope.ts'
import type { Paging, Question } from './keyset.ts'
import { pageRows, type Reading } from './keyset-rows.ts'
import { LongAnswer, pieceRows, WHOLE_ROWS } from './long-answer.ts'
import type { WireRow } from './rendered.ts'
import { elementsOf, Rendered } from './rendered.ts'
import {
  countOf,
  countRecords,
  pageOf,
  type Query,
  searchIds,
  searchPlan,
  windowOf,
  windowShape,
  windowValues,
} from './search.ts'
import { type Form, formShape, select } from './selection.ts'
import { NO_VALUES, withValues } from './shapes.ts'
import { typedValues } from './typed.ts'
import { wireValues } from './wire-values.ts'

/** Fields by names from outside, each once, `id` left out; none named: every field the user may read. */
export function readableFields(env: Environment, model: ModelDef, names: unknown): FieldDef[] {
  if (isNoObject(names)) {
    return [...model.fields.values()].filter((f) => f.name !== 'id' && !f.options.hidden && mayField(env, f))
  }
  if (!Array.isArray(names))
    throw new InvalidValue(`fields must be a list of field names, not ${shown(names)}`)
  assertWithin('fields', names.length)
  const fields = new Set<FieldDef>()
  for (const name of names) fields.add(fieldNamed(env, model, name))
  return [...fields].filter((field) => field.name !== 'id')
}

/** What was read, in the form in which it is passed on. */
export type Answer = Rendered | WireRow[] | LongAnswer

/** Rows of a statement, one record of its columns each, and where they come from. */
interface Rows {
  /** The name of the record in `from`. */
  readonly row: Sql
  /** `FROM … ` that yields the rows in order, or in any order where `order` says which. */
  readonly from: Sql
  readonly order: Sql | null
  readonly slow: readonly FieldDef[]
  readonly bare: readonly FieldDef[]
}

/**
 * `search_read`: one statement when every field has an SQL form. Found in `env`, read in `lines`, which may
 * hide archived lines where `env` does not.
 * A LongAnswer only where it may be one.
 */
export async function searchRows(
  env: Environment,
  lines: Environment,
  model: ModelDef,
  domain: Tree,
  fields: readonly FieldDef[],
  form: Form,
  options: SearchOptions,
  mayBeLong: boolean,
): Promise<Answer> {
  const most = mayBeMany(options) ? WHOLE_ROWS + 1 : null
  const window = most ? { ...options, limit: most } : options
  const query = await searchPlan(env, model, domain)
  const shape =
    query.shape &&
    `search_read ${query.shape} ${fieldsShape(fields)} ${windowShape(window)} ${formShape(form)} ${most}`
  const { statement, rest: slow } = planned(env, shape, windowValues(query.values, options), (marked) => {
    const { row, from, order, slow } = rowsOf(lines, query.compile(marked), fields, form, window, marked)
    const counted = most ? sql`, count(*)::int` : sql``
    const by = order ? sql` ORDER BY ${order}` : sql``
    return {
      statement: sql`SELECT COALESCE(json_agg(${row}${by}), '[]')::text${counted} FROM ${from}`,
      rest: slow,
    }
  })
  const found = await env.unit.run(statement, slow.length === 0)
  if (most && (found[0]?.[1] as number) === most) {
    if (mayBeLong) return long(lines, rowsOf(lines, query.compile(), fields, form, options), fields, form)
    return inPieces(lines, model, await searchIds(env, model, domain, options), fields, form)
  }
  return finish(lines, found[0]?.[0] as string, slow, form)
}

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

/** Whether there may be more rows than are read at once. */
const mayBeMany = ({ limit }: SearchOptions): boolean => !limit || limit > WHOLE_ROWS

/**
 * When the records that a domain finds are counted: behind a full page, or whatever the page holds; up to a
 * limit, or all.
 */
export interface Counting {
  readonly always: boolean
  readonly limit: unknown
}

interface SearchedPage {
  readonly rows: WireRow[]
  readonly total: number | null
  readonly bare: readonly FieldDef[]
}

/** As `searchPage`, of a page that begins behind a row. */
export async function searchKeysetPage(
  env: Environment,
  question: Question,
  reading: Reading,
  paging: Paging,
): Promise<SearchedPage> {
  const { json, slow, bare, total } = await pageRows(env, env, question, reading, paging)
  const rows = plainObjects(await finish(env, json, slow, reading.form))
  env.unit.shown.add(rows.length * (reading.fields.length + 1))
  return { rows, total, bare }
}

/**
 * A page of what a domain finds, relations expanded where PostgreSQL can do that, and how many records there
 * are in all if they were counted.
 */
export async function searchPage(
  env: Environment,
  model: ModelDef,
  domain: Tree,
  fields: readonly FieldDef[],
  form: Form,
  options: SearchOptions,
  counting: Counting,
): Promise<SearchedPage> {
  const most = mayBeMany(options) ? WHOLE_ROWS + 1 : null
  const window = most ? { ...options, limit: most } : options
  const query = await searchPlan(env, model, domain)
  const shape =
    query.shape &&
    `search_page ${query.shape} ${fieldsShape(fields)} ${windowShape(window)} ${formShape(form)} ${counting.always} ${JSON.stringify(counting.limit)} ${options.limit}`
  const { statement, rest } = planned(env, shape, windowValues(query.values, options), (marked) => {
    const { row, from, order, slow, bare } = rowsOf(env, query.compile(marked), fields, form, window, marked)
    const by = order ? sql` ORDER BY ${order}` : sql``
    // PostgreSQL counts only where it comes to that.
    const total = countOf(query.compile(marked), counting.limit)
    const full = counting.always ? sql`count(*) > 0` : sql`count(*) = ${raw(String(options.limit || -1))}`
    const counted = sql`CASE WHEN ${full} THEN (${total}) END`
    return {
      statement: sql`SELECT COALESCE(json_agg(${row}${by}), '[]')::text, ${counted}, count(*)::int FROM ${from}`,
      rest: { slow, bare },
    }
  })
  const { slow, bare } = rest
  const [found] = await env.unit.run(statement, slow.length === 0 && bare.length === 0)
  if (most && found?.[2] === most) return manyRows(env, { model, domain, fields, form, options, counting })
  const rows = plainObjects(await finish(env, found?.[0] as string, slow, form))
  env.unit.shown.add(rows.length * (fields.length + 1))
  return { rows, total: found?.[1] as number | null, bare }
}

interface Page {
  readonly model: ModelDef
  readonly domain: Tree
  readonly fields: readonly FieldDef[]
  readonly form: Form
  readonly options: SearchOptions
  readonly counting: Counting
}

/** A page of more rows than are read at once. */
async function manyRows(
  env: Environment,
  { model, domain, fields, form, options, counting }: Page,
): Promise<SearchedPage> {
  const ids = await searchIds(env, model, domain, options)
  const { rows, bare } = await readObjects(env, model, ids, fields, form)
  const full = counting.always || ids.length === options.limit
  return { rows, total: full ? await countRecords(env, model, domain, counting.limit) : null, bare }
}

/** The same rows one by one. */
function long(
  env: Environment,
  { row, from, order, slow }: Rows,
  fields: readonly FieldDef[],
  form: Form,
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

/**
 * Rows of a query in a window. Behind an offset the page is chosen first, so that rows that are skipped are
 * not rendered.
 */
function rowsOf(
  lines: Environment,
  query: Query,
  fields: readonly FieldDef[],
  form: Form,
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

/**
 * `read`: rows in the order of `ids`, repeated ids repeated, records that are gone left out.
 * Throws AccessError when a rule hides one of them (spec/wire.md section 9), PayloadTooLarge for more than an
 * answer holds. A LongAnswer only where it may be one.
 */
export async function readRows(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  fields: readonly FieldDef[],
  form: Form,
  mayBeLong = false,
): Promise<Answer> {
  const distinct = new Set(ids)
  if (distinct.size < ids.length) return repeatedRows(env, model, ids, [...distinct], fields, form)
  if (ids.length <= WHOLE_ROWS) return (await readForm(env, model, ids, fields, form)).answer
  return mayBeLong ? longByIds(env, model, ids, fields, form) : inPieces(env, model, ids, fields, form)
}

/** Each record is read once, and shown as often as it was asked for. */
async function repeatedRows(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  distinct: readonly number[],
  fields: readonly FieldDef[],
  form: Form,
): Promise<Answer> {
  const times = new Map<number, number>()
  for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1)
  const timesOf = (some: readonly number[]) =>
    some.reduce((sum, id) => sum + (times.get(id) ?? 0), 0) / some.length
  const { json } = await inPieces(env, model, distinct, fields, form, timesOf)
  const texts = new Map(elementsOf(json).map((text) => [Number(/^\{"id":(\d+)/.exec(text)?.[1]), text]))
  return new Rendered(`[${ids.flatMap((id) => texts.get(id) ?? []).join(',')}]`)
}

/**
 * All rows as one text, of which PostgreSQL makes and code fills in few at a time; rows of `some` are shown
 * `timesOf` times on the average, and count as often before more are read.
 */
async function inPieces(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  fields: readonly FieldDef[],
  form: Form,
  timesOf: (some: readonly number[]) => number = () => 1,
): Promise<Rendered> {
  const texts: string[] = []
  await eachPiece(env, ids, fields, async (some) => {
    const { answer } = await readForm(env, model, some, fields, form, false)
    const text = (answer instanceof Rendered ? answer.json : JSON.stringify(answer)).slice(1, -1)
    env.unit.shown.addText(Math.ceil(text.length * timesOf(some)))
    if (text) texts.push(text)
    env.unit.cache.clear()
  })
  return new Rendered(`[${texts.join(',')}]`)
}

/**
 * As `readForm`, as objects, few records at a time. Throws PayloadTooLarge for more values than an answer
 * holds.
 */
export async function readObjects(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  fields: readonly FieldDef[],
  form: Form,
): Promise<{ readonly rows: WireRow[]; readonly bare: readonly FieldDef[] }> {
  const all: WireRow[] = []
  let given: readonly FieldDef[] = []
  await eachPiece(env, ids, fields, async (some, sole) => {
    const { answer, bare } = await readForm(env, model, some, fields, form, sole)
    const rows = plainObjects(answer)
    env.unit.shown.add(rows.length * (fields.length + 1))
    for (const row of rows) all.push(row)
    given = bare
  })
  return { rows: all, bare: given }
}

async function eachPiece(
  env: Environment,
  ids: readonly number[],
  fields: readonly FieldDef[],
  work: (some: readonly number[], sole: boolean) => Promise<void>,
): Promise<void> {
  const most =
    ids.length <= WHOLE_ROWS && fields.length * ids.length <= WHOLE_CELLS
      ? WHOLE_ROWS
      : pieceRows(env, fields)
  const pace = new Pace()
  for (let from = 0; from < ids.length; from += most) {
    await work(ids.slice(from, from + most), ids.length <= most)
    await pace.step()
  }
}

/** Values that are read in one go. */
const WHOLE_CELLS = 20_000

/**
 * Rows as PostgreSQL renders them, relations expanded where it can do that; `bare` are those that it cannot.
 * `sole`: nothing more is read.
 */
async function readForm(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  fields: readonly FieldDef[],
  form: Form,
  sole = true,
): Promise<{ readonly answer: Rendered | WireRow[]; readonly bare: readonly FieldDef[] }> {
  if (ids.length === 0) return { answer: [], bare: [] }
  assertModel(env, model, 'read')
  if (env.unit.pending.size) await flush(env)
  const { statement, rest } = planned(
    env,
    `read ${model.name} ${fieldsShape(fields)} ${formShape(form)}`,
    idsValues(ids),
    (marked) => {
      const { from, columns, slow, bare, hiddenOnes } = byIds(
        env,
        model,
        marked ? IDS_MARK : ids,
        fields,
        form,
      )
      return {
        statement: sql`SELECT COALESCE(json_agg(r ORDER BY u.ord), '[]')::text, ${hiddenOnes} FROM ${from} CROSS JOIN LATERAL (SELECT ${columns}) AS r`,
        rest: { slow, bare },
      }
    },
  )
  const { slow, bare } = rest
  const rows = await env.unit.run(statement, sole && slow.length === 0 && bare.length === 0)
  if ((rows[0]?.[1] as number) > 0) throw hidden(env, model, 'read')
  return { answer: await finish(env, rows[0]?.[0] as string, slow, form), bare }
}

/** Stands for the ids where a plan is made. */
const IDS_MARK = [1_999_999_998, 1_999_999_997]
const idsValues = (ids: readonly number[]) => withValues(NO_VALUES, [ids, IDS_MARK])

/** What `read` is made of: the rows of the ids, their columns, and how many a rule hides. */
function byIds(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  fields: readonly FieldDef[],
  form: Form,
) {
  const scope = scopeOver(env, model)
  const { columns, slow, bare } = select(scope, fields, form)
  const rule = ruleOf(scope, model, 'read')
  const hiddenOnes = rule ? sql`count(*) FILTER (WHERE NOT ${rule})::int` : sql`0`
  const from = sql`unnest(${idList(ids)}) WITH ORDINALITY AS u(id, ord) JOIN ${scope.from()} ON ${scope.id} = u.id`
  return { columns, slow, bare, rule, hiddenOnes, from }
}

/** Rules are judged for all before the first row goes out, and once more while they do. */
async function longByIds(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  fields: readonly FieldDef[],
  form: Form,
): Promise<Answer> {
  assertModel(env, model, 'read')
  if (env.unit.pending.size) await flush(env)
  const { columns, slow, rule, hiddenOnes, from } = byIds(env, model, ids, fields, form)
  const judged = rule ? await env.query(sql`SELECT ${hiddenOnes} FROM ${from}`) : []
  if ((judged[0]?.[0] as number) > 0) throw hidden(env, model, 'read')
  const seen = rule ? sql` WHERE ${rule}` : sql``
  return long(
    env,
    {
      row: raw('r'),
      from: sql`${from} CROSS JOIN LATERAL (SELECT ${columns}) AS r${seen}`,
      order: raw('u.ord'),
      slow,
      bare: [],
    },
    fields,
    form,
  )
}

/** Rows as objects. Asked for by code, which never gets them in pieces. */
export function plainObjects(answer: Answer): WireRow[] {
  if (answer instanceof LongAnswer) throw new Error('Code reads rows whole.')
  return answer instanceof Rendered ? (JSON.parse(answer.json) as WireRow[]) : answer
}

/**
 * Fills in what needs code. Values of fields are read with the user's environment: rules were judged by the
 * query.
 */
async function finish(
  env: Environment,
  json: string,
  slow: readonly FieldDef[],
  { named, typed }: Form,
): Promise<Rendered | WireRow[]> {
  if (slow.length === 0) return new Rendered(json)
  const rows = JSON.parse(json) as WireRow[]
  if (rows.length === 0) return rows
  const ids = [...new Set(rows.map((row) => row.id))]
  const { model } = slow[0] as FieldDef
  const present = env.unit.cache.of(model.fields.get('id') as FieldDef, '')
  for (const record of ids) present.set(record, record)
  const sized = slow.filter((field) => wantsSize(env, field))
  const { of } = await loadFields(
    env,
    model,
    ids,
    slow.filter((field) => !sized.includes(field)),
  )
  for (const field of sized) {
    const sizes = await sizesOf(env, field, ids)
    for (const row of rows)
      row[field.name] = typed ? sizeText(sizes.get(row.id)) || null : sizeText(sizes.get(row.id))
  }
  for (const field of slow) {
    if (sized.includes(field)) continue
    const values = of.get(field) as Map<number, unknown>
    const wire = typed
      ? await typedValues(env, field, values, ids, { named, typed })
      : await wireValues(env, field, values, ids, named)
    for (const row of rows) row[field.name] = wire(row.id)
  }
  return rows
}

/** Bytes of binary values; those that are made by code are made, unless their model knows better. */
async function sizesOf(
  env: Environment,
  field: FieldDef,
  ids: readonly number[],
): Promise<Map<number, number | null>> {
  const sizes = await binarySizes(env, field, ids)
  if (sizes) return sizes
  const { of } = await loadFields(env, field.model, ids, [field])
  return new Map(ids.map((record) => [record, bytesIn(of.get(field)?.get(record))]))
}
