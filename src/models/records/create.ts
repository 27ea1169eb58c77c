// Creating: defaults, delegates, one INSERT for all records, then lines, files, computed values, rules and checks.
import { ValidationError } from '../../errors.ts'
import { id, join, raw, type Sql, sql } from '../../sql/index.ts'
import { flush, mark, modified, storedComputed } from '../compute/recompute.ts'
import { insertLinks } from '../compute/store.ts'
import type { FieldDef, ModelDef } from '../defs.ts'
import type { Environment } from '../environment.ts'
import { assertModel, hidden } from '../rights/judge.ts'
import { runChecks } from './checks.ts'
import { columnTypeIn, expressionIn, jsonValue } from './columns.ts'
import { applyCommands } from './commands.ts'
import { fallsBackTo } from './company-values.ts'
import { defaultable, defaultValues } from './defaults.ts'
import { storeFiles } from './files.ts'
import { assertParents, parentOf, placeInTree } from './hierarchy.ts'
import { roundMonetary } from './monetary.ts'
import { allocateIds, hasLines, type Links, precomputable, precompute, remember } from './precompute.ts'
import { propertiesOf, settleProperties } from './properties.ts'
import { recordsOf } from './records.ts'
import { writeRelated } from './related.ts'
import { ruleOf } from './rule.ts'
import { Scope } from './scope.ts'
import { assertVals, type Sorted, sortValues } from './values.ts'

/** Creates records and gives their ids in the order of `list`. Nothing stays when one of them fails: the call's transaction is discarded. */
export async function createRecords(env: Environment, model: ModelDef, list: readonly unknown[]): Promise<number[]> {
  if (list.length === 0) return []
  assertModel(env, model, 'create')
  const complete = await withDefaults(env, model, list.map(assertVals))
  for (const vals of complete) for (const prepare of model.prepares) prepare(vals, env, null)
  const sorted = complete.map((vals) => sortValues(env, model, vals))
  const given = new Set(sorted.flatMap((values) => [...values.columns.keys()]))
  await createDelegates(env, model, sorted)
  for (const values of sorted) assertRequired(model, values)
  const early = precomputable(env, model).length > 0
  const reserved = early ? await allocateIds(env, model, sorted.length) : null
  const links = reserved ? await env.unit.cache.holding(() => precompute(env, model, reserved, sorted)) : new Map<never, never>()
  const ids = await insert(env, model, reserved, sorted)
  if (!reserved) remember(env, model, ids, sorted)
  env.unit.rejudge()
  await roundMonetary(env, model, given, ids)
  if (model.parentStore) {
    const parents = sorted.map((values) => parentOf(model, values))
    await assertParents(env, model, parents)
    await placeInTree(env, model, ids, parents)
  }
  await settleProperties(env, propertiesOf(model), ids, true)
  for (const [field, of] of links) await insertLinks(env, field, of)
  await follow(env, model, ids, sorted, links)
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
      if (via?.options.companyDependent && fallsBackTo(env, via, defaults[name])) continue
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
    const isFresh = new Set(fresh)
    const given = sorted.filter((values) => values.delegated.has(via) && !isFresh.has(values))
    await env.unit.registry.engine.writeEach(
      env,
      comodel,
      given.map((values) => ({ ids: [values.columns.get(field) as number], vals: values.delegated.get(via) })),
    )
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
async function follow(env: Environment, model: ModelDef, ids: readonly number[], sorted: readonly Sorted[], links: Links): Promise<void> {
  const late: [FieldDef, number[]][] = []
  for (const field of storedComputed(model)) {
    const open = [...ids.entries()].filter(
      ([i, id]) => !sorted[i]?.columns.has(field) && !sorted[i]?.lines.has(field) && !links.get(field)?.has(id),
    )
    // What looks at lines waits until these are there: nothing is computed from lines that are missing yet.
    const { soon = [], later = [] } = Object.groupBy(open, ([i]) => (hasLines(field, sorted[i]) ? 'later' : 'soon'))
    mark(
      env,
      field,
      soon.map(([, id]) => id),
    )
    if (later.length) late.push([field, later.map(([, id]) => id)])
  }
  await modified(env, relevant(env, model), ids, true)
  const related = new Map<FieldDef, Map<number, unknown>>()
  const lines = new Map<FieldDef, Map<number, unknown>>()
  const inverses = new Map<FieldDef, Map<number, unknown>>()
  const files = new Map<FieldDef, Map<number, unknown>>()
  for (const [i, values] of sorted.entries()) {
    const record = ids[i] as number
    for (const [field, value] of values.lines) put(lines, field, record, value)
    for (const [field, value] of values.inverse) put(inverses, field, record, value)
    for (const [field, value] of values.files) if (value !== null) put(files, field, record, value)
    for (const [field, value] of values.related) put(related, field, record, value)
  }
  for (const [field, byRecord] of lines) await applyCommands(env, field, byRecord)
  for (const [field, waiting] of late) mark(env, field, waiting)
  for (const [field, byRecord] of files) await storeFiles(env, field, byRecord)
  for (const [field, byRecord] of related) await writeRelated(env, field, byRecord)
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
