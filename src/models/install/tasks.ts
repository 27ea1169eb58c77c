// Changes of existing records by an upgrade: new columns are filled and computed, modules' migrations
// run. Each task is a row with its progress, and continues from there in batches.
import { id, idList, raw, type Sql, sql } from '../../sql/index.ts'
import { upgradeTable } from '../changes/tables.ts'
import { flush, mark } from '../compute/recompute.ts'
import type { FieldDef, Ids, ModelDef } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { Module } from '../language/module.ts'
import { columnTypeIn, expressionIn, jsonValue } from '../row/values.ts'
import { type AddedColumn, readColumns } from '../schema/apply.ts'

/** Records per transaction: limits how long other writers wait for their locks. */
const BATCH = 500

export interface Filling {
  readonly model: ModelDef
  readonly field: FieldDef
}

/** The statement that adds a task for a column. The caller commits it together with the column. */
export function fillingTask({ model, field }: Filling, build: string): string {
  const task = `${field.compute ? 'compute' : 'fill'} ${model.name}`
  const text = (value: string) => `'${value.replaceAll("'", "''")}'`
  return `INSERT INTO comptoir_upgrade AS u (task, build, fields) VALUES (${text(task)}, ${text(build)}, ARRAY[${text(field.name)}])
    ON CONFLICT (task) DO UPDATE SET fields = CASE WHEN u.build = excluded.build OR u.finished IS NULL THEN u.fields || excluded.fields ELSE excluded.fields END,
      build = excluded.build, pass = 1, after = 0, records = 0, finished = NULL`
}

/** Names of the tasks of migrations that have no row yet. */
export async function newMigrations(env: Environment, modules: readonly Module[]): Promise<string[]> {
  await env.query(raw(upgradeTable))
  const names = modules.flatMap(({ name, migrations = [] }) =>
    migrations.map((migration) => `module ${name}/${migration.name}`),
  )
  if (names.length === 0) return []
  const rows = await env.query<[string]>(sql`SELECT name FROM unnest(${names}::text[]) AS name
    WHERE NOT EXISTS (SELECT FROM comptoir_upgrade WHERE task = name)`)
  return rows.map(([name]) => name)
}

export async function enterMigrations(
  env: Environment,
  modules: readonly Module[],
  build: string,
): Promise<void> {
  const names = await newMigrations(env, modules)
  if (names.length)
    await env.query(
      sql`INSERT INTO comptoir_upgrade (task, build) SELECT name, ${build} FROM unnest(${names}::text[]) AS name`,
    )
}

/** Notes migrations as done in a new database: its records are as they leave them. */
export async function skipMigrations(env: Environment, modules: readonly Module[]): Promise<void> {
  await enterMigrations(env, modules, '')
  await env.query(sql`UPDATE comptoir_upgrade SET finished = now() WHERE finished IS NULL`)
}

/** Names of unfinished tasks, up to a pass. */
export async function openTasks(env: Environment, pass = 2): Promise<string[]> {
  const rows = await env.query<[string]>(
    sql`SELECT task FROM comptoir_upgrade WHERE finished IS NULL AND pass <= ${pass}::int ORDER BY task`,
  )
  return rows.map(([task]) => task)
}

/** Runs the next batch of a task. Returns its records, 0 at the end. Other processes with it wait. */
export async function nextBatch(env: Environment, modules: readonly Module[], task: string): Promise<number> {
  const [row] = await env.query(
    sql`SELECT after, fields, pass FROM comptoir_upgrade WHERE task = ${task} AND finished IS NULL FOR UPDATE`,
  )
  if (!row) return 0
  const [after, fields, pass] = row as [number, readonly string[], number]
  const work = workOf(env, modules, task, { fields, pass })
  const rows = work
    ? await env.query<[number]>(
        sql`SELECT id FROM ${id(work.model.table)} WHERE id > ${after}::int ORDER BY id LIMIT ${BATCH}::int`,
      )
    : []
  const ids = rows.map(([record]) => record)
  if (work && ids.length) {
    await work.run(ids)
    await flush(env)
  }
  await env.query(sql`UPDATE comptoir_upgrade SET after = ${ids.at(-1) ?? after}::int, records = records + ${ids.length}::int,
    finished = CASE WHEN ${ids.length}::int < ${BATCH}::int THEN now() END WHERE task = ${task}`)
  return ids.length
}

/** Whether these modules have the task's model or migration. */
export const hasTask = (env: Environment, modules: readonly Module[], task: string): boolean =>
  workOf(env, modules, task, { fields: [], pass: 1 }) !== null

