// The route of JSON-RPC: POST /jsonrpc (spec/wire.md section 10).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BadRequest } from '../errors.ts'
import type { Backend } from '../wire/backend.ts'
import { JSON_TYPE } from '../wire/json2.ts'
import { decodeEnvelope, type Envelope, isJsonRpc, rpc } from '../wire/jsonrpc.ts'
import { announcesBody, readBody } from './body.ts'
import { originOf } from './calls.ts'
import { announceEnd } from './deprecated.ts'
import { logFailure, understood } from './failures.ts'
import type { Log } from './log.ts'
import { sendPieces } from './pieces.ts'
import { sendJson, sendText } from './reply.ts'

interface EnvelopeOptions {
  readonly bodyLimit: number
  readonly log: Log
}

/** The envelope of a request; null for what is no envelope, which has then been answered with a plain text. */
export async function readEnvelope(
  request: FastifyRequest,
  reply: FastifyReply,
  { bodyLimit, log }: EnvelopeOptions,
): Promise<Record<string, unknown> | null> {
  const { raw, headers } = request
  const hasBody = announcesBody(raw)
  if ((hasBody || headers['content-type'] !== undefined) && !isJsonRpc(headers['content-type'])) {
    sendText(reply, 'The request body must be JSON', 415)
    return null
  }
  try {
    return await decodeEnvelope(hasBody ? await readBody(raw, bodyLimit) : undefined)
  } catch (error) {
    const failure = understood(error)
    logFailure(log, request, failure)
    sendText(reply, failure.message, failure.status)
    return null
  }
}

/** Sends an envelope; a failure of ours goes into the log too. */
export function sendEnvelope(request: FastifyRequest, reply: FastifyReply, log: Log, { json, more, failure }: Envelope) {
  if (failure) logFailure(log, request, failure)
  if (more) return sendPieces(request, reply, { first: json, more, type: JSON_TYPE }, log)
  return sendJson(request, reply, json)
}

/** Reads an envelope and answers with one. */
export function envelopeHandler(
  options: EnvelopeOptions & { run: (request: FastifyRequest, envelope: Record<string, unknown>) => Promise<Envelope> },
) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const envelope = await readEnvelope(request, reply, options)
    if (!envelope) return reply
    return sendEnvelope(request, reply, options.log, await options.run(request, envelope))
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
