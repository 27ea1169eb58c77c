// Data that a process caches of a database: its models, as of one version of its rights.
import { DeclarationError, ServiceUnavailable } from '../errors.ts'
import { Wildcards } from '../kit/wildcards.ts'
import type { Module } from '../models/index.ts'
import type { Registry } from '../models/language/definitions.ts'
import { type ManualRows, manualRows, parseManualRows } from '../models/manual/custom.ts'
import { composeRegistry, recompose } from '../models/registry/registry.ts'
import { versionColumn } from '../models/rights/tables.ts'
import type { Pool } from '../postgres/index.ts'
import { sql } from '../sql/index.ts'
import { buildOf, EXPANDED, isPast, PAST } from './upgrade/builds.ts'

const BEYOND =
  'A newer build of the server has upgraded this database, so this build can no longer serve it. Start the newer build instead.'

const withoutModule = (name: string) =>
  `An earlier build created this database, without the module ${name}, which other modules now require. Stop the server and run: comptoir module upgrade`

/** Registries by the modules they hold: databases with the same modules share one. */
const registries = new Map<string, Registry>()

/** The registry of a list of installed modules, in the order of `allModules`. */
export function registryOf(allModules: readonly Module[], installed: ReadonlySet<string>): Registry {
  const modules = allModules.filter((module) => installed.has(module.name))
  const key = modules.map((module) => `${module.name} ${module.version}`).join()
  let registry = registries.get(key)
  if (!registry) {
    registry = composeRegistry(modules)
    registries.set(key, registry)
  }
  return registry
}

/** The same models in databases that differ in what their tables hold. */
const heldIn = new WeakMap<Registry, Map<string, Registry>>()

function withTables(declared: Registry, { filled, large }: ManualRows): Registry {
  const registriesByKey = heldIn.get(declared) ?? new Map<string, Registry>()
  heldIn.set(declared, registriesByKey)
  const text = `${filled.join()} ${large.join()}`
  const registry =
    registriesByKey.get(text) ??
    Object.freeze({ ...declared, filled: new Set(filled), large: new Set(large) })
  registriesByKey.set(text, registry)
  return registry
}

/** The models of a database as of one version of its rights. */
export interface DatabaseState {
  readonly version: string
  /** PostgreSQL's own number of the database: names go from one to another. */
  readonly identity: number
  readonly registry: Registry
  /** Installed modules and rows of made models, as text: the same text means the same registry. */
  readonly text: string
  /** Calls that need an idempotency key, as `model/method`. */
  readonly keyed: Wildcards
  /**
   * Whether it has the tables of what is offered beyond the documented API: a database of an earlier build
   * has none until it is upgraded.
   */
  readonly hasTables: boolean
  /** This build, as the database tells builds apart. */
  readonly build: string
  /** The build that a running upgrade leads to; null without one. */
  readonly expanded: string | null
}

const knownQuery =
  sql`SELECT (SELECT ${versionColumn} FROM rights_version), (SELECT oid::int8::float8 FROM pg_database WHERE datname = current_database()),
  ARRAY(SELECT name FROM ir_module_module WHERE state = 'installed' ORDER BY name), ${manualRows},
  (SELECT value FROM ir_config_parameter WHERE key = 'comptoir.idempotency_required'), to_regclass('comptoir_feed') IS NOT NULL,
  (SELECT value FROM ir_config_parameter WHERE key = ${EXPANDED}), (SELECT value FROM ir_config_parameter WHERE key = ${PAST})`.compile()

/**
 * Reads the state; keeps the registry of `before` if nothing that it is made of differs. Throws
 * ServiceUnavailable if the database was upgraded beyond this build, or if it lacks a module that its
 * modules need.
 */
export async function readDatabaseState(
  pool: Pool,
  modules: readonly Module[],
  before?: DatabaseState,
): Promise<DatabaseState> {
  const [row] = await pool.use((connection) => connection.query(knownQuery.text, knownQuery.values))
  const [version, identity, installed, created, keyed, hasTables, expanded, past] = row as [
    string,
    number,
    string[],
    string,
    string | null,
    boolean,
    string | null,
    string | null,
  ]
  const present = modules.filter(({ name }) => installed.includes(name))
  const build = buildOf(present)
  if (isPast(build, past)) throw new ServiceUnavailable(BEYOND, { retryAfter: 5, repeats: true })
  const lacking = present.flatMap(({ depends }) => depends).find((need) => !installed.includes(need))
  if (lacking) throw new ServiceUnavailable(withoutModule(lacking), { retryAfter: 60, repeats: true })
  const text = `${installed.join()} ${created}`
  const facts = { version, identity, text, keyed: new Wildcards(keyed ?? ''), hasTables, build, expanded }
  if (before?.text === text) return { ...facts, registry: before.registry }
  const declared = registryOf(modules, new Set(installed))
  return { ...facts, registry: withMade(declared, parseManualRows(created)) }
}

/**
 * Custom models that no longer fit the modules must not make the database unusable: they are left out, and
 * their tables stay.
 */
function withMade(declared: Registry, rows: ManualRows): Registry {
  if (rows.models.length === 0 && rows.fields.length === 0 && rows.precisions.length === 0)
    return withTables(declared, rows)
  try {
    return recompose(declared, rows)
  } catch (error) {
    if (error instanceof DeclarationError) {
      process.emitWarning(
        `Custom models do not match the installed modules and are ignored: ${error.message}`,
      )
      return declared
    }
    throw error
  }
}
