// Creating: defaults, delegates, one INSERT for all records, then lines, files, computed values, rules and checks.
import { InvalidValue, ValidationError } from '../../errors.ts'
import { id, join, raw, type Sql, sql } from '../../sql/index.ts'
import { flush, mark, modified, storedComputed } from '../compute/recompute.ts'
import type { FieldDef, ModelDef } from '../defs.ts'
import type { Environment } from '../environment.ts'
import { assertModel, hidden } from '../rights/judge.ts'
import { runChecks } from './checks.ts'
import { columnTypeIn, expressionIn, jsonValue } from './columns.ts'
import { applyCommands } from './commands.ts'
import { defaultable, defaultValues } from './defaults.ts'
import { storeFiles } from './files.ts'
import { assertParents, parentOf, placeInTree } from './hierarchy.ts'
import { roundMonetary } from './monetary.ts'
import { allocateIds, precomputable, precompute, remember } from './precompute.ts'
import { propertiesOf, settleProperties } from './properties.ts'
import { recordsOf } from './records.ts'
import { ruleOf } from './rule.ts'
import { Scope } from './scope.ts'
import { assertVals, type Sorted, sortValues } from './values.ts'

/** Creates records and gives their ids in the order of `list`. Nothing stays when one of them fails: the call's transaction is discarded. */
export async function createRecords(env: Environment, model: ModelDef, list: readonly unknown[]): Promise<number[]> {
  if (list.length === 0) return []
  assertModel(env, model, 'create')
  const given = list.map(assertVals)
  const complete = await withDefaults(env, model, given)
  for (const vals of complete) for (const prepare of model.prepares) prepare(vals, env, null)
  const sorted = complete.map((vals) => sortValues(env, model, vals))
  await createDelegates(env, model, sorted)
  for (const values of sorted) assertRequired(model, values)
  const early = precomputable(env, model).length > 0
  const reserved = early ? await allocateIds(env, model, sorted.length) : null
  if (reserved) await precompute(env, model, reserved, sorted)
  const ids = await insert(env, model, reserved, sorted)
  if (!reserved) remember(env, model, ids, sorted)
  env.unit.rejudge()
  await roundMonetary(env, model, new Set(sorted.flatMap((values) => [...values.columns.keys()])), ids)
  if (model.parentStore) {
    await assertParents(
      env,
      model,
      sorted.map((values) => parentOf(model, values)),
    )
    await placeInTree(env, model, ids)
  }
  await settleProperties(env, propertiesOf(model), ids, true)
  await follow(env, model, ids, sorted)
  await assertVisible(env, model, ids)
  await runChecks(env, model, ids, null)
  return ids
}

async function withDefaults(
  env: Environment,
  model: ModelDef,
  given: readonly Record<string, unknown>[],
): Promise<Record<string, unknown>[]> {
  const fields = defaultable(model).map((f) => f.name)
  const missing = fields.filter((name) => given.some((vals) => vals[name] === undefined))
  const defaults = await defaultValues(env, model, missing)
  return given.map((vals) => {
    const complete: Record<string, unknown> = {}
    for (const name in defaults) {
      const via = model.fields.get(name)
      // An existing delegate keeps its own values.
      if (via?.inherited && vals[via.related?.[0] as string]) continue
      complete[name] = defaults[name]
    }
    for (const [name, value] of Object.entries(vals)) if (value !== undefined) complete[name] = value
    return complete
  })
}

/** Delegates that are not given are made, in one call a model; given ones take the values. */
async function createDelegates(env: Environment, model: ModelDef, sorted: readonly Sorted[]): Promise<void> {
  for (const [target, via] of model.inherits) {
    const field = model.fields.get(via) as FieldDef
    const comodel = env.def(target)
    const fresh = sorted.filter((values) => !values.columns.get(field))
    const made = fresh.length
      ? ((await recordsOf(env, comodel, []).create(fresh.map((v) => v.delegated.get(via) ?? {}))).ids as readonly number[])
      : []
    for (const [i, values] of fresh.entries()) values.columns.set(field, made[i])
    for (const values of sorted) {
      const below = values.delegated.get(via)
      if (below && !fresh.includes(values)) await recordsOf(env, comodel, [values.columns.get(field) as number]).write(below)
    }
  }
}

function assertRequired(model: ModelDef, values: Sorted): void {
  for (const field of model.fields.values()) {
    if (!field.required || !field.column || (field.compute && !values.columns.has(field))) continue
    const value = values.columns.get(field)
    if ((value === undefined || value === null) && !numeric(field)) throw missing(field)
  }
}

/** The message for an empty required field. */
export function missing(field: FieldDef): ValidationError {
  return new ValidationError(
    `Missing required value for the field '${field.label}' (${field.name}) of ${field.model.label} (${field.model.name}).`,
  )
}

const numeric = (field: FieldDef) => ['integer', 'float', 'monetary', 'boolean', 'many2one_reference'].includes(field.kind)

