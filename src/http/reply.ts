// Sends answers: JSON and pages with their headers, compressed for those who ask.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorObject, errorObject, type ServiceError } from '../errors.ts'
import { errorHeaders } from '../wire/errors.ts'
import { JSON_TYPE } from '../wire/json2.ts'
import { keptProblem, PROBLEM_TYPE, problemObject } from '../wire/problems.ts'
import { compressed, encodingFor, WORTH_COMPRESSING } from './compress.ts'

/** Sends JSON text. Small answers go out as they are, without a look at what the client could decompress. */
export function sendJson(
  request: FastifyRequest,
  reply: FastifyReply,
  json: string,
  status = 200,
): FastifyReply | Promise<FastifyReply> {
  return sendLong(request, reply, json, { type: JSON_TYPE, status })
}

/** Sends a text that may be long. */
export function sendLong(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
  { type, status = 200 }: { type: string; status?: number },
): FastifyReply | Promise<FastifyReply> {
  reply.code(status)
  reply.header('content-type', type)
  if (text.length < WORTH_COMPRESSING) return reply.send(text)
  reply.header('vary', 'accept-encoding')
  const encoding = encodingFor(request.headers['accept-encoding'])
  return encoding ? sendCompressed(reply, text, encoding) : reply.send(text)
}

async function sendCompressed(
  reply: FastifyReply,
  text: string,
  encoding: 'gzip' | 'br',
): Promise<FastifyReply> {
  const bytes = await compressed(text, encoding)
  reply.header('content-encoding', encoding)
  return reply.send(bytes)
}

/** Sends a failure as an error object with its status and headers. */
export function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  error: ServiceError,
): FastifyReply | Promise<FastifyReply> {
  reply.headers(errorHeaders(error))
  if (request.wantsProblem) return sendProblem(request, reply, error)
  return sendJson(request, reply, JSON.stringify(errorObject(error)), error.status)
}

const sendProblem = (request: FastifyRequest, reply: FastifyReply, error: ServiceError): FastifyReply =>
  sendProblemText(reply, error.status, problemObject(error, placeOf(request)))

const sendProblemText = (reply: FastifyReply, status: number, problem: object): FastifyReply =>
  reply
    .code(status)
    .header('vary', 'accept')
    .header('content-type', PROBLEM_TYPE)
    .send(JSON.stringify(problem))

const placeOf = ({ protocol, host, id }: FastifyRequest) => ({ base: `${protocol}://${host}`, requestId: id })

/** Sends a failure that was kept as the text of its error object, or of a batch that it made fail. */
export function sendKept(
  request: FastifyRequest,
  reply: FastifyReply,
  { text, status, code }: { readonly text: string; readonly status: number; readonly code: string | null },
): FastifyReply | Promise<FastifyReply> {
  if (code !== null) reply.header('error-code', code)
  if (code === null || !request.wantsProblem || !text.startsWith('{"name":'))
    return sendJson(request, reply, text, status)
  const problem = keptProblem(JSON.parse(text) as ErrorObject, { status, code }, placeOf(request))
  return sendProblemText(reply, status, problem)
}

/** Sends plain text, as JSON-RPC does for what is no envelope. */
export function sendText(reply: FastifyReply, text: string, status: number): FastifyReply {
  return reply.code(status).header('content-type', 'text/plain; charset=utf-8').send(`${text}\n`)
}
