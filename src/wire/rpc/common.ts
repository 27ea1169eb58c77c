// The common service of RPC: version, login, authenticate (spec/wire.md section 12).
import { InvalidValue } from '../../errors.ts'
import type { Backend, Origin } from '../backend.ts'
import { databaseNamed } from './database.ts'

/** `version()`. */
export async function version(backend: Backend, _origin: Origin, args: readonly unknown[]): Promise<string> {
  if (args.length) throw new InvalidValue('version takes no arguments')
  return JSON.stringify(backend.version())
}

/** `login(db, login, password)` → the user's id, or false. */
export function login(backend: Backend, origin: Origin, args: readonly unknown[]): Promise<string> {
  if (args.length !== 3) throw new InvalidValue('login takes db, login and password')
  return check(backend, origin, args, 'login')
}

/**
 * `authenticate(db, login, password, user_agent_env)`: the fourth argument must be there, and changes
 * nothing.
 */
export function authenticate(backend: Backend, origin: Origin, args: readonly unknown[]): Promise<string> {
  if (args.length !== 4) throw new InvalidValue('authenticate takes db, login, password and user_agent_env')
  return check(backend, origin, args, 'authenticate')
}

async function check(
  backend: Backend,
  origin: Origin,
  [name, user, password]: readonly unknown[],
  called: string,
): Promise<string> {
  const database = await databaseNamed(backend, origin, name)
  if (typeof user !== 'string' || typeof password !== 'string' || user === '' || password === '')
    return 'false'
  const uid = await backend.login(backend.databases, database, user, password, origin.remote)
  if (uid !== false)
    backend.deprecated.note(database, {
      uid,
      password,
      userAgent: origin.userAgent,
      method: `common.${called}`,
    })
  return JSON.stringify(uid)
}
