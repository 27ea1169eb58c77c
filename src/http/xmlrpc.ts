// The routes of XML-RPC: POST /xmlrpc/<service> and /xmlrpc/2/<service> (spec/wire.md section 11).
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Backend } from '../wire/backend.ts'
import { type Dialect, XML_TYPE, xmlrpc } from '../wire/xmlrpc/index.ts'
import { readBody } from './body.ts'
import { originOf } from './calls.ts'
import { announceEnd } from './deprecated.ts'
import { logFailure } from './failures.ts'
import type { Log } from './log.ts'
import { onlyPost } from './only-post.ts'
import { sendPieces } from './pieces.ts'
import { sendLong } from './reply.ts'

type ServiceRequest = FastifyRequest<{ Params: { service: string } }>

/** Registers the routes. Any content type is taken, and every answer, faults too, has status 200. */
export function xmlrpcRoutes(app: FastifyInstance, { backend, bodyLimit, log }: { backend: Backend; bodyLimit: number; log: Log }): void {
  const register = (path: string, dialect: Dialect) => {
    app.post(path, async (request: ServiceRequest, reply) => {
      announceEnd(reply)
      const read = () => readBody(request.raw, bodyLimit)
      const { xml, more, failure } = await xmlrpc(backend, originOf(request), { service: request.params.service, dialect, read })
      if (failure) logFailure(log, request, failure)
      if (more) return sendPieces(request, reply, { first: xml, more, type: XML_TYPE }, log)
      return sendLong(request, reply, xml, { type: XML_TYPE })
    })
    onlyPost(app, path)
  }
  register('/xmlrpc/:service', 'texts')
  register('/xmlrpc/2/:service', 'numbers')
}
