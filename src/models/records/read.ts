// Reading: rows in wire form. PostgreSQL renders the JSON; only fields without SQL form are filled in by code.
import { InvalidValue } from '../../errors.ts'
import { isNoObject } from '../../kit/nothing.ts'
import { shown } from '../../kit/text.ts'
import type { Sql } from '../../sql/index.ts'
import { idList, raw, sql } from '../../sql/index.ts'
import { flush } from '../compute/recompute.ts'
import type { FieldDef, ModelDef } from '../defs.ts'
import type { Tree } from '../domain/tree.ts'
import type { Environment } from '../environment.ts'
import { assertModel, fieldNamed, hidden, mayField } from '../rights/judge.ts'
import type { SearchOptions } from '../types.ts'
import { binarySizes, bytesIn, sizeText, wantsSize } from './binaries.ts'
import { loadFields, loadPaths } from './load.ts'
import { LongAnswer, WHOLE_ROWS } from './long-answer.ts'
import { fieldsShape, planned } from './plans.ts'
import { wireProperties } from './properties.ts'
import { Rendered } from './rendered.ts'
import { ruleOf } from './rule.ts'
import { Scope } from './scope.ts'
import { countOf, pageOf, type Query, searchPlan, windowOf, windowShape, windowValues } from './search.ts'
import { CLASSIC, type Form, formOf, formShape, select } from './selection.ts'
import { NO_VALUES, withValues } from './shapes.ts'

export type WireRow = { id: number } & Record<string, unknown>

