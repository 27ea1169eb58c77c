// Reading: rows in wire form. PostgreSQL renders the JSON; only fields without SQL form are filled in by code.
import { InvalidValue } from '../../errors.ts'
import type { Sql } from '../../sql/index.ts'
import { id, join, raw, sql } from '../../sql/index.ts'
import { flush } from '../compute/recompute.ts'
import type { FieldDef, ModelDef } from '../defs.ts'
import type { Tree } from '../domain/tree.ts'
import type { Environment } from '../environment.ts'
import { assertModel, fieldNamed, hidden, mayField } from '../rights/judge.ts'
import type { SearchOptions } from '../types.ts'
import { binarySizes, bytesIn, sizeText, wantsSize } from './binaries.ts'
import { linkedIds } from './links.ts'
import { loadFields, loadPaths } from './load.ts'
import { LongAnswer, WHOLE_ROWS } from './long-answer.ts'
import { fieldsShape, planned } from './plans.ts'
import { wireProperties } from './properties.ts'
import { Rendered } from './rendered.ts'
import { ruleOf } from './rule.ts'
import { Scope } from './scope.ts'
import { markedWindow, type Query, searchPlan, windowOf, windowShape, windowValues } from './search.ts'
import { NO_VALUES, withValues } from './shapes.ts'

export type WireRow = { id: number } & Record<string, unknown>

/** How a many2one is given: `[id, display name]`, or the bare id. */
export const CLASSIC = '_classic_read'

/** Fields by names from outside, each once, `id` left out; none named: every field the user may read. */
export function readableFields(env: Environment, model: ModelDef, names: unknown): FieldDef[] {
  if (names === null || names === undefined || names === false || (Array.isArray(names) && names.length === 0)) {
    return [...model.fields.values()].filter((f) => f.name !== 'id' && !f.options.hidden && mayField(env, f))
  }
  if (!Array.isArray(names)) throw new InvalidValue(`fields must be a list of field names, not ${JSON.stringify(names)}`)
  const fields = new Set<FieldDef>()
  for (const name of names) fields.add(fieldNamed(env, model, name))
  return [...fields].filter((field) => field.name !== 'id')
}

interface Selection {
  /** `"alias".id, … AS "name"`. */
  readonly columns: Sql
  /** Fields that code must fill in; their columns hold null to keep the place. */
  readonly slow: readonly FieldDef[]
}

/** The columns of a row, in wire JSON. */
function select(scope: Scope, fields: readonly FieldDef[], classic: boolean): Selection {
  const columns: Sql[] = [scope.id]
  const slow: FieldDef[] = []
  for (const field of fields) {
    const expression = jsonOf(scope, field, classic)
    if (!expression) slow.push(field)
    columns.push(sql`${expression ?? raw('NULL::json')} AS ${id(field.name)}`)
  }
  return { columns: join(columns), slow }
}

function jsonOf(scope: Scope, field: FieldDef, classic: boolean): Sql | null {
  if (wantsSize(scope.env, field)) return null
  if (field.kind === 'one2many' || field.kind === 'many2many') {
    const links = linkedIds(scope, field)
    return links && sql`array_to_json(ARRAY(${links}))`
  }
  if (field.kind !== 'many2one' || !classic) return scope.json(field)
  const value = scope.value(field)
  if (!value) return null
  const name = scope.join(field).displayName()
  return (
    name &&
    sql`CASE WHEN ${value} IS NULL THEN 'false'::json ELSE json_build_array(${value}, COALESCE(to_json(${name}), 'false'::json)) END`
  )
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
  const classic = load === CLASSIC
  const rowsOf = options.offset ? pageRows : plainRows
  const most = mayBeLong && (!options.limit || options.limit > WHOLE_ROWS) ? WHOLE_ROWS + 1 : null
  const window = most ? { ...options, limit: most } : options
  const query = await searchPlan(env, model, domain)
  const values = windowValues(query.values, options)
  const shape = values && `search_read ${query.shape} ${fieldsShape(fields)} ${windowShape(window)} ${classic} ${most}`
  const { statement, rest: slow } = planned(env, shape, values, (marked) => {
    const { row, from, order, slow } = rowsOf(lines, query.compile(marked), fields, classic, marked ? markedWindow(window) : window)
    const counted = most ? sql`, count(*)::int` : sql``
    const by = order ? sql` ORDER BY ${order}` : sql``
    return { statement: sql`SELECT COALESCE(json_agg(${row}${by}), '[]')::text${counted} FROM ${from}`, rest: slow }
  })
  const found = await env.unit.run(statement, slow.length === 0)
  if (most && (found[0]?.[1] as number) === most) return long(lines, rowsOf(lines, query.compile(), fields, classic, options), load)
  return finish(lines, found[0]?.[0] as string, slow, load)
}

