// Recomputation: what a change makes stale is marked, and computed in batches when it is needed or at the end of the call.
import { id, join, raw, sql } from '../../sql/index.ts'
import type { FieldDef, ModelDef } from '../defs.ts'
import type { Environment } from '../environment.ts'
import { columnTypeIn, expressionIn } from '../records/columns.ts'
import { heldAsGiven, variantOf } from '../records/held.ts'
import { roundedAmount } from '../records/monetary.ts'
import { Scope } from '../records/scope.ts'
import { computeValues } from './values.ts'

/**
 * Marks what follows from `fields` of the records `ids`. Call it before a change for old relations, after it for new ones.
 * `fresh`: the records were just made and wait for their own values already; nobody can refer to them yet, they themselves may refer to others.
 */
export async function modified(env: Environment, fields: Iterable<FieldDef>, ids: readonly number[], fresh = false): Promise<void> {
  if (ids.length === 0) return
  env.unit.cache.forgetDerived()
  const routes = new Map<string, { path: readonly FieldDef[]; fields: Set<FieldDef> }>()
  for (const changed of fields) {
    for (const { field, path } of env.unit.registry.triggers.get(changed) ?? []) {
      if (fresh && (path.length === 0 || path.at(-1)?.kind === 'many2one')) continue
      const key = path.map((f) => `${f.model.name}.${f.name}`).join('/')
      const route = routes.get(key) ?? { path, fields: new Set<FieldDef>() }
      route.fields.add(field)
      routes.set(key, route)
    }
  }
  for (const { path, fields: stale } of routes.values()) {
    const reached = path.length === 0 ? ids : await backwards(env, path, ids)
    for (const field of stale) mark(env, field, reached)
  }
}

export function mark(env: Environment, field: FieldDef, ids: readonly number[]): void {
  if (ids.length === 0) return
  const waiting = env.unit.pending.get(field) ?? new Set()
  env.unit.pending.set(field, waiting)
  for (const id of ids) waiting.add(id)
}

/** Takes records off the list: their value was given. */
export function settle(env: Environment, field: FieldDef, ids: Iterable<number>): void {
  const waiting = env.unit.pending.get(field)
  if (!waiting) return
  for (const id of ids) waiting.delete(id)
  if (waiting.size === 0) env.unit.pending.delete(field)
}

/** Records of the first step's model from which `path` leads to one of `ids`: one query, whatever the number. */
async function backwards(env: Environment, path: readonly FieldDef[], ids: readonly number[]): Promise<number[]> {
  let inner = sql`SELECT unnest(${ids}::int[])`
  for (const step of path.toReversed()) {
    if (step.kind === 'many2one' && step.column) inner = sql`SELECT "id" FROM ${id(step.model.table)} WHERE ${id(step.name)} IN (${inner})`
    else if (step.kind === 'one2many' && step.comodel) {
      const back = step.comodel.fields.get(step.inverse as string)
      if (!back?.column) return everything(env, path[0] as FieldDef)
      inner = sql`SELECT ${id(back.name)} FROM ${id(step.comodel.table)} WHERE "id" IN (${inner}) AND ${id(back.name)} IS NOT NULL`
    } else if (step.link) {
      inner = sql`SELECT ${id(step.link.column)} FROM ${id(step.link.table)} WHERE ${id(step.link.other)} IN (${inner})`
    } else return everything(env, path[0] as FieldDef)
  }
  const rows = await env.query(sql`SELECT DISTINCT * FROM (${inner}) AS reached(id) WHERE id IS NOT NULL`)
  return rows.map((row) => row[0] as number)
}

/** A step without a column of its own could come from anywhere. */
async function everything(env: Environment, first: FieldDef): Promise<number[]> {
  const rows = await env.query(sql`SELECT "id" FROM ${id(first.model.table)}`)
  return rows.map((row) => row[0] as number)
}

const BATCH = 2000

/** Computes what waits, of `only` fields or of all, until nothing is stale. */
export async function flush(env: Environment, only?: (field: FieldDef) => boolean): Promise<void> {
  const { pending, registry } = env.unit
  if (pending.size === 0) return
  const su = env.sudo()
  for (let guard = 0; guard < 10_000; guard++) {
    let next: FieldDef | undefined
    for (const field of pending.keys()) {
      if (only && !only(field)) continue
      if (!next || (registry.computeOrder.get(field) ?? 0) < (registry.computeOrder.get(next) ?? 0)) next = field
    }
    if (!next) return
    const waiting = pending.get(next) as Set<number>
    const ids = [...waiting].slice(0, BATCH)
    settle(env, next, ids)
    await recompute(su, next, ids)
  }
  throw new Error('Computed fields do not come to rest.')
}