/** Fields by names from outside, each once, `id` left out; none named: every field the user may read. */
export function readableFields(env: Environment, model: ModelDef, names: unknown): FieldDef[] {
  if (isNoObject(names)) {
    return [...model.fields.values()].filter((f) => f.name !== 'id' && !f.options.hidden && mayField(env, f))
  }
  if (!Array.isArray(names)) throw new InvalidValue(`fields must be a list of field names, not ${shown(names)}`)
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
 * `search_read`: one statement when every field has an SQL form. Found in `env`, read in `lines`, which may hide archived lines where `env` does not.
 * A LongAnswer only where it may be one.
 */
export async function searchRows(
  env: Environment,
  lines: Environment,
  model: ModelDef,
  domain: Tree,
  fields: readonly FieldDef[],
  load: unknown,
  options: SearchOptions,
  mayBeLong: boolean,
): Promise<Answer> {
  const form = formOf(load)
  const most = mayBeLong && (!options.limit || options.limit > WHOLE_ROWS) ? WHOLE_ROWS + 1 : null
  const window = most ? { ...options, limit: most } : options
  const query = await searchPlan(env, model, domain)
  const shape = query.shape && `search_read ${query.shape} ${fieldsShape(fields)} ${windowShape(window)} ${formShape(form)} ${most}`
  const { statement, rest: slow } = planned(env, shape, windowValues(query.values, options), (marked) => {
    const { row, from, order, slow } = rowsOf(lines, query.compile(marked), fields, form, window, marked)
    const counted = most ? sql`, count(*)::int` : sql``
    const by = order ? sql` ORDER BY ${order}` : sql``
    return { statement: sql`SELECT COALESCE(json_agg(${row}${by}), '[]')::text${counted} FROM ${from}`, rest: slow }
  })
  const found = await env.unit.run(statement, slow.length === 0)
  if (most && (found[0]?.[1] as number) === most) return long(lines, rowsOf(lines, query.compile(), fields, form, options), load)
  return finish(lines, found[0]?.[0] as string, slow, load)
}

/** When the records that a domain finds are counted: behind a full page, or whatever the page holds; up to a limit, or all. */
export interface Counting {
  readonly always: boolean
  readonly limit: unknown
}

/** A page of what a domain finds, relations expanded where PostgreSQL can do that, and how many records there are in all if they were counted. */
export async function searchPage(
  env: Environment,
  model: ModelDef,
  domain: Tree,
  fields: readonly FieldDef[],
  form: Form,
  options: SearchOptions,
  counting: Counting,
): Promise<{ readonly rows: WireRow[]; readonly total: number | null; readonly bare: readonly FieldDef[] }> {
  const query = await searchPlan(env, model, domain)
  const shape =
    query.shape &&
    `search_page ${query.shape} ${fieldsShape(fields)} ${windowShape(options)} ${formShape(form)} ${counting.always} ${JSON.stringify(counting.limit)}`
  const { statement, rest } = planned(env, shape, windowValues(query.values, options), (marked) => {
    const { row, from, order, slow, bare } = rowsOf(env, query.compile(marked), fields, form, options, marked)
    const by = order ? sql` ORDER BY ${order}` : sql``
    // PostgreSQL counts only where it comes to that.
    const total = countOf(query.compile(marked), counting.limit)
    const full = counting.always ? sql`count(*) > 0` : sql`count(*) = ${raw(String(options.limit || -1))}`
    const counted = sql`CASE WHEN ${full} THEN (${total}) END`
    return { statement: sql`SELECT COALESCE(json_agg(${row}${by}), '[]')::text, ${counted} FROM ${from}`, rest: { slow, bare } }
  })
  const { slow, bare } = rest
  const [found] = await env.unit.run(statement, slow.length === 0 && bare.length === 0)
  const rows = plainObjects(await finish(env, found?.[0] as string, slow, null))
  return { rows, total: found?.[1] as number | null, bare }
}

/** The same rows one by one. */
function long(env: Environment, { row, from, order, slow }: Rows, load: unknown): LongAnswer {
  const by = order ? sql` ORDER BY ${order}` : sql``
  const fill = (inside: Environment, json: string) => finish(inside, json, slow, load)
  return new LongAnswer(env, sql`SELECT to_json(${row})::text FROM ${from}${by}`, slow.length ? fill : null)
}

/** Rows of a query in a window. Behind an offset the page is chosen first, so that rows that are skipped are not rendered. */
function rowsOf(lines: Environment, query: Query, fields: readonly FieldDef[], form: Form, options: SearchOptions, marked = false): Rows {
  if (options.offset) {
    const page = sql`SELECT id, row_number() OVER () AS ord FROM (${pageOf(query, options, marked)}) AS p`
    const inside = Scope.over(lines, query.scope.model)
    const { columns, ...rest } = select(inside, fields, form)
    const from = sql`(${page}) AS u JOIN ${inside.from()} ON ${inside.id} = u.id CROSS JOIN LATERAL (SELECT ${columns}) AS j`
    return { row: raw('j'), from, order: raw('u.ord'), ...rest }
  }
  const { scope, where } = query
  const { columns, ...rest } = select(scope.seenBy(lines), fields, form)
  const window = windowOf(scope, options)
  return { row: raw('r'), from: sql`(SELECT ${columns} FROM ${scope.from()} WHERE ${where}${window}) AS r`, order: null, ...rest }
}

/**
 * `read`: rows in the order of `ids`, repeated ids repeated, records that are gone left out.
 * Throws AccessError when a rule hides one of them (spec/wire.md section 9). A LongAnswer only where it may be one.
 */
export async function readRows(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  fields: readonly FieldDef[],
  load: unknown,
  mayBeLong = false,
): Promise<Answer> {
  return (await readForm(env, model, ids, fields, load, formOf(load), mayBeLong)).answer
}

/** As `readRows`, relations expanded where PostgreSQL can do that; `bare` are those that it cannot. */
export async function readForm(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  fields: readonly FieldDef[],
  load: unknown,
  form: Form,
  mayBeLong = false,
): Promise<{ readonly answer: Answer; readonly bare: readonly FieldDef[] }> {
  if (ids.length === 0) return { answer: [], bare: [] }
  assertModel(env, model, 'read')
  if (env.unit.pending.size) await flush(env)
  if (mayBeLong && ids.length > WHOLE_ROWS) return { answer: await longByIds(env, model, ids, fields, load), bare: [] }
  const { statement, rest } = planned(env, `read ${model.name} ${fieldsShape(fields)} ${formShape(form)}`, idsValues(ids), (marked) => {
    const { from, columns, slow, bare, hiddenOnes } = byIds(env, model, marked ? IDS_MARK : ids, fields, form)
    return {
      statement: sql`SELECT COALESCE(json_agg(r ORDER BY u.ord), '[]')::text, ${hiddenOnes} FROM ${from} CROSS JOIN LATERAL (SELECT ${columns}) AS r`,
      rest: { slow, bare },
    }
  })
  const { slow, bare } = rest
  const rows = await env.unit.run(statement, slow.length === 0 && bare.length === 0)
  if ((rows[0]?.[1] as number) > 0) throw hidden(env, model, 'read')
  return { answer: await finish(env, rows[0]?.[0] as string, slow, load), bare }
}

/** Stands for the ids where a plan is made. */
const IDS_MARK = [1_999_999_998, 1_999_999_997]
const idsValues = (ids: readonly number[]) => withValues(NO_VALUES, [ids, IDS_MARK])

/** What `read` is made of: the rows of the ids, their columns, and how many a rule hides. */
function byIds(env: Environment, model: ModelDef, ids: readonly number[], fields: readonly FieldDef[], form: Form) {
  const scope = Scope.over(env, model)
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
  load: unknown,
): Promise<Answer> {
  const { columns, slow, rule, hiddenOnes, from } = byIds(env, model, ids, fields, formOf(load))
  const judged = rule ? await env.query(sql`SELECT ${hiddenOnes} FROM ${from}`) : []
  if ((judged[0]?.[0] as number) > 0) throw hidden(env, model, 'read')
  const seen = rule ? sql` WHERE ${rule}` : sql``
  return long(
    env,
    { row: raw('r'), from: sql`${from} CROSS JOIN LATERAL (SELECT ${columns}) AS r${seen}`, order: raw('u.ord'), slow, bare: [] },
    load,
  )
}

/** Rows as objects. Asked for by code, which never gets them in pieces. */
export function plainObjects(answer: Answer): WireRow[] {
  if (answer instanceof LongAnswer) throw new Error('Code reads rows whole.')
  return answer instanceof Rendered ? (JSON.parse(answer.json) as WireRow[]) : answer
}

/** Fills in what needs code. Values of fields are read with the user's environment: rules were judged by the query. */
async function finish(env: Environment, json: string, slow: readonly FieldDef[], load: unknown): Promise<Rendered | WireRow[]> {
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
    for (const row of rows) row[field.name] = sizeText(sizes.get(row.id))
  }
  for (const field of slow) {
    if (sized.includes(field)) continue
    const values = of.get(field) as Map<number, unknown>
    const wire = await wireValues(env, field, values, ids, load === CLASSIC)
    for (const row of rows) row[field.name] = wire(row.id)
  }
  return rows
}

