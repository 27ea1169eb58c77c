// Installs modules into a database: tables, catalogue, data, foreign keys, all in one transaction under
// one lock.

import { flush } from '../compute/recompute.ts'
import type { Environment } from '../language/environment.ts'
import type { DataSet, Module } from '../language/module.ts'
import type { Unit } from '../language/unit.ts'
import { applyForeignKeys, applyTables, lockSchema } from '../schema/apply.ts'
import { applyDictionaries, schemaOf } from '../schema/tables.ts'
import { activeLanguages, loadTerms } from '../terms/load.ts'
import { environmentOf } from '../unit/environment.ts'
import { JUDGE_ALL, SYSTEM } from '../unit/options.ts'
import { loadData } from './data.ts'
import { reflect } from './reflect.ts'
import { fillColumns, finishTasks, skipMigrations } from './tasks.ts'

export interface InstallOptions {
  /** Modules to install or upgrade, in order. The unit's registry has all modules of the database. */
  readonly modules: readonly Module[]
  readonly demo?: boolean
  /** Whether the database is empty. */
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

/** Runs the modules' `init` functions, which create database objects other than tables. */
export async function initialise(env: Environment, modules: readonly Module[]): Promise<void> {
  for (const module of modules) for (const { init } of module.models) if (init) await init(env)
}

/**
 * Updates catalogue, data and translations. `prune`: entries that no module has any more are removed
 * from the catalogue.
 */
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
