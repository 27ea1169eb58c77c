// The verbs of administrators at the machine: keys and modules, without a password.

import type { Databases, Progress } from '../databases/index.ts'
import {
  hasDemo,
  markDemo,
  markInstalled,
  markRelease,
  registryOf,
  systemUnit,
  withDependencies,
} from '../databases/index.ts'
import { ServiceUnavailable, UserError } from '../errors.ts'
import { hashKey, newKey } from '../kit/secrets.ts'
import type { Module } from '../models/index.ts'
import { install } from '../models/install/install.ts'
import { uninstall } from '../models/install/uninstall.ts'
import type { ModuleChange } from '../models/language/outside.ts'
import type { Unit } from '../models/language/unit.ts'
import { auditInsert } from '../models/rights/audit.ts'
import { parseScope } from '../models/rights/key-scope.ts'
import { lockSchema } from '../models/schema/apply.ts'
import { type Pool, withRetries } from '../postgres/index.ts'
import { type Sql, sql } from '../sql/index.ts'

export interface NewKey {
  readonly scope: string | null
  readonly name: string
  readonly days: number
}

/**
 * A key of a user, shown this once. Throws UserError for an unknown login and for more than the three months
 * a key may live.
 */
export async function createKey(
  server: Databases,
  name: string,
  login: string,
  { scope, name: label, days }: NewKey,
): Promise<string> {
  if (!(days > 0 && days <= 92)) throw new UserError('A key lives three months at most.')
  if (scope?.startsWith('rpc ') && !parseScope(scope))
    throw new UserError('This scope opens nothing: comptoir key restrict --help shows what there is.')
  if (scope && parseScope(`rpc ${scope}`))
    throw new UserError(`This scope opens nothing without rpc before it: "rpc ${scope}".`)
  const database = await server.database(name)
  const key = newKey()
  await database.system(async (env) => {
    const [user] = await env.query(sql`SELECT id FROM res_users WHERE login = ${login} AND active`)
    if (!user) throw new UserError(`There is no active user with the login ${JSON.stringify(login)}.`)
    const [row] = await env.query<
      [number]
    >(sql`INSERT INTO res_users_apikeys (name, user_id, scope, key_hash, expiration_date, create_date)
      VALUES (${label}, ${user[0]}, ${scope}, ${hashKey(key)}, now() AT TIME ZONE 'UTC' + ${days} * interval '1 day', now() AT TIME ZONE 'UTC') RETURNING id`)
    const about = {
      model: 'res.users.apikeys',
      record: row?.[0],
      name: label,
      detail: { user: user[0], scope, by: 'command line' },
    }
    await env.query(auditInsert([{ event: 'key.create', uid: null, login: null, address: null, ...about }]))
  })
  return key
}

export interface ModuleOptions {
  readonly progress?: Progress
  /** Who asked over the API; the command line otherwise. */
  readonly by?: ModuleChange['by'] | undefined
}

/** What modules bring and take changes rights too: groups, access lines, rules. */
export function moduleEntries(
  event: string,
  modules: readonly { readonly name: string; readonly version?: string }[],
  by: ModuleOptions['by'],
): Sql {
  return auditInsert(
    modules.map(({ name, version }) => {
      const detail = { ...(by ? {} : { by: 'command line' }), ...(version === undefined ? {} : { version }) }
      return {
        event,
        uid: by?.uid ?? null,
        login: by?.login ?? null,
        address: null,
        model: 'ir.module.module',
        name,
        detail,
      }
    }),
  )
}

export interface ModuleState {
  readonly name: string
  readonly state: string
  readonly summary: string
}

/** All modules that this server knows, with their state in the database. */
export async function listModules(server: Databases, name: string): Promise<ModuleState[]> {
  const database = await server.database(name)
  const rows = await database.system((env) => env.query(sql`SELECT name, state FROM ir_module_module`))
  const states = new Map(rows.map((row) => [row[0] as string, row[1] as string]))
  return server.options.modules.map((module) => ({
    name: module.name,
    state: states.get(module.name) ?? 'uninstalled',
    summary: module.summary,
  }))
}

export interface InstallOptions extends ModuleOptions {
  /** Whether their sample records come along; by default where the database was made with some. */
  readonly demo?: boolean
}

/** Installs modules and what they need; those that are installed already are left alone. */
export async function installModules(
  server: Databases,
  name: string,
  names: readonly string[],
  { by, progress, demo }: InstallOptions = {},
): Promise<void> {
  const known = server.options.modules
  await changeModules(server, name, (there) => {
    const fresh = withDependencies(known, names).filter((module) => !there.includes(module))
    if (fresh.length === 0) return null
    const work = async (unit: Unit) => {
      const withDemo = demo ?? (await hasDemo(unit))
      await install(unit, { modules: fresh, fresh: false, demo: withDemo, ...(progress ? { progress } : {}) })
      await markInstalled(unit, known, fresh)
      if (withDemo) await markDemo(unit, fresh)
      await unit.query(moduleEntries('module.install', fresh, by))
    }
    return { modules: known.filter((module) => there.includes(module) || fresh.includes(module)), work }
  })
}