/** Bytes of binary values; those that are made by code are made, unless their model knows better. */
async function sizesOf(env: Environment, field: FieldDef, ids: readonly number[]): Promise<Map<number, number | null>> {
  const sizes = await binarySizes(env, field, ids)
  if (sizes) return sizes
  const { of } = await loadFields(env, field.model, ids, [field])
  return new Map(ids.map((record) => [record, bytesIn(of.get(field)?.get(record))]))
}

/** Wire form of a slow field's values, names of many2ones fetched together. */
async function wireValues(
  env: Environment,
  field: FieldDef,
  values: ReadonlyMap<number, unknown>,
  ids: readonly number[],
  classic: boolean,
): Promise<(id: number) => unknown> {
  if (field.kind === 'properties') return wireProperties(env, field, values, ids)
  if (field.kind !== 'many2one' || !classic || !field.comodel) {
    const unset = field.comodel && field.kind !== 'many2one' ? [] : null
    return (record) => field.type.toWire(field, values.get(record) ?? unset)
  }
  const targets = [...new Set(ids.flatMap((record) => (values.get(record) as number | null) ?? []))]
  const named = await loadPaths(env.sudo(), field.comodel, targets, ['display_name'])
  const names = new Map(named.map((target) => [target.id, target.display_name ?? false]))
  return (record) => {
    const target = values.get(record) as number | null | undefined
    return target ? [target, names.get(target) ?? false] : false
  }
}
