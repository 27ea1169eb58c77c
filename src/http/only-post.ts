// Paths that take POST only: every other verb hears so.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MethodNotAllowed } from '../errors.ts'

/** Registers the refusal of the other verbs for a path that has a POST route. */
export function onlyPost(app: FastifyInstance, url: string): void {
  app.route({ method: ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], url, handler: refuse })
}

function refuse(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('allow', 'POST')
  throw new MethodNotAllowed('This path takes POST only')
}