async function recompute(env: Environment, field: FieldDef, ids: number[]): Promise<void> {
  const together = sameSource(field).filter((f) => f === field || waits(env, f, ids))
  for (const other of together) if (other !== field) settle(env, other, ids)
  const values = new Map<FieldDef, Map<number, unknown>>()
  for (const f of together) values.set(f, await computeValues(env, f, ids))
  for (const f of together) {
    const changed = await store(env, f, values.get(f) as Map<number, unknown>)
    if (changed.length) await modified(env, [f], changed)
  }
}

/** Fields of the same model that come from the very same function. */
function sameSource(field: FieldDef): FieldDef[] {
  return [...field.model.fields.values()].filter((f) => f.stored && f.compute !== null && f.compute === field.compute)
}

function waits(env: Environment, field: FieldDef, ids: readonly number[]): boolean {
  const waiting = env.unit.pending.get(field)
  return waiting !== undefined && ids.every((id) => waiting.has(id))
}

/** Writes computed values where they differ; gives the records that changed. Log fields stay: nobody wrote. */
async function store(env: Environment, field: FieldDef, values: ReadonlyMap<number, unknown>): Promise<number[]> {
  env.unit.cache.forget(field, values.keys())
  if (!field.column) {
    if (field.kind === 'many2many') return storeLinks(env, field, values)
    return []
  }
  const rows = [...values].map(([record, value]) => ({ id: record, v: columnValue(env, field, value) }))
  const type = raw(columnTypeIn(field))
  const column = id(field.name)
  if (field.kind === 'monetary') return storeAmounts(env, field, rows)
  if (heldAsGiven(field)) {
    const known = env.unit.cache.of(field, variantOf(env, field))
    for (const { id: record, v } of rows) known.set(record, field.kind === 'many2one' ? v : field.type.fromColumn(field, v))
  }
  const value = expressionIn(field, raw('x.v'))
  const updated = await env.query(
    sql`UPDATE ${id(field.model.table)} AS t SET ${column} = ${value} FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS x(id int, v ${type}) WHERE t."id" = x.id AND t.${column} IS DISTINCT FROM ${value} RETURNING t."id"`,
  )
  return updated.map((row) => row[0] as number)
}

/** As `store`, for amounts: compared and kept rounded to their currency. */
async function storeAmounts(env: Environment, field: FieldDef, rows: readonly object[]): Promise<number[]> {
  const scope = Scope.over(env, field.model)
  const rounded = roundedAmount(scope, field, raw('x.v'))
  const column = id(field.name)
  const updated = await env.query(
    sql`UPDATE ${id(field.model.table)} AS m SET ${column} = s.v FROM (SELECT ${scope.id} AS id, ${rounded} AS v FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS x(id int, v numeric) JOIN ${scope.from()} ON ${scope.id} = x.id) AS s WHERE m."id" = s.id AND m.${column} IS DISTINCT FROM s.v RETURNING m."id"`,
  )
  return updated.map((row) => row[0] as number)
}

async function storeLinks(env: Environment, field: FieldDef, values: ReadonlyMap<number, unknown>): Promise<number[]> {
  const { table, column, other } = field.link as NonNullable<FieldDef['link']>
  const pairs = [...values].flatMap(([record, linked]) => [...((linked as Iterable<number>) ?? [])].map((o) => ({ a: record, b: o })))
  const wanted = sql`SELECT a, b FROM jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) AS x(a int, b int)`
  const gone = await env.query(
    sql`DELETE FROM ${id(table)} WHERE ${id(column)} = ANY(${[...values.keys()]}::int[]) AND (${join([id(column), id(other)])}) NOT IN (${wanted}) RETURNING ${id(column)}`,
  )
  const made = await env.query(
    sql`INSERT INTO ${id(table)} (${join([id(column), id(other)])}) ${wanted} ON CONFLICT DO NOTHING RETURNING ${id(column)}`,
  )
  return [...new Set([...gone, ...made].map((row) => row[0] as number))]
}

function columnValue(env: Environment, field: FieldDef, value: unknown): unknown {
  const plain = value !== null && typeof value === 'object' && 'id' in value ? (value as { id: number }).id : value
  const stored = field.type.toColumn(field, plain === null || plain === undefined ? false : plain)
  if (field.translate) return stored === null ? null : { en_US: stored }
  if (field.options.companyDependent) return stored === null ? null : { [env.companyId]: stored }
  return stored
}

/** Stored computed fields of a model; new records wait for all of them. */
export function storedComputed(model: ModelDef): FieldDef[] {
  return [...model.fields.values()].filter((f) => f.stored && f.compute !== null && !f.inherited)
}