/** Brings tables, reflection and data of installed modules up to date; none named: all. */
export async function upgradeModules(
  server: Databases,
  name: string,
  names: readonly string[],
  { progress, by }: ModuleOptions = {},
): Promise<void> {
  const known = server.options.modules
  await changeModules(server, name, (there) => {
    assertInstalled(name, names, there)
    const chosen = names.length ? there.filter((module) => names.includes(module.name)) : there
    const work = async (unit: Unit) => {
      await install(unit, { modules: chosen, fresh: false, ...(progress ? { progress } : {}) })
      await markInstalled(unit, known, chosen)
      if (chosen.length === there.length) await markRelease(unit)
      await unit.query(moduleEntries('module.upgrade', chosen, by))
    }
    return { modules: there, work }
  })
}

/**
 * Removes modules with their tables, columns and data, for good. Throws UserError for `base`, for what is not
 * installed, and for what others need.
 */
export async function uninstallModules(
  server: Databases,
  name: string,
  names: readonly string[],
  { by }: ModuleOptions = {},
): Promise<void> {
  await changeModules(server, name, (there) => {
    assertInstalled(name, names, there)
    if (names.includes('base'))
      throw new UserError('The module base cannot be uninstalled: every other module stands on it.')
    const staying = there.filter((module) => !names.includes(module.name))
    for (const module of staying) {
      const needed = module.depends.filter((need) => names.includes(need))
      if (needed.length)
        throw new UserError(
          `The module ${module.name} needs ${needed.join(' and ')}: uninstall it too, or first.`,
        )
    }
    const remaining = registryOf(server.options.modules, new Set(staying.map((module) => module.name)))
    const gone = names.map((one) => ({ name: one }))
    const work = async (unit: Unit) => {
      await uninstall(unit, { modules: names, remaining })
      await unit.query(
        sql`UPDATE ir_module_module SET state = 'uninstalled', latest_version = NULL WHERE name = ANY(${names}::text[])`,
      )
      await unit.query(moduleEntries('module.uninstall', gone, by))
    }
    return { modules: there, work }
  })
}

function assertInstalled(name: string, names: readonly string[], there: readonly Module[]): void {
  const missing = names.filter((wanted) => !there.some((module) => module.name === wanted))
  if (missing.length) throw new UserError(`Not installed in ${name}: ${missing.join(', ')}.`)
}

/** A change of a database's modules, made for those that were installed as it was planned. */
interface ModulePlan {
  /** The modules of the registry that the work is done with. */
  readonly modules: readonly Module[]
  readonly work: (unit: Unit) => Promise<void>
}

/** Plans that another process made void before this one gives up. */
const PLANS = 5

/**
 * Carries out what is planned for the installed modules, under the lock of the schema; null: nothing. Another
 * process may install or remove modules between the plan and the lock: then it is planned anew. Throws
 * ServiceUnavailable when that happens again and again.
 */
async function changeModules(
  server: Databases,
  name: string,
  planFor: (there: readonly Module[]) => ModulePlan | null,
): Promise<void> {
  for (let i = 0; i < PLANS; i++) {
    const database = await server.database(name)
    const there = server.options.modules.filter((module) => database.registry.modules.includes(module.name))
    const plan = planFor(there)
    if (!plan) return
    // Calls under way hold some tables and want others: one of two that wait for each other is told to give
    // way.
    const isDone = await withRetries(() => carriedOut(database.pool, there, plan))
    await server.forget(name)
    if (isDone) return
  }
  throw new ServiceUnavailable(
    'The modules of this database are being changed by others: try again when they are done.',
  )
}

/** False when other modules are installed than the plan was made for, and nothing was done. */
function carriedOut(pool: Pool, there: readonly Module[], { modules, work }: ModulePlan): Promise<boolean> {
  return systemUnit(pool, modules, async ({ unit }) => {
    await lockSchema(unit)
    const known = [...new Set([...modules, ...there])].map((module) => module.name)
    const rows = await unit.query(
      sql`SELECT name FROM ir_module_module WHERE state = 'installed' AND name = ANY(${known}::text[])`,
    )
    const installed = new Set(rows.map((row) => row[0]))
    if (installed.size !== there.length || there.some((module) => !installed.has(module.name))) return false
    await work(unit)
    await unit.query(sql`UPDATE rights_version SET version = version + 1`)
    return true
  })
}
