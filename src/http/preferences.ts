// Preferences of a request, from its headers, kept on it for the route; those that were applied are sent as
// headers of the answer.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answering } from '../access/index.ts'
import type { Extensions } from '../config/index.ts'
import type { RequestPreferences } from '../services/request.ts'
import { parsePreferences } from '../wire/preferences.ts'
import { setHeaderOnce } from './reply.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Preferences beyond the documented API; null for most requests. */
    asks: RequestPreferences | null
    /** The answer, for rate limits; null if calls are not counted. */
    answering: Answering | null
    /** Whether failures are sent as problem details. */
    wantsProblem: boolean
  }
}

/** Throws BadRequest for headers that cannot be read. */
export function preferencesOfRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  extensions: Extensions,
): RequestPreferences {
  return parsePreferences(request.headers, extensions, (name, value) => setHeaderOnce(reply, name, value))
}
