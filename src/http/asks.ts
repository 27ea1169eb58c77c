// What a request asks by headers, kept on it for the route; what is told about it goes out as headers of the
// answer.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answering } from '../access/index.ts'
import type { Extensions } from '../config/index.ts'
import type { Asks } from '../services/request.ts'
import { asksOf } from '../wire/preferences.ts'
import { tellOnce } from './reply.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What is asked beyond the documented API; null for nearly all. */
    asks: Asks | null
    /** Its answer, for those who count calls; null where nobody does. */
    answering: Answering | null
    /** Whether failures are told as problem details. */
    wantsProblem: boolean
  }
}

/** Throws BadRequest for headers that cannot be read. */
export function asksFrom(request: FastifyRequest, reply: FastifyReply, extensions: Extensions): Asks {
  return asksOf(request.headers, extensions, (name, value) => tellOnce(reply, name, value))
}
