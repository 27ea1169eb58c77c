// One database of the server: its pool, its registry, and the rights that were read from it.
import { Callers } from '../access/index.ts'
import type { Registry } from '../models/defs.ts'
import { Environment, type Module } from '../models/index.ts'
import { SYSTEM } from '../models/install/system.ts'
import { composeRegistry } from '../models/registry.ts'
import { unrestricted } from '../models/rights/unrestricted.ts'
import { Unit } from '../models/unit.ts'
import { Pool, type PoolOptions, sqlState } from '../postgres/index.ts'
import { noDatabase } from './names.ts'

/** Registries by the modules they hold: databases with the same modules share one. */
const registries = new Map<string, Registry>()

/** The registry of a list of installed modules, in the order of `known`. */
export function registryOf(known: readonly Module[], installed: ReadonlySet<string>): Registry {
  const modules = known.filter((module) => installed.has(module.name))
  const key = modules.map((module) => `${module.name} ${module.version}`).join()
  let registry = registries.get(key)
  if (!registry) {
    registry = composeRegistry(modules)
    registries.set(key, registry)
  }
  return registry
}

export class Database {
  readonly name: string
  readonly callers: Callers
  readonly pool: Pool
  readonly #modules: readonly Module[]
  #registry: Registry

  private constructor(name: string, pool: Pool, modules: readonly Module[], registry: Registry) {
    this.name = name
    this.pool = pool
    this.#modules = modules
    this.#registry = registry
    this.callers = new Callers(this)
  }

  /** Opens a database of ours. Throws NotFound for one that is not there or not made by Comptoir. */
  static async open(name: string, options: PoolOptions, modules: readonly Module[]): Promise<Database> {
    const pool = new Pool({ ...options, database: name })
    try {
      const installed = await installedModules(pool)
      return new Database(name, pool, modules, registryOf(modules, installed))
    } catch (error) {
      await pool.end()
      const state = sqlState(error)
      if (state === '3D000' || state === '42P01') throw noDatabase()
      throw error
    }
  }

  get registry(): Registry {
    return this.#registry
  }

  /** Reads anew which modules are installed. */
  async refresh(): Promise<void> {
    this.#registry = registryOf(this.#modules, await installedModules(this.pool))
  }

  /** One transaction of the server's own. */
  system<T>(work: (env: Environment) => Promise<T>): Promise<T> {
    return systemUnit(
      this.pool,
      this.#modules.filter((module) => this.#registry.modules.includes(module.name)),
      work,
    )
  }

  async close(): Promise<void> {
    await this.pool.end()
  }
}

async function installedModules(pool: Pool): Promise<Set<string>> {
  const rows = await pool.use((connection) => connection.query("SELECT name FROM ir_module_module WHERE state = 'installed'"))
  return new Set(rows.map((row) => row[0] as string))
}

/** One transaction of the server's own, as the system user beside all rights, in a database with `modules`. */
export async function systemUnit<T>(pool: Pool, modules: readonly Module[], work: (env: Environment) => Promise<T>): Promise<T> {
  const registry = registryOf(modules, new Set(modules.map((module) => module.name)))
  const unit = new Unit(pool, registry, unrestricted, { readonly: false })
  try {
    const result = await work(new Environment(unit, SYSTEM, { active_test: false }, true))
    await unit.commit()
    return result
  } catch (error) {
    await unit.rollback()
    throw error
  }
}
