// The verbs that need no session: the version, and logins (spec/wire.md section 12, spec/external-api.md
// "Version").
import { askPool, loginAttempt, noteLogin } from '../access/index.ts'
import type { Databases } from '../databases/index.ts'

/** The interface's version: what clients of this API expect to find. */
export const VERSION = '19.0'
export const VERSION_INFO = [19, 0, 0, 'final', 0, ''] as const

/** The answer to `version`, the same over every wire. */
export function version() {
  return {
    server_version: VERSION,
    server_version_info: VERSION_INFO,
    server_serie: VERSION,
    protocol_version: 1,
  }
}

/**
 * The user's id for a login with its password or one of its API keys, else false.
 * Throws AccessDenied while the address or the login has to wait after too many failures (spec/wire.md
 * section 7).
 */
export async function login(
  server: Databases,
  name: string,
  user: string,
  password: string,
  remote: string,
): Promise<number | false> {
  const database = await server.database(name)
  const attempt = database.callers.attempt(loginAttempt(user, remote, 'rpc'))
  const uid = await attempt.judge(() => database.callers.login(user, password))
  if (uid !== null) {
    await attempt.signedIn(uid)
    await noteLogin(askPool(database.pool), uid)
  }
  return uid ?? false
}
