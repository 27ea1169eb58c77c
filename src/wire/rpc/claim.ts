// The credentials that a long RPC call claims, read from its first arguments and checked before the rest of
// the body is read.
import { AccessDenied, Unauthorized } from '../../errors.ts'
import type { Backend, Origin } from '../backend.ts'
import { databaseNamed } from './database.ts'

/** A credential that a body begins with: a user's, or the master password. */
export type Claim =
  | { readonly kind: 'user'; readonly database: string; readonly uid: unknown; readonly password: string }
  | { readonly kind: 'master'; readonly master: string }

/** Whose a body is: its bytes count for them. */
export interface Proven {
  readonly user: string
  readonly database: string | null
}

/**
 * The claim of a call; null before it has arrived. Without a known service, the types of the arguments
 * decide.
 */
export function claimOf(service: unknown, [first, second, third]: readonly unknown[]): Claim | null {
  if (typeof first !== 'string' || second === undefined) return null
  const isObject = service === 'object' || (service === undefined && typeof second === 'number')
  if (isObject)
    return typeof third === 'string' ? { kind: 'user', database: first, uid: second, password: third } : null
  return service === 'db' || service === undefined ? { kind: 'master', master: first } : null
}

/**
 * Judges a claim. Throws AccessDenied for a wrong one, and InvalidValue for a database that does not exist.
 */
export async function verifyClaim(backend: Backend, origin: Origin, claim: Claim): Promise<Proven> {
  const { databases, db } = backend
  if (claim.kind === 'master') {
    await db.admit(databases, { master: claim.master, address: origin.remote })
    return { user: 'master', database: null }
  }
  const database = await databaseNamed(backend, origin, claim.database)
  const credential = passwordOf(claim.uid, claim.password)
  try {
    await backend.prove(databases, {
      database,
      credential,
      remote: origin.remote,
      userAgent: origin.userAgent,
    })
  } catch (error) {
    throw error instanceof Unauthorized ? new AccessDenied() : error
  }
  return { user: `${database} ${credential.uid}`, database }
}

/**
 * A user's id with a password; ids that clients keep as text are understood. Throws AccessDenied for what can
 * be none, like for a wrong password.
 */
export function passwordOf(uid: unknown, password: unknown) {
  const id = typeof uid === 'string' && /^\d{1,10}$/.test(uid) ? Number(uid) : uid
  if (typeof id !== 'number' || !Number.isInteger(id) || id <= 0) throw new AccessDenied()
  if (typeof password !== 'string' || password === '') throw new AccessDenied()
  return { kind: 'password', uid: id, password } as const
}
