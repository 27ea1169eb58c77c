// The verbs of administrators at the machine: keys and modules, without a password.

import type { Databases, Progress } from '../databases/index.ts'
import {
  addModules,
  finishModules,
  type Ground,
  hasDemo,
  markDemo,
  markInstalled,
  markRelease,
  markUninstalled,
  removeModules,
  systemUnit,
  withDependencies,
} from '../databases/index.ts'
import { UserError } from '../errors.ts'
import { hashKey, newKey } from '../kit/secrets.ts'
import type { Module } from '../models/index.ts'
import { install } from '../models/install/install.ts'
import type { ModuleChange } from '../models/language/outside.ts'
import type { Unit } from '../models/language/unit.ts'
import { auditInsert } from '../models/rights/audit.ts'
import { parseScope } from '../models/rights/key-scope.ts'
import { withRetries } from '../postgres/index.ts'
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
  if (!(days > 0 && days <= 92))
    throw new UserError('Invalid duration: an API key is valid for at most three months.')
  if (scope?.startsWith('rpc ') && !parseScope(scope))
    throw new UserError('This scope grants no access: see comptoir key restrict --help.')
  if (scope && parseScope(`rpc ${scope}`))
    throw new UserError(`This scope grants no access without rpc before it: use "rpc ${scope}".`)
  const database = await server.database(name)
  const key = newKey()
  await database.system(async (env) => {
    const [user] = await env.query(sql`SELECT id FROM res_users WHERE login = ${login} AND active`)
    if (!user) throw new UserError(`No active user has the login ${JSON.stringify(login)}.`)
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
  /** The user who asked over the API; absent for the command line. */
  readonly by?: ModuleChange['by'] | undefined
}

/** Audit entries for modules: installing and removing them changes groups, access rights and rules. */
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
  const available = server.options.modules
  await changeModules(server, name, { progress }, async (ground) => {
    assertComplete(ground)
    const modules = withDependencies(available, names).filter((module) => !ground.modules.includes(module))
    if (modules.length === 0) return
    const withDemo = demo ?? (await systemUnit(ground.pool, ground.modules, ({ unit }) => hasDemo(unit)))
    await addModules(ground, {
      modules,
      demo: withDemo,
      mark: async (unit) => {
        await markInstalled(unit, available, modules)
        if (withDemo) await markDemo(unit, modules)
        await unit.query(moduleEntries('module.install', modules, by))
      },
      unmark: removed(modules, by),
    })
  })
}

/** Notes in the list of modules and in the audit log that modules are removed. */
const removed = (modules: readonly Module[], by: ModuleOptions['by']) => async (unit: Unit) => {
  await markUninstalled(unit, modules)
  await unit.query(
    moduleEntries(
      'module.uninstall',
      modules.map(({ name }) => ({ name })),
      by,
    ),
  )
}

/** Modules that those of the database need in this build, and that it does not have. */
const newlyNeeded = ({ available, modules }: Ground): Module[] =>
  withDependencies(
    available,
    modules.map((module) => module.name),
  ).filter((module) => !modules.includes(module))

/** Throws UserError where an upgrade has to come first. */
function assertComplete(ground: Ground): void {
  const [needed] = newlyNeeded(ground)
  if (needed)
    throw new UserError(
      `The modules of ${ground.name} need ${needed.name} in this build: run comptoir module upgrade --database ${ground.name} first.`,
    )
}

/**
 * Brings tables, reflection and data of installed modules up to date; none named: all. Modules that they
 * need in this build are installed with them.
 */
export async function upgradeModules(
  server: Databases,
  name: string,
  names: readonly string[],
  { progress, by }: ModuleOptions = {},
): Promise<void> {
  await changeModules(server, name, { progress }, async (ground) => {
    const { available, pool } = ground
    assertInstalled(name, names, ground.modules)
    const needed = newlyNeeded(ground)
    const modules = available.filter((module) => ground.modules.includes(module) || needed.includes(module))
    const chosen = names.length
      ? modules.filter((module) => names.includes(module.name) || needed.includes(module))
      : modules
    // Running calls hold some tables and wait for others. PostgreSQL resolves a deadlock by aborting one
    // side.
    await withRetries(() =>
      systemUnit(pool, modules, async ({ unit }) => {
        await install(unit, { modules: chosen, fresh: false, ...(progress ? { progress } : {}) })
        await markInstalled(unit, available, chosen)
        if (chosen.length === modules.length) await markRelease(unit)
        await unit.query(moduleEntries('module.upgrade', chosen, by))
        await unit.query(sql`UPDATE rights_version SET version = version + 1`)
      }),
    )
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
  { by, progress }: ModuleOptions = {},
): Promise<void> {
  await changeModules(server, name, { progress, leaving: names }, async (ground) => {
    assertComplete(ground)
    assertInstalled(name, names, ground.modules)
    if (names.includes('base'))
      throw new UserError('The module base cannot be uninstalled: every other module requires it.')
    for (const module of ground.modules) {
      const needed = module.depends.filter((need) => names.includes(need))
      if (!names.includes(module.name) && needed.length)
        throw new UserError(
          `The module ${module.name} needs ${needed.join(' and ')}: uninstall it too, or first.`,
        )
    }
    const modules = ground.modules.filter((module) => names.includes(module.name))
    await removeModules(ground, { modules, mark: removed(modules, by) })
  })
}

function assertInstalled(name: string, names: readonly string[], installed: readonly Module[]): void {
  const missing = names.filter((wanted) => !installed.some((module) => module.name === wanted))
  if (missing.length) throw new UserError(`Not installed in ${name}: ${missing.join(', ')}.`)
}

/**
 * Changes which modules a database has, while others use it; one process at a time. Changes that a process
 * left half done are ended before. Throws ServiceUnavailable when another one does not end.
 */
const changeModules = (
  server: Databases,
  name: string,
  { progress, leaving = [] }: { readonly progress?: Progress; readonly leaving?: readonly string[] },
  work: (ground: Ground) => Promise<void>,
): Promise<void> =>
  server.upgradeBy(name, { progress, ofModules: true }, async (ground) => {
    await finishModules(ground, leaving)
    await work(ground)
  })
