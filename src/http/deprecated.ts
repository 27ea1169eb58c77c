// The notice on the paths of RPC: deprecated, and when they go (spec/external-api.md, "Deprecation": version
// 22, fall 2028).
import type { FastifyReply } from 'fastify'

/**
 * When the notice was given: with version 19, in September 2025 (RFC 9745: seconds since 1970 after an @).
 */
const DEPRECATED = `@${Date.UTC(2025, 8, 18) / 1000}`
/** The first day of fall 2028: clients cannot rely on these paths from then on (RFC 8594). */
const SUNSET = new Date(Date.UTC(2028, 8, 22)).toUTCString()

/** Adds the headers to an answer. */
export function announceEnd(reply: FastifyReply): void {
  reply.header('deprecation', DEPRECATED)
  reply.header('sunset', SUNSET)
}
