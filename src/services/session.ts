// The verbs of browser sessions: sign in, become the system user, stay, sign out (spec/client-needs.md
// sections 3 and 4).

import {
  askPool,
  endPending,
  endSession,
  keepSession,
  loginAttempt,
  noteAddress,
  noteLogin,
  startPending,
  startSession,
} from '../access/index.ts'
import type { Databases } from '../databases/index.ts'
import { AccessDenied } from '../errors.ts'
import { present } from '../kit/present.ts'
import { type Enrolment, proposeSecret } from '../logins/index.ts'
import type { AuditRow } from '../models/language/outside.ts'
import { auditInsert } from '../models/rights/audit.ts'

/** A session's use is written down at most this often by a process. */
const KEPT_MS = 10 * 60_000
/** Tokens whose use was written down, and when; the oldest go first. */
const kept = new Map<string, number>()
const KEPT_MOST = 10_000

/** The result of a right login and password: a session, or a login that waits for its second factor. */
export type SignedIn =
  | { readonly kind: 'session'; readonly token: string }
  | { readonly kind: 'code'; readonly token: string }
  | { readonly kind: 'enrol'; readonly token: string; readonly enrolment: Enrolment }

/** A person who signs in, and the place they do it from. */
export interface SigningIn {
  readonly login: unknown
  readonly password: unknown
  readonly remote: string
  readonly userAgent?: string | undefined
}

export const session = {
  /** Writes the latest uses of keys, so that a page about keys is up to date. */
  async noteKeyUses(server: Databases, name: string): Promise<void> {
    await (await server.database(name)).callers.settle()
  },
  /**
   * Begins to sign in. Throws AccessDenied for a wrong login or password (API keys do not count) and while
   * the address or the login has to wait. A right password that waits for its second factor leaves the count
   * of failures as it is.
   */
  async begin(
    server: Databases,
    name: string,
    { login, password, remote, userAgent }: SigningIn,
  ): Promise<SignedIn> {
    const database = await server.database(name)
    const ask = askPool(database.pool)
    const loginText = typeof login === 'string' ? login : ''
    const attempt = database.callers.attempt(loginAttempt(loginText, remote, 'session'))
    const right = await attempt.judge(
      () => database.callers.check({ login: loginText }, password),
      ({ secondFactor }) => secondFactor === 'none',
    )
    if (right === null) throw new AccessDenied()
    const { uid, secondFactor } = right
    if (secondFactor === 'code') return { kind: 'code', token: await startPending(ask, uid) }
    if (secondFactor === 'enrol') {
      const enrolment = await proposeSecret({ query: (statement) => ask(statement.compile()) }, uid)
      return { kind: 'enrol', token: await startPending(ask, uid), enrolment }
    }
    await attempt.signedIn(uid)
    await noteLogin(ask, uid)
    return { kind: 'session', token: await startSession(ask, uid, { address: remote, userAgent }) }
  },

  /**
   * The token of a new session, for logins of one factor. Throws AccessDenied as `begin` does, and where a
   * second factor is needed.
   */
  async signIn(
    server: Databases,
    name: string,
    login: unknown,
    password: unknown,
    remote: string,
    userAgent?: string,
  ): Promise<string> {
    const { kind, token } = await session.begin(server, name, { login, password, remote, userAgent })
    if (kind !== 'session') throw new AccessDenied('This login has two factors.')
    return token
  },

  /**
   * A session of the same person that acts as the system user, in place of the given one; null for people
   * without Settings rights.
   * Throws SessionExpired.
   */
  async become(server: Databases, name: string, token: string, remote: string): Promise<string | null> {
    const database = await server.database(name)
    const ask = askPool(database.pool)
    const { callers } = database
    // A cached session may have ended: verify it in the database, as a call would.
    const { profile } = await callers.run(
      () => callers.bySession(token),
      async (caller) => {
        caller.credentialQuery.verify(await ask(caller.credentialQuery.statement))
        return caller
      },
    )
    if (!profile.groups.has('base.group_system')) return null
    const fresh = await startSession(ask, profile.id, { asSystem: true, address: remote })
    await endSession(ask, token)
    const row: AuditRow = { event: 'session.become', uid: profile.id, login: profile.login, address: remote }
    await ask(auditInsert([row]).compile())
    database.tell?.(row)
    return fresh
  },

  /**
   * Keeps the address by which an administrator signed in as that of the server, for links, unless the
   * parameter is frozen.
   */
  async noteAddress(server: Databases, name: string, token: string, address: string | null): Promise<void> {
    if (address === null) return
    const database = await server.database(name)
    await noteAddress(askPool(database.pool), token, address)
  },

  /** Ends a login that waits for its second factor. */
  async cancelPendingLogin(server: Databases, name: string, token: string): Promise<void> {
    await endPending(askPool((await server.database(name)).pool), token)
  },

  /** Ends a session. */
  async signOut(server: Databases, name: string, token: string): Promise<void> {
    kept.delete(token)
    const database = await server.database(name)
    await endSession(askPool(database.pool), token)
  },

  /**
   * Notes that a session was used; true when that was written down, and the cookie deserves a new lease too.
   */
  async keep(server: Databases, name: string, token: string): Promise<boolean> {
    const now = performance.now()
    if (now - (kept.get(token) ?? Number.NEGATIVE_INFINITY) < KEPT_MS) return false
    kept.delete(token)
    kept.set(token, now)
    if (kept.size > KEPT_MOST) kept.delete(present(kept.keys().next().value))
    const database = await server.database(name)
    await keepSession(askPool(database.pool), token)
    return true
  },
}
