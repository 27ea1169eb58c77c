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
import { linkedIds } from './links.ts'
import { loadFields, loadPaths } from './load.ts'
import { wireProperties } from './properties.ts'
import { Rendered } from './rendered.ts'
import { ruleOf } from './rule.ts'
import { Scope } from './scope.ts'
import { type Query, searchQuery, windowOf } from './search.ts'

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

/** `search_read`: one statement when every field has an SQL form. Found in `env`, read in `lines`, which may hide archived lines where `env` does not. */
export async function searchRows(
  env: Environment,
  lines: Environment,
  model: ModelDef,
  domain: Tree,
  fields: readonly FieldDef[],
  load: unknown,
  options: SearchOptions,
): Promise<Rendered | WireRow[]> {
  const query = await searchQuery(env, model, domain)
  if (options.offset) return pageRows(env, lines, query, fields, load, options)
  const { columns, slow } = select(query.scope.seenBy(lines), fields, load === CLASSIC)
  const window = windowOf(query.scope, options)
  const rows = await env.query(
    sql`SELECT COALESCE(json_agg(r), '[]')::text FROM (SELECT ${columns} FROM ${query.scope.from()} WHERE ${query.where}${window}) AS r`,
    slow.length === 0,
  )
  return finish(lines, rows[0]?.[0] as string, slow, load)
}

/** As `searchRows` behind an offset: the page is chosen first, so that rows that are skipped are not rendered. */
async function pageRows(
  env: Environment,
  lines: Environment,
  { scope, where }: Query,
  fields: readonly FieldDef[],
  load: unknown,
  options: SearchOptions,
): Promise<Rendered | WireRow[]> {
  const window = windowOf(scope, options)
  const page = sql`SELECT ${scope.id} AS id, row_number() OVER () AS ord FROM (SELECT ${scope.id} FROM ${scope.from()} WHERE ${where}${window}) AS ${id(scope.alias)}`
  const row = Scope.over(lines, scope.model, 'r')
  const { columns, slow } = select(row, fields, load === CLASSIC)
  const rows = await env.query(
    sql`SELECT COALESCE(json_agg(j ORDER BY u.ord), '[]')::text FROM (${page}) AS u JOIN ${row.from()} ON ${row.id} = u.id CROSS JOIN LATERAL (SELECT ${columns}) AS j`,
    slow.length === 0,
  )
  return finish(lines, rows[0]?.[0] as string, slow, load)
}

/**
 * `read`: rows in the order of `ids`, repeated ids repeated, records that are gone left out.
 * Throws AccessError when a rule hides one of them (spec/wire.md section 9).
 */
export async function readRows(
  env: Environment,
  model: ModelDef,
  ids: readonly number[],
  fields: readonly FieldDef[],
  load: unknown,
): Promise<Rendered | WireRow[]> {
  if (ids.length === 0) return []
  assertModel(env, model, 'read')
  if (env.unit.pending.size) await flush(env)
  const scope = Scope.over(env, model)
  const { columns, slow } = select(scope, fields, load === CLASSIC)
  const rule = ruleOf(scope, model, 'read')
  const hiddenOnes = rule ? sql`, count(*) FILTER (WHERE NOT ${rule})::int` : sql``
  const rows = await env.query(
    sql`SELECT COALESCE(json_agg(r ORDER BY u.ord), '[]')::text${hiddenOnes} FROM unnest(${ids}::int[]) WITH ORDINALITY AS u(id, ord) JOIN ${scope.from()} ON ${scope.id} = u.id CROSS JOIN LATERAL (SELECT ${columns}) AS r`,
    slow.length === 0,
  )
  if (rule && (rows[0]?.[1] as number) > 0) throw hidden(env, model, 'read')
  return finish(env, rows[0]?.[0] as string, slow, load)
}

/** Fills in what needs code. Values of fields are read with the user's environment: rules were judged by the query. */
async function finish(env: Environment, json: string, slow: readonly FieldDef[], load: unknown): Promise<Rendered | WireRow[]> {
  if (slow.length === 0) return new Rendered(json)
  const rows = JSON.parse(json) as WireRow[]
  if (rows.length === 0) return rows
  const ids = [...new Set(rows.map((row) => row.id))]
  const model = (slow[0] as FieldDef).model
  const { of } = await loadFields(env, model, ids, slow)
  for (const field of slow) {
    const values = of.get(field) as Map<number, unknown>
    const wire = await wireValues(env, field, values, ids, load === CLASSIC)
    for (const row of rows) row[field.name] = wire(row.id)
  }
  return rows
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
  if (field.kind === 'binary' && env.context.bin_size) return (record) => binSize(values.get(record))
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

/** `11.00 bytes`, `5.86 Kb`: what `bin_size` gives in place of content (spec/models-api.md section 4). */
function binSize(base64: unknown): string | false {
  if (typeof base64 !== 'string' || base64 === '') return false
  let size = (base64.length / 4) * 3 - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0)
  const units = ['bytes', 'Kb', 'Mb', 'Gb']
  let unit = 0
  for (; size >= 1024 && unit < units.length - 1; unit++) size /= 1024
  return `${size.toFixed(2)} ${units[unit]}`
}
