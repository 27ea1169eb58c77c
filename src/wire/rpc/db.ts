// The db service of RPC: databases of the server. Most functions require the master password (spec/wire.md
// section 12).
import { writeFile } from 'node:fs/promises'
import { InvalidValue, UserError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import type { Manager } from '../../services/db.ts'
import type { Backend, Origin } from '../backend.ts'
import { isYes } from '../parse.ts'
import type { RpcFunction } from './function.ts'

type Arguments = readonly unknown[]
type Run = (backend: Backend, args: Arguments, origin: Origin) => Promise<unknown>

/**
 * A function that takes so many arguments, at least and at most; any other count is refused before anything
 * runs.
 */
function counted(least: number, most: number, run: Run): RpcFunction {
  return async (backend: Backend, origin: Origin, args: Arguments) => {
    if (args.length < least || args.length > most)
      throw new InvalidValue(
        `Expected ${least === most ? least : `${least} to ${most}`} arguments, got ${args.length}`,
      )
    return JSON.stringify(await run(backend, args, origin))
  }
}

/**
 * An argument that is a text; null and others count as an empty one, which no master password and no name is.
 */
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The caller of a function with a master password, which is always its first argument. */
const manager = (master: unknown, { remote }: Origin): Manager => ({ master: text(master), address: remote })

const optional = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

async function createDatabase({ databases, db }: Backend, args: Arguments, origin: Origin): Promise<true> {
  const [master, name, demo, lang, password = 'admin', login = 'admin', country, phone] = args
  await db.create(databases, manager(master, origin), {
    name: text(name),
    demo: isYes(demo),
    lang: optional(lang) ?? 'en_US',
    password: text(password),
    login: text(login),
    country: optional(country),
    phone: optional(phone),
  })
  return true
}

async function duplicateDatabase(
  { databases, db }: Backend,
  [master, from, to, neutralize]: Arguments,
  origin: Origin,
): Promise<true> {
  await db.duplicate(databases, manager(master, origin), text(from), text(to), {
    neutralize: isYes(neutralize),
  })
  return true
}

async function rename(
  { databases, db }: Backend,
  [master, from, to]: Arguments,
  origin: Origin,
): Promise<true> {
  await db.rename(databases, manager(master, origin), text(from), text(to))
  return true
}

/**
 * The backup as base64; it is in memory as a whole, and more than once, as this wire can send it no other
 * way. Throws UserError for one that is larger than what a call may read of files.
 */
async function dump(
  { databases, db }: Backend,
  [master, name, format = 'zip']: Arguments,
  origin: Origin,
): Promise<string> {
  const stream = await db.backup(
    databases,
    manager(master, origin),
    text(name),
    format === 'zip' ? 'zip' : 'dump',
  )
  let written = ''
  let rest = Buffer.alloc(0)
  let size = 0
  for await (const piece of stream) {
    size += (piece as Buffer).length
    if (size > limits.contents)
      throw new UserError(
        'This backup is too large for RPC, which needs it in one text (limit "contents"): fetch it from /web/database/backup.',
      )
    const bytes = Buffer.concat([rest, piece as Buffer])
    // Three bytes are four letters.
    const whole = bytes.length - (bytes.length % 3)
    written += bytes.toString('base64', 0, whole)
    rest = bytes.subarray(whole)
  }
  return written + rest.toString('base64')
}

async function restore(
  { databases, db }: Backend,
  [master, name, data, copy]: Arguments,
  origin: Origin,
): Promise<true> {
  await db.admit(databases, manager(master, origin))
  await databases.scratch(async (path) => {
    await writeFile(path, Buffer.from(text(data), 'base64'), { mode: 0o600 })
    await db.restore(databases, manager(master, origin), text(name), path, { copy: isYes(copy) })
  })
  return true
}

async function changeAdminPassword(
  { databases, db }: Backend,
  [master, next]: Arguments,
  origin: Origin,
): Promise<true> {
  await db.changeMasterPassword(databases, manager(master, origin), text(next))
  return true
}

async function listCountries(
  { databases, catalogue }: Backend,
  [master]: Arguments,
  { remote }: Origin,
): Promise<unknown> {
  await databases.master.assert(text(master), remote)
  return catalogue().countries
}

/** Brings the modules of databases up to date. */
async function migrateDatabases(
  { databases, db, upgradeModules }: Backend,
  [master, names]: Arguments,
  origin: Origin,
): Promise<true> {
  await db.admit(databases, manager(master, origin))
  if (!Array.isArray(names)) throw new InvalidValue('databases must be an array of names')
  // All of them or none: a name that is wrong is found out before the first one is begun.
  const existing = new Set(await databases.list())
  const unknown = names.find((name) => !existing.has(text(name)))
  if (unknown !== undefined) throw new UserError(`Database ${JSON.stringify(unknown)} not found.`)
  for (const name of names) await upgradeModules(databases, text(name), [])
  return true
}

export const functions: ReadonlyMap<unknown, RpcFunction> = new Map<unknown, RpcFunction>([
  ['db_exist', counted(1, 1, ({ databases, db }, [name], { host }) => db.exist(databases, text(name), host))],
  // `list` had an argument once, and clients send it still.
  ['list', counted(0, 1, ({ databases, db }, _args, { host }) => db.list(databases, host))],
  ['server_version', counted(0, 0, async ({ version }) => version().server_version)],
  ['list_lang', counted(0, 0, async ({ catalogue }) => catalogue().languages)],
  ['list_countries', counted(1, 1, listCountries)],
  ['create_database', counted(4, 8, createDatabase)],
  ['duplicate_database', counted(3, 4, duplicateDatabase)],
  [
    'drop',
    counted(2, 2, ({ databases, db }, [master, name], origin) =>
      db.drop(databases, manager(master, origin), text(name)),
    ),
  ],
  ['rename', counted(3, 3, rename)],
  ['dump', counted(2, 3, dump)],
  ['restore', counted(3, 4, restore)],
  ['migrate_databases', counted(2, 2, migrateDatabases)],
  ['change_admin_password', counted(2, 2, changeAdminPassword)],
])
