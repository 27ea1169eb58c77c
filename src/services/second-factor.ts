// The verbs of logins that wait for their second factor: what they wait for, and the code that ends the wait.
import {
  askPool,
  codeAttempt,
  endPending,
  endSessionsOfOwner,
  noteLogin,
  type PendingLogin,
  readPending,
  startSession,
} from '../access/index.ts'
import type { Database, Databases } from '../databases/index.ts'
import { AccessDenied, SessionExpired } from '../errors.ts'
import { confirmSecret, type Enrolment, proposedSecret, useCode, WRONG_CODE } from '../logins/index.ts'
import { auditInsert } from '../models/rights/audit.ts'
import type { Sql } from '../sql/index.ts'

/** Where a code comes from. */
export interface CodePlace {
  readonly remote: string
  readonly userAgent?: string | undefined
}

/** A new session; with it, after an enrolment, recovery codes, which are shown this once. */
export interface Completed {
  readonly token: string
  readonly recoveryCodes: readonly string[] | null
}

const asking = (database: Database) => {
  const ask = askPool(database.pool)
  return { query: (statement: Sql) => ask(statement.compile()) }
}

/** Throws SessionExpired where nothing waits. */
async function pendingOf(database: Database, token: string): Promise<PendingLogin> {
  const pending = await readPending(askPool(database.pool), token)
  if (!pending || pending.secondFactor === 'none') throw new SessionExpired()
  return pending
}

export const secondFactor = {
  /** The login that waits, and the secret to enrol; null where a code is awaited. Throws SessionExpired. */
  async awaited(
    server: Databases,
    name: string,
    token: string,
  ): Promise<{ readonly login: string; readonly enrolment: Enrolment | null }> {
    const database = await server.database(name)
    const { uid, login, secondFactor: needed } = await pendingOf(database, token)
    if (needed !== 'enrol') return { login, enrolment: null }
    const enrolment = await proposedSecret(asking(database), uid)
    // The second factor was taken away while its code was awaited: signing in again proposes another.
    if (!enrolment) throw new SessionExpired()
    return { login, enrolment }
  },

  /**
   * Ends the wait of a login by a code: of the app, a recovery code, or the first code of a secret that is
   * enrolled. Throws SessionExpired, and AccessDenied for a wrong code and while the address or the user has
   * to wait.
   */
  async complete(
    server: Databases,
    name: string,
    token: string,
    code: unknown,
    { remote, userAgent }: CodePlace,
  ): Promise<Completed> {
    const database = await server.database(name)
    const pending = await pendingOf(database, token)
    const { uid, login } = pending
    const attempt = database.callers.attempt(codeAttempt(uid, login, remote, 'session'))
    const right = await attempt.judge(() => useSubmittedCode(database, pending, code, remote))
    if (!right) throw new AccessDenied(WRONG_CODE)
    if (!(await endPending(askPool(database.pool), token))) throw new SessionExpired()
    await attempt.signedIn(uid)
    await noteLogin(askPool(database.pool), uid)
    const session = await startSession(askPool(database.pool), uid, { address: remote, userAgent })
    return { token: session, recoveryCodes: right.recoveryCodes }
  },
}

/** Uses the code, and writes down what that changed; null for a wrong one. */
async function useSubmittedCode(
  database: Database,
  { uid, login, secondFactor: needed }: PendingLogin,
  code: unknown,
  address: string,
): Promise<Pick<Completed, 'recoveryCodes'> | null> {
  const asker = asking(database)
  const moment = database.pool.now()
  const write = (event: string, detail: Readonly<Record<string, unknown>>) => {
    const row = { event, uid, login, address, model: 'res.users', record: uid, name: login, detail }
    database.tell?.(row)
    return asker.query(auditInsert([row]))
  }
  if (needed === 'enrol') {
    const recoveryCodes = await confirmSecret(asker, uid, code, moment)
    if (!recoveryCodes) return null
    // Sessions that one factor opened: this login begins its own.
    await asker.query(endSessionsOfOwner(uid))
    await write('second_factor.enable', { required: true })
    return { recoveryCodes }
  }
  const proof = await useCode(asker, uid, code, moment)
  if (proof?.kind === 'recovery') await write('second_factor.recovery', { left: proof.left })
  return proof && { recoveryCodes: null }
}