/** One statement for all rows; gives their ids, `reserved` or made by the table, in the order of `sorted`. */
async function insert(env: Environment, model: ModelDef, reserved: readonly number[] | null, sorted: readonly Sorted[]): Promise<number[]> {
  const fields = [...new Set(sorted.flatMap((values) => [...values.columns.keys()]))]
  const log: Sql[] = []
  const logged: string[] = []
  if (model.logAccess) {
    logged.push('create_uid', 'create_date', 'write_uid', 'write_date')
    log.push(sql`${env.uid}::int`, raw("now() AT TIME ZONE 'UTC'"), sql`${env.uid}::int`, raw("now() AT TIME ZONE 'UTC'"))
  }
  if (reserved) {
    logged.push('id')
    log.push(raw('x.id'))
  }
  const types = fields.map((field) => columnTypeIn(field))
  const rows = sorted.map((values) => fields.map((field) => jsonValue(env, field, values.columns.get(field))))
  const columns = fields.map((field, i) => expressionIn(field, raw(`x.c${i}`)))
  const definition = ['n int', 'id int', ...types.map((type, i) => `c${i} ${type}`)].join(', ')
  const objects = rows.map((row, n) =>
    Object.fromEntries([['n', n], ...(reserved ? [['id', reserved[n]]] : []), ...row.map((value, i) => [`c${i}`, value])]),
  )
  const names = [...fields.map((f) => f.name), ...logged].map((name) => id(name))
  const inserted = await env.query(
    names.length
      ? sql`INSERT INTO ${id(model.table)} (${join(names)}) SELECT ${join([...columns, ...log])} FROM jsonb_to_recordset(${JSON.stringify(objects)}::jsonb) AS x(${raw(definition)}) ORDER BY x.n RETURNING "id"`
      : sql`INSERT INTO ${id(model.table)} SELECT FROM generate_series(1, ${sorted.length}) RETURNING "id"`,
  )
  return inserted.map((row) => row[0] as number).sort((a, b) => a - b)
}

/** Everything beyond the row: lines, files, related and inverse writes, and what is to be computed. */
async function follow(env: Environment, model: ModelDef, ids: readonly number[], sorted: readonly Sorted[]): Promise<void> {
  for (const field of storedComputed(model)) {
    const open = ids.filter((_, i) => !sorted[i]?.columns.has(field) && !sorted[i]?.lines.has(field))
    mark(env, field, open)
  }
  await modified(env, relevant(env, model), ids, true)
  const related = new Map<string, { field: FieldDef; value: unknown; ids: number[] }>()
  const lines = new Map<FieldDef, Map<number, unknown>>()
  const inverses = new Map<FieldDef, Map<number, unknown>>()
  const files = new Map<FieldDef, Map<number, unknown>>()
  for (const [i, values] of sorted.entries()) {
    const record = ids[i] as number
    for (const [field, value] of values.lines) put(lines, field, record, value)
    for (const [field, value] of values.inverse) put(inverses, field, record, value)
    for (const [field, value] of values.files) if (value !== null) put(files, field, record, value)
    for (const [field, value] of values.related) {
      const key = `${field.name}=${JSON.stringify(value)}`
      const group = related.get(key) ?? { field, value, ids: [] }
      group.ids.push(record)
      related.set(key, group)
    }
  }
  for (const [field, byRecord] of lines) await applyCommands(env, field, byRecord)
  for (const [field, byRecord] of files) await storeFiles(env, field, byRecord)
  for (const { field, value, ids: group } of related.values()) await writeRelated(env, field, group, value)
  for (const [field, byRecord] of inverses) await field.compute?.options.inverse?.(env, byRecord)
}

function put(map: Map<FieldDef, Map<number, unknown>>, field: FieldDef, record: number, value: unknown): void {
  const values = map.get(field) ?? new Map<number, unknown>()
  values.set(record, value)
  map.set(field, values)
}

/** Fields of a model that something follows. */
function relevant(env: Environment, model: ModelDef): FieldDef[] {
  return [...model.fields.values()].filter((field) => env.unit.registry.triggers.has(field) && (!field.compute || field.column))
}

/** Writes a related field through its path. */
export async function writeRelated(env: Environment, field: FieldDef, ids: readonly number[], value: unknown): Promise<void> {
  const path = field.related as readonly string[]
  let records = recordsOf(env, field.model, ids)
  for (const name of path.slice(0, -1)) {
    const step = records.def.fields.get(name)
    if (!step?.comodel) throw new InvalidValue(`${field.model.name}.${field.name} cannot be written.`)
    const rows = await records.load([name])
    const targets = rows.flatMap((row) => (row[name] as { id: number } | null)?.id ?? [])
    records = recordsOf(env, step.comodel, [...new Set(targets)])
  }
  if (records.length) await records.write({ [path[path.length - 1] as string]: value })
}

/** The create rules, judged on what was made. */
async function assertVisible(env: Environment, model: ModelDef, ids: readonly number[]): Promise<void> {
  const scope = Scope.over(env, model)
  const rule = ruleOf(scope, model, 'create')
  if (!rule) return
  // Rules may look at computed values.
  await flush(env, (field) => field.model === model)
  const rows = await env.query(sql`SELECT count(*)::int FROM ${scope.from()} WHERE ${scope.id} = ANY(${ids}::int[]) AND NOT ${rule}`)
  if ((rows[0]?.[0] as number) > 0) throw hidden(env, model, 'create')
}
