// The routes of XML-RPC: POST /xmlrpc/<service> and /xmlrpc/2/<service> (spec/wire.md section 11).
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Backend, Origin } from '../wire/backend.ts'
import { errorHeaders } from '../wire/errors.ts'
import { claimOf, type Proven, verifyClaim } from '../wire/rpc/claim.ts'
import { CallReader, type Dialect, type MethodCall, XML_TYPE, xmlrpc } from '../wire/xmlrpc/index.ts'
import type { Bodies, Gate } from './body.ts'
import { originOf } from './calls.ts'
import { announceEnd } from './deprecated.ts'
import { logFailure } from './failures.ts'
import type { Log } from './log.ts'
import { onlyPost } from './only-post.ts'
import { sendLong } from './reply.ts'
import { sendStreamed } from './streamed-text.ts'

type ServiceRequest = FastifyRequest<{ Params: { service: string } }>

/** Registers the routes. Any content type is taken, and every answer, faults too, has status 200. */
export function xmlrpcRoutes(
  app: FastifyInstance,
  { backend, bodies, log }: { backend: Backend; bodies: Bodies; log: Log },
): void {
  const register = (path: string, dialect: Dialect) => {
    app.post(path, async (request: ServiceRequest, reply) => {
      announceEnd(reply)
      const { service } = request.params
      const origin = originOf(request, reply)
      const gate: Gate = {
        inBody: true,
        judge: (partial) => judge(backend, origin, service, partial as Partial<MethodCall>),
      }
      const read = () => bodies.receive(request, reply, { reader: () => new CallReader(), gate })
      const weigh = bodies.weigh(request, reply)
      const { xml, more, failure } = await xmlrpc(backend, origin, { service, dialect, read, weigh })
      if (failure) {
        logFailure(log, request, failure)
        reply.headers(errorHeaders(failure))
      }
      if (more) return sendStreamed(request, reply, { first: xml, more, type: XML_TYPE }, log)
      return sendLong(request, reply, xml, { type: XML_TYPE })
    })
    onlyPost(app, path)
  }
  register('/xmlrpc/:service', 'texts')
  register('/xmlrpc/2/:service', 'numbers')
}

async function judge(
  backend: Backend,
  origin: Origin,
  service: string,
  { params = [] }: Partial<MethodCall>,
): Promise<Proven | null> {
  const claim = claimOf(service, params)
  return claim && verifyClaim(backend, origin, claim)
}
