// The database and session of a request: the cookie's database, else the header's, else the only one
// (spec/client-needs.md section 2).
import type { FastifyRequest } from 'fastify'
import { AccessError, NotFound } from '../../errors.ts'
import type { Backend } from '../../wire/backend.ts'
import type { Visitor } from '../../wire/session.ts'
import { databaseHeader, originOf } from '../calls.ts'
import { queryOf } from '../query.ts'
import { type Cookie, readCookie } from './cookie.ts'

export interface Visit {
  readonly cookie: Cookie | null
  /** Null if unknown. */
  readonly database: string | null
  /** The visitor; null without a session. The next call checks whether the session is still valid. */
  readonly visitor: Visitor | null
  /** The visitor whose login waits for its second factor; null without one. */
  readonly pending: Visitor | null
}

const NOBODY = { cookie: null, visitor: null, pending: null } as const

/**
 * Reads database and session of a request. A page for another database than the cookie's (`?db=`) is
 * read without the cookie's session. Throws AccessError (403) if cookie and header name two databases.
 */
export async function visitOf(request: FastifyRequest, backend: Backend): Promise<Visit> {
  const requestedDatabase = request.method === 'GET' ? queryOf(request).db : undefined
  const cookie = readCookie(request)
  if (requestedDatabase && requestedDatabase !== cookie?.database)
    return { ...NOBODY, database: await databaseOf(request, backend, requestedDatabase) }
  const header = databaseHeader(request)
  const chosen = cookie?.database ? await databaseOf(request, backend, cookie.database) : null
  if (chosen === null) return { ...NOBODY, database: await databaseOf(request, backend, header) }
  if (header && header !== chosen)
    throw new AccessError(
      'The session belongs to another database than the one in the header X-Service-Database.',
    )
  const holder = cookie && { origin: originOf(request), database: chosen, token: cookie.token }
  const visitor = cookie?.kind === 'session' ? holder : null
  const pending = cookie?.kind === 'pending' ? holder : null
  return { cookie, database: chosen, visitor, pending }
}

/** The database of a request whose session has ended; null if unknown. */
export function withoutSession(request: FastifyRequest, backend: Backend): Promise<string | null> {
  return databaseOf(request, backend, databaseHeader(request))
}

/** The database for a name, or without a name the default of this host; null without one. */
export async function databaseOf(
  request: FastifyRequest,
  backend: Backend,
  name: string | undefined,
): Promise<string | null> {
  try {
    return await backend.databases.choose({ header: name, host: request.headers.host })
  } catch (error) {
    if (error instanceof NotFound) return null
    throw error
  }
}

/** Ends the session or the pending login of a request. */
export async function endVisit({ session, databases }: Backend, { visitor, pending }: Visit): Promise<void> {
  if (visitor) await session.signOut(databases, visitor.database, visitor.token)
  if (pending) await session.cancelPendingLogin(databases, pending.database, pending.token)
}