/** The same rows one by one. */
function long(env: Environment, { row, from, order, slow }: Rows, load: unknown): LongAnswer {
  const by = order ? sql` ORDER BY ${order}` : sql``
  const fill = (inside: Environment, json: string) => finish(inside, json, slow, load)
  return new LongAnswer(env, sql`SELECT to_json(${row})::text FROM ${from}${by}`, slow.length ? fill : null)
}

function plainRows(
  lines: Environment,
  { scope, where }: Query,
  fields: readonly FieldDef[],
  classic: boolean,
  options: SearchOptions,
): Rows {
  const { columns, slow } = select(scope.seenBy(lines), fields, classic)
  const window = windowOf(scope, options)
  return { row: raw('r'), from: sql`(SELECT ${columns} FROM ${scope.from()} WHERE ${where}${window}) AS r`, order: null, slow }
}

/** As `plainRows` behind an offset: the page is chosen first, so that rows that are skipped are not rendered. */
function pageRows(
  lines: Environment,
  { scope, where }: Query,
  fields: readonly FieldDef[],
  classic: boolean,
  options: SearchOptions,
): Rows {
  const window = windowOf(scope, options)
  const page = sql`SELECT ${scope.id} AS id, row_number() OVER () AS ord FROM (SELECT ${scope.id} FROM ${scope.from()} WHERE ${where}${window}) AS ${id(scope.alias)}`
  const inside = Scope.over(lines, scope.model, 'r')
  const { columns, slow } = select(inside, fields, classic)
  const from = sql`(${page}) AS u JOIN ${inside.from()} ON ${inside.id} = u.id CROSS JOIN LATERAL (SELECT ${columns}) AS j`
  return { row: raw('j'), from, order: raw('u.ord'), slow }
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
  if (ids.length === 0) return []
  assertModel(env, model, 'read')
  if (env.unit.pending.size) await flush(env)
  const classic = load === CLASSIC
  if (mayBeLong && ids.length > WHOLE_ROWS) return longByIds(env, model, ids, fields, load)
  const { statement, rest: slow } = planned(env, `read ${model.name} ${fieldsShape(fields)} ${classic}`, idsValues(ids), (marked) => {
    const { from, columns, slow, hiddenOnes } = byIds(env, model, marked ? IDS_MARK : ids, fields, classic)
    return {
      statement: sql`SELECT COALESCE(json_agg(r ORDER BY u.ord), '[]')::text, ${hiddenOnes} FROM ${from} CROSS JOIN LATERAL (SELECT ${columns}) AS r`,
      rest: slow,
    }
  })
  const rows = await env.unit.run(statement, slow.length === 0)
  if ((rows[0]?.[1] as number) > 0) throw hidden(env, model, 'read')
  return finish(env, rows[0]?.[0] as string, slow, load)
}

/** Stands for the ids where a plan is made. */
const IDS_MARK = [1_999_999_998, 1_999_999_997]
const idsValues = (ids: readonly number[]) => withValues(NO_VALUES, [ids, IDS_MARK])

/** What `read` is made of: the rows of the ids, their columns, and how many a rule hides. */
function byIds(env: Environment, model: ModelDef, ids: readonly number[], fields: readonly FieldDef[], classic: boolean) {
  const scope = Scope.over(env, model)
  const { columns, slow } = select(scope, fields, classic)
  const rule = ruleOf(scope, model, 'read')
  const hiddenOnes = rule ? sql`count(*) FILTER (WHERE NOT ${rule})::int` : sql`0`
  const from = sql`unnest(${ids}::int[]) WITH ORDINALITY AS u(id, ord) JOIN ${scope.from()} ON ${scope.id} = u.id`
  return { columns, slow, rule, hiddenOnes, from }
}

/** Rules are judged for all before the first row goes out, and once more while they do. */
async function longByIds(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  fields: readonly FieldDef[],
  load: unknown,
): Promise<Answer> {
  const { columns, slow, rule, hiddenOnes, from } = byIds(env, model, ids, fields, load === CLASSIC)
  const judged = rule ? await env.query(sql`SELECT ${hiddenOnes} FROM ${from}`) : []
  if ((judged[0]?.[0] as number) > 0) throw hidden(env, model, 'read')
  const seen = rule ? sql` WHERE ${rule}` : sql``
  return long(
    env,
    { row: raw('r'), from: sql`${from} CROSS JOIN LATERAL (SELECT ${columns}) AS r${seen}`, order: raw('u.ord'), slow },
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
  const model = (slow[0] as FieldDef).model
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
