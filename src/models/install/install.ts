// Installs modules into a database: tables, catalogue, data, foreign keys, all in one transaction under
// one lock. Removes the rows that go with modules: records of their data, reflection, external ids.
// Tables and columns go in steps of their own (schema/removal.ts).

import { UserError } from '../../errors.ts'
import { id, idList, sql } from '../../sql/index.ts'
import { flush } from '../compute/recompute.ts'
import type { Ids, Registry } from '../language/definitions.ts'
import type { Environment } from '../language/environment.ts'
import type { DataSet, Module } from '../language/module.ts'
import type { Unit } from '../language/unit.ts'
import { applyForeignKeys, applyTables, lockSchema } from '../schema/apply.ts'
import type { Leftover } from '../schema/rolling.ts'
import { applyDictionaries, type Schema, schemaOf } from '../schema/tables.ts'
import { activeLanguages, loadTerms } from '../terms/load.ts'
import { environmentOf, recordsOf } from '../unit/environment.ts'
import { JUDGE_ALL, SYSTEM } from '../unit/options.ts'
import { loadData } from './data.ts'
import { reflect } from './reflect.ts'
import { fillColumns, finishTasks, skipMigrations } from './tasks.ts'

export interface InstallOptions {
  /** Modules to install or upgrade, in order. The unit's registry has all modules of the database. */
  readonly modules: readonly Module[]
  readonly demo?: boolean
  readonly fresh: boolean
  /** Called before each step with its description and the share that is done. */
  readonly progress?: (step: string, done: number) => void
}

/** Runs in the unit's transaction; the caller commits. Data is created by the system user. */
export async function install(unit: Unit, options: InstallOptions): Promise<void> {
  const { modules, progress = () => undefined } = options
  // No other session uses a new database, and there is no table to lock.
  if (!options.fresh) await lockSchema(unit)
  const schema = schemaOf(unit.registry)
  progress('tables', 0.05)
  const env = installing(unit, options.fresh ? 'fresh' : 'upgrade')
  await applyTables(unit, schema, (added) => fillColumns(env, added))
  await initialise(env, modules)
  await loadModules(env, options, true)
  await (options.fresh ? skipMigrations(env, modules) : finishTasks(env, modules))
  // PostgreSQL cannot add a foreign key to a table whose rows have pending deferred checks.
  if (options.demo) unit.buffer.post(JUDGE_ALL)
  progress('foreign keys', 0.9)
  await applyForeignKeys(unit, schema)
  progress('done', 1)
}

/** The environment in which modules are installed, upgraded or removed. */
export function installing(unit: Unit, mode: 'fresh' | 'upgrade' | 'uninstall' = 'upgrade'): Environment {
  return environmentOf(unit, SYSTEM, { 'server:install_mode': mode, active_test: false }, true)
}

export async function initialise(env: Environment, modules: readonly Module[]): Promise<void> {
  for (const module of modules) for (const { init } of module.models) if (init) await init(env)
}

/** Updates catalogue, data and translations. `prune`: removes entries that no module has any more. */
export async function loadModules(env: Environment, options: InstallOptions, prune: boolean): Promise<void> {
  const { modules, progress = () => undefined } = options
  progress('models and fields', 0.3)
  await reflect(env, env.unit.registry, prune)
  for (const [i, module] of modules.entries()) {
    const report = (model: string) => progress(`${module.name}: ${model}`, 0.35 + (0.3 * i) / modules.length)
    await loadSets(env, module, module.data ?? [], report)
    await module.ready?.(env)
  }
  // Last, because demo data may use every module's data.
  for (const [i, module] of (options.demo ? modules : []).entries()) {
    const report = (model: string) => progress(`${module.name}: ${model}`, 0.65 + (0.2 * i) / modules.length)
    await loadSets(env, module, module.demo ?? [], report)
  }
  if (!options.fresh) await loadTerms(env, await activeLanguages(env))
  progress('computed fields', 0.85)
  await flush(env)
  await applyDictionaries(env.unit, env.unit.registry)
}

async function loadSets(
  env: Environment,
  module: Module,
  sets: NonNullable<Module['data'] | Module['demo']>,
  report: (model: string) => void,
): Promise<void> {
  for (const set of sets) {
    const data: DataSet | null = typeof set === 'function' ? await set(env) : set
    if (data === null) continue
    report(data.model)
    await loadData(env, module.name, data)
  }
}

interface UninstallOptions {
  /** Names of the modules that go; no module that stays depends on one of them. */
  readonly modules: readonly string[]
  /** The registry without them; the unit's own still has them. */
  readonly remaining: Registry
}

/** Reflection is brought up to date as a whole. */
const REFLECTED: readonly string[] = ['ir.model', 'ir.model.fields', 'ir.model.fields.selection']

const goneOf = (before: Registry, remaining: Registry) =>
  [...before.models.keys()].filter((name) => !remaining.get(name))

/**
 * Removes the records that the modules' data made, in an environment that still has the modules. Changes of
 * that data to records of others stay. Throws UserError when fields made over the API, or records that may
 * not be removed, still refer to the modules' models or data.
 */
