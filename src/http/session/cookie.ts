// The cookie of browsers: the database, and the token of a session or of a visitor who has not signed in
// (spec/client-needs.md section 2).
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hashKey, newKey } from '../../kit/secrets.ts'

/**
 * Visitors have a token too: forms that they send must come from our pages. `pending`: the password was
 * right, and the second factor is awaited.
 */
export interface Cookie {
  readonly kind: keyof typeof letters
  /** Null: none chosen yet. */
  readonly database: string | null
  readonly token: string
}

const NAME = 'session_id'
const letters = { session: 's', pending: 'p', visitor: 'v' } as const
const WEEK = 7 * 24 * 3600
/** Clients cut the value out at `;` and `=`: it holds neither. */
const VALUE = /^([spv])\.([\w-]*)\.([0-9a-f]{40})$/

/** The cookie of a request; null for a missing one, and for one that this server did not write. */
export function readCookie(request: FastifyRequest): Cookie | null {
  for (const part of request.headers.cookie?.split(';') ?? []) {
    const [name, value] = part.trim().split('=', 2)
    const match = name === NAME ? VALUE.exec(value ?? '') : null
    if (!match) continue
    const [, kind, database = '', token = ''] = match
    return {
      kind: kind === 's' ? 'session' : kind === 'p' ? 'pending' : 'visitor',
      database: Buffer.from(database, 'base64url').toString() || null,
      token,
    }
  }
  return null
}

/** A visitor's cookie, with a new token. */
export function visitorCookie(database: string | null): Cookie {
  return { kind: 'visitor', database, token: newKey() }
}

/** Sets the cookie for a week. */
export function setCookie(
  request: FastifyRequest,
  reply: FastifyReply,
  { kind, database, token }: Cookie,
): void {
  const value = `${letters[kind]}.${Buffer.from(database ?? '').toString('base64url')}.${token}`
  reply.header('set-cookie', `${NAME}=${value}; Max-Age=${WEEK}; ${attributes(request)}`)
}

/** Takes the cookie away. */
export function clearCookie(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('set-cookie', `${NAME}=; Max-Age=0; ${attributes(request)}`)
}

function attributes(request: FastifyRequest): string {
  return `Path=/; HttpOnly; SameSite=Lax${request.protocol === 'https' ? '; Secure' : ''}`
}

/**
 * The token in forms of our pages that protects from requests of other sites: derived from the cookie, which
 * they cannot read.
 */
export function csrfToken({ token }: Cookie): string {
  return hashKey(`form ${token}`).toString('hex')
}
