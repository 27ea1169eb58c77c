// The route of JSON-RPC: POST /jsonrpc (spec/wire.md section 10).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BadRequest } from '../errors.ts'
import type { Backend } from '../wire/backend.ts'
import { decodeEnvelope, type Envelope, isJsonRpc, rpc } from '../wire/jsonrpc.ts'
import { announcesBody, readBody } from './body.ts'
import { originOf } from './calls.ts'
import { announceEnd } from './deprecated.ts'
import { logFailure, understood } from './failures.ts'
import type { Log } from './log.ts'
import { sendJson, sendText } from './reply.ts'

/** Reads an envelope and answers with one; what is no envelope gets a plain text. */
export function envelopeHandler(options: {
  bodyLimit: number
  log: Log
  run: (request: FastifyRequest, envelope: Record<string, unknown>, reply: FastifyReply) => Promise<Envelope>
}) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { raw, headers } = request
    const hasBody = announcesBody(raw)
    if ((hasBody || headers['content-type'] !== undefined) && !isJsonRpc(headers['content-type']))
      return sendText(reply, 'The request body must be JSON', 415)
    let envelope: Record<string, unknown>
    try {
      envelope = decodeEnvelope(hasBody ? await readBody(raw, options.bodyLimit) : undefined)
    } catch (error) {
      const failure = understood(error)
      logFailure(options.log, request, failure)
      return sendText(reply, failure.message, failure.status)
    }
    const { json, failure } = await options.run(request, envelope, reply)
    if (failure) logFailure(options.log, request, failure)
    return sendJson(request, reply, json)
  }
}

/** Registers the route. Other verbs carry no envelope, and are told so. */
export function rpcRoutes(app: FastifyInstance, { backend, bodyLimit, log }: { backend: Backend; bodyLimit: number; log: Log }): void {
  const handler = envelopeHandler({ bodyLimit, log, run: (request, envelope) => rpc(backend, originOf(request), envelope) })
  app.post('/jsonrpc', (request, reply) => {
    announceEnd(reply)
    return handler(request, reply)
  })
  app.get('/jsonrpc', (_request, reply) => sendText(reply, new BadRequest('The request body must be one JSON object').message, 400))
}
