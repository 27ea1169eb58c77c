// The verbs of browser sessions: sign in, become the system user, stay, sign out (spec/client-needs.md sections 3 and 4).
import { AddressGuard, askPool, endSession, keepSession, startSession } from '../access/index.ts'
import type { Databases } from '../databases/index.ts'
import { AccessDenied } from '../errors.ts'

/** A session's use is written down at most this often by a process. */
const KEPT_MS = 10 * 60_000
/** Tokens whose use was written down, and when; the oldest go first. */
const kept = new Map<string, number>()
const KEPT_MOST = 10_000

export const session = {
  /** The token of a new session. Throws AccessDenied for a wrong login or password (API keys do not count) and while the address has to wait. */
  async signIn(server: Databases, name: string, login: unknown, password: unknown, remote: string): Promise<string> {
    const database = await server.database(name)
    const ask = askPool(database.pool)
    const guard = new AddressGuard(ask, remote)
    await guard.assertNone()
    const uid = typeof login === 'string' ? await database.callers.check({ login }, password) : null
    await (uid === null ? guard.failed() : guard.succeeded())
    await guard.settle()
    if (uid === null) throw new AccessDenied()
    return startSession(ask, uid)
  },

  /**
   * A session of the same person that acts as the system user, in place of the given one; null for people without Settings rights.
   * Throws SessionExpired.
   */
  async become(server: Databases, name: string, token: string): Promise<string | null> {
    const database = await server.database(name)
    const ask = askPool(database.pool)
    const { profile } = await database.callers.bySession(token)
    if (!profile.groups.has('base.group_system')) return null
    const fresh = await startSession(ask, profile.id, { asSystem: true })
    await endSession(ask, token)
    return fresh
  },

  /** Ends a session. */
  async signOut(server: Databases, name: string, token: string): Promise<void> {
    kept.delete(token)
    const database = await server.database(name)
    await endSession(askPool(database.pool), token)
  },

  /** Notes that a session was used; true when that was written down, and the cookie deserves a new lease too. */
  async keep(server: Databases, name: string, token: string): Promise<boolean> {
    const now = performance.now()
    if (now - (kept.get(token) ?? Number.NEGATIVE_INFINITY) < KEPT_MS) return false
    kept.delete(token)
    kept.set(token, now)
    if (kept.size > KEPT_MOST) kept.delete(kept.keys().next().value as string)
    const database = await server.database(name)
    await keepSession(askPool(database.pool), token)
    return true
  },
}
