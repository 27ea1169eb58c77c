// Transactions of the server itself, as the system user without checks of rights.
import type { Environment, Module } from '../models/index.ts'
import type { Registry } from '../models/language/definitions.ts'
import type { FileStore } from '../models/language/outside.ts'
import { unrestricted } from '../models/rights/tables.ts'
import { environmentOf } from '../models/unit/environment.ts'
import { SYSTEM } from '../models/unit/options.ts'
import { UnitOfWork } from '../models/unit/unit.ts'
import type { Pool } from '../postgres/index.ts'
import { registryOf } from './database-state.ts'

/** One transaction in a database with `modules`. */
export async function systemUnit<T>(
  pool: Pool,
  modules: readonly Module[],
  work: (env: Environment) => Promise<T>,
): Promise<T> {
  return unitOf(pool, registryOf(modules, new Set(modules.map((module) => module.name))), work)
}

/** One transaction: what it computes is stored, and all of it committed, or nothing. */
export async function unitOf<T>(
  pool: Pool,
  registry: Registry,
  work: (env: Environment) => Promise<T>,
  files?: FileStore,
  changed?: (() => void) | null,
): Promise<T> {
  const unit = new UnitOfWork(pool, registry, unrestricted, {
    readonly: false,
    patient: true,
    changed: changed ?? null,
    ...(files ? { files } : {}),
  })
  try {
    const env = environmentOf(unit, SYSTEM, { active_test: false }, true)
    const result = await work(env)
    await unit.registry.engine.flush(env)
    await unit.commit()
    return result
  } catch (error) {
    throw await unit.abandon(error)
  }
}