/** Runs all unfinished tasks of these modules in one transaction. */
export async function finishTasks(env: Environment, modules: readonly Module[]): Promise<void> {
  await enterMigrations(env, modules, '')
  const isOurs = (task: string) =>
    !task.startsWith('module ') || modules.some(({ name }) => task.startsWith(`module ${name}/`))
  for (const task of await openTasks(env))
    while (isOurs(task) && (await nextBatch(env, modules, task)) === BATCH);
}

interface Work {
  readonly model: ModelDef
  readonly run: (ids: Ids) => Promise<void>
}

/** Null if no module of this build has the task's model or migration. */
function workOf(
  env: Environment,
  modules: readonly Module[],
  task: string,
  { fields, pass }: { readonly fields: readonly string[]; readonly pass: number },
): Work | null {
  const kind = task.slice(0, task.indexOf(' '))
  const name = task.slice(kind.length + 1)
  if (kind === 'module') {
    const [module = ''] = name.split('/', 1)
    const migration = modules
      .find((candidate) => candidate.name === module)
      ?.migrations?.find((candidate) => candidate.name === name.slice(module.length + 1))
    const model = env.unit.registry.get(migration?.model ?? '')
    return migration && model?.hasTable ? { model, run: (ids) => migration.run(env, ids) } : null
  }
  const model = env.unit.registry.get(name)
  if (!model?.hasTable) return null
  const knownFields = [...new Set(fields)].flatMap((field) => model.fields.get(field) ?? [])
  if (kind === 'compute')
    return {
      model,
      run: async (ids) => {
        for (const field of knownFields) mark(env, field, ids)
      },
    }
  return {
    model,
    run: async (ids) => {
      // If the column had a DEFAULT for INSERTs of older builds, a NULL was written on purpose.
      const existing = pass > 1 ? (await readColumns(env.unit)).get(model.table) : undefined
      for (const field of knownFields.filter(({ name: column }) => !existing?.get(column)?.hasDefault)) {
        const value = await valueFor(env, field)
        if (value)
          await env.query(
            sql`UPDATE ${id(model.table)} SET ${id(field.name)} = ${value} WHERE id = ANY(${idList(ids)}) AND ${id(field.name)} IS NULL`,
          )
      }
    },
  }
}

// Fills new columns of tables with rows: computed fields are marked for recomputation, others get their
// defaults as new records do.

/** Fills columns that were added to existing tables. Computed values are stored by the next flush. */
export async function fillColumns(env: Environment, added: readonly AddedColumn[]): Promise<void> {
  for (const model of env.unit.registry.models.values()) {
    if (!model.hasTable) continue
    for (const { table, column } of added) {
      const field = table === model.table ? model.fields.get(column) : undefined
      if (field) await fillColumn(env, model, field)
    }
  }
}

async function fillColumn(env: Environment, model: ModelDef, field: FieldDef): Promise<void> {
  if (field.compute) {
    const rows = await env.query<[number]>(sql`SELECT "id" FROM ${id(model.table)}`)
    mark(
      env,
      field,
      rows.map((row) => row[0]),
    )
    return
  }
  const value = await valueFor(env, field)
  if (value)
    await env.query(
      sql`UPDATE ${id(model.table)} SET ${id(field.name)} = ${value} WHERE ${id(field.name)} IS NULL`,
    )
}

/** The value of existing records in a new column, as SQL; null if there is no default. */
export async function valueFor(env: Environment, field: FieldDef): Promise<Sql | null> {
  const value = await field.defaultOf?.(env)
  if (value === undefined || value === null) return null
  const kept = jsonValue(env, field, field.type.toColumn(field, value))
  const parameter = typeof kept === 'object' && kept !== null ? JSON.stringify(kept) : kept
  return expressionIn(field, sql`${parameter}::${raw(columnTypeIn(field))}`)
}

/** Whether the value can be a DEFAULT of the column. */
export function isPlain(field: FieldDef): boolean {
  const type = field.column ? field.type.columnType(field) : null
  return (
    type !== null &&
    type !== 'bytea' &&
    type !== 'jsonb' &&
    !field.translate &&
    !field.options.companyDependent
  )
}

/**
 * The text of a value for all new records, for the column's DEFAULT; null if there is no default, or if
 * it depends on the database's contents.
 */
export async function fixedDefault(env: Environment, field: FieldDef): Promise<string | null> {
  const value = field.options.default
  if (field.compute || value === undefined || value === null || !isPlain(field)) return null
  return literalOf(
    env,
    field,
    expressionIn(
      field,
      sql`${jsonValue(env, field, field.type.toColumn(field, value))}::${raw(columnTypeIn(field))}`,
    ),
  )
}

export async function literalOf(env: Environment, field: FieldDef, value: Sql): Promise<string> {
  const [row] = await env.query(sql`SELECT quote_literal((${value})::text)`)
  return `${row?.[0]}::${columnTypeIn(field)}`
}
