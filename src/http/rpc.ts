// The route of JSON-RPC: POST /jsonrpc (spec/wire.md section 10).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BadRequest } from '../errors.ts'
import { JsonReader } from '../kit/json-reader.ts'
import type { Backend } from '../wire/backend.ts'
import { errorHeaders } from '../wire/errors.ts'
import { JSON_TYPE } from '../wire/json2.ts'
import { answer, claimIn, decodeEnvelope, type Envelope, isJsonRpc, rpc } from '../wire/jsonrpc.ts'
import { isObject } from '../wire/parse.ts'
import { verifyClaim } from '../wire/rpc/claim.ts'
import { announcesBody, type Bodies, type Gate } from './body.ts'
import { originOf } from './calls.ts'
import { announceEnd } from './deprecated.ts'
import { asServiceError, logFailure } from './failures.ts'
import type { Log } from './log.ts'
import { sendJson, sendText } from './reply.ts'
import { sendStreamed } from './streamed-text.ts'

interface EnvelopeOptions {
  readonly bodies: Bodies
  readonly log: Log
}

interface ReadOptions extends EnvelopeOptions {
  /** Verifies senders of long envelopes; without it they are refused. */
  readonly gate?: Gate | null | undefined
}

/** An envelope; if its sender was refused before it was complete, the part read so far. */
interface Read {
  readonly envelope: Record<string, unknown>
  readonly refused?: { readonly reason: unknown }
}

/**
 * The envelope of a request; null for what is not an envelope, which has then been answered with a plain
 * text.
 */
export async function readEnvelope(
  request: FastifyRequest,
  reply: FastifyReply,
  { bodies, log, gate }: ReadOptions,
): Promise<Read | null> {
  const { raw, headers } = request
  const hasBody = announcesBody(raw)
  if ((hasBody || headers['content-type'] !== undefined) && !isJsonRpc(headers['content-type'])) {
    sendText(reply, 'The request body must be JSON', 415)
    return null
  }
  let refused: Read | undefined
  const judged = gate && {
    inBody: gate.inBody,
    judge: (partial: unknown) =>
      gate.judge(partial).catch((reason: unknown) => {
        refused = { envelope: isObject(partial) ? partial : {}, refused: { reason } }
        throw reason
      }),
  }
  try {
    const body = hasBody
      ? await bodies.receive(request, reply, { reader: () => new JsonReader(), gate: judged ?? undefined })
      : undefined
    return { envelope: await decodeEnvelope(body, bodies.weigh(request, reply)) }
  } catch (error) {
    if (refused) return refused
    const failure = asServiceError(error)
    logFailure(log, request, failure)
    sendText(reply.headers(errorHeaders(failure)), failure.message, failure.status)
    return null
  }
}

/** Sends an envelope; a server error is logged too. */
export function sendEnvelope(
  request: FastifyRequest,
  reply: FastifyReply,
  log: Log,
  { json, more, failure }: Envelope,
) {
  if (failure) {
    logFailure(log, request, failure)
    reply.headers(errorHeaders(failure))
  }
  if (more) return sendStreamed(request, reply, { first: json, more, type: JSON_TYPE }, log)
  return sendJson(request, reply, json)
}

/** Reads an envelope and answers with one. */
export function envelopeHandler(
  options: EnvelopeOptions & {
    run: (
      request: FastifyRequest,
      envelope: Record<string, unknown>,
      reply: FastifyReply,
    ) => Promise<Envelope>
    gateOf?: (request: FastifyRequest) => Gate
  },
) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const read = await readEnvelope(request, reply, { ...options, gate: options.gateOf?.(request) })
    if (!read) return reply
    const { envelope, refused } = read
    const outcome = refused
      ? await answer(envelope, () => Promise.reject(refused.reason))
      : await options.run(request, envelope, reply)
    return sendEnvelope(request, reply, options.log, outcome)
  }
}

/** Registers the route. Other methods carry no envelope, and are refused with 405. */
export function rpcRoutes(
  app: FastifyInstance,
  { backend, bodies, log }: { backend: Backend; bodies: Bodies; log: Log },
): void {
  const gateOf = (request: FastifyRequest): Gate => ({
    inBody: true,
    judge: async (partial) => {
      const claim = claimIn(partial)
      return claim && verifyClaim(backend, originOf(request), claim)
    },
  })
  const handler = envelopeHandler({
    bodies,
    log,
    gateOf,
    run: (request, envelope, reply) => rpc(backend, originOf(request, reply), envelope),
  })
  app.post('/jsonrpc', (request, reply) => {
    announceEnd(reply)
    return handler(request, reply)
  })
  app.get('/jsonrpc', (_request, reply) =>
    sendText(reply, new BadRequest('The request body must be one JSON object').message, 400),
  )
}