export async function removeData(env: Environment, { modules, remaining }: UninstallOptions): Promise<void> {
  await assertUnused(env, remaining)
  const gone = goneOf(env.unit.registry, remaining)
  await removeRecords(env, modules, remaining)
  if (gone.length) await env.query(sql`DELETE FROM ir_attachment WHERE res_model = ANY(${gone}::text[])`)
}

/** Takes the modules out of reflection and external ids, in an environment without them. */
export async function forgetModules(
  env: Environment,
  modules: readonly string[],
  before: Registry,
): Promise<void> {
  await reflect(env)
  await env.query(
    sql`DELETE FROM ir_model_data WHERE module = ANY(${modules}::text[]) OR model = ANY(${goneOf(before, env.unit.registry)}::text[])`,
  )
}

/**
 * Throws UserError when fields made over the API refer to models that do not remain, and when sealed records
 * would go.
 */
export async function assertUnused(env: Environment, remaining: Registry): Promise<void> {
  const gone = goneOf(env.unit.registry, remaining)
  const rows = await env.query(sql`SELECT model || '.' || name FROM ir_model_fields
    WHERE state = 'manual' AND relation = ANY(${gone}::text[]) AND NOT (model = ANY(${gone}::text[])) ORDER BY 1`)
  if (rows.length)
    throw new UserError(`Custom fields refer to its models: ${rows.map(([name]) => name).join(', ')}.`)
  const sealed = await env.query<[string]>(
    sql`SELECT DISTINCT res_model FROM comptoir_chain_link WHERE res_model = ANY(${gone}::text[]) ORDER BY 1`,
  )
  if (sealed.length)
    throw new UserError(
      `Sealed records would be deleted (${sealed.map(([name]) => env.unit.registry.get(name)?.label ?? name).join(', ')}): the module stays installed.`,
    )
}

/** Unlinks the modules' data in models that stay, youngest first; data of another module too stay. */
async function removeRecords(
  env: Environment,
  modules: readonly string[],
  remaining: Registry,
): Promise<void> {
  const rows =
    await env.query(sql`SELECT d.model, array_agg(d.res_id ORDER BY d.res_id DESC) FROM ir_model_data d
    WHERE d.module = ANY(${modules}::text[]) AND NOT (d.model = ANY(${REFLECTED}::text[]))
      AND NOT EXISTS (SELECT FROM ir_model_data o WHERE o.model = d.model AND o.res_id = d.res_id AND NOT (o.module = ANY(${modules}::text[])))
    GROUP BY d.model ORDER BY max(d.id) DESC`)
  for (const [name, ids] of rows as readonly (readonly [string, Ids])[]) {
    const model = env.unit.registry.get(name)
    if (!model?.hasTable || !remaining.get(name)) continue
    const rows = await env.query<[number]>(
      sql`SELECT id FROM ${id(model.table)} WHERE id = ANY(${idList(ids)}) ORDER BY id DESC`,
    )
    if (rows.length)
      await recordsOf(
        env,
        model,
        rows.map((row) => row[0]),
      ).unlink()
  }
}

// Columns and tables that modules created and that no module declares any more, according to the catalogue.

/** Custom models and fields are not leftovers. Must run before the catalogue is pruned. */
export async function leftovers(env: Environment, schema: Schema): Promise<Leftover[]> {
  const { registry } = env.unit
  const rows =
    await env.query(sql`SELECT f.model, f.name, f.relation_table FROM ir_model_fields f JOIN ir_model m ON m.model = f.model
    WHERE m.state = 'base' AND f.state = 'base' AND f.store AND NOT COALESCE(m.abstract, FALSE) ORDER BY f.model, f.name`)
  const declared = new Set(schema.tables.map(({ name }) => name))
  const leftoversByName = new Map<string, Leftover>()
  const add = (table: string, column: string | null) => {
    if (column !== null || !declared.has(table)) leftoversByName.set(`${table} ${column}`, { table, column })
  }
  for (const [name, field, link] of rows as readonly (readonly [string, string, string | null])[]) {
    const model = registry.get(name)
    if (!model) add(name.replaceAll('.', '_'), null)
    if (link !== null && !model?.fields.get(field)?.link) add(link, null)
    else if (link === null && model?.hasTable && !model.fields.get(field)?.column) add(model.table, field)
  }
  return [...leftoversByName.values()]
}

/** Custom fields that refer to a model which will be dropped, as `model.field`. */
export async function customUsesOf(env: Environment, schema: Schema): Promise<string[]> {
  const rows = await env.query<
    [string, string]
  >(sql`SELECT f.model || '.' || f.name, f.relation FROM ir_model_fields f JOIN ir_model m ON m.model = f.relation
    WHERE f.state = 'manual' AND m.state = 'base' ORDER BY 1`)
  return rows
    .filter(([, relation]) => !env.unit.registry.get(relation) && schema.tables.length > 0)
    .map(([name]) => name)
}
