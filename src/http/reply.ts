// Sends answers: JSON and pages with their headers, compressed if the client accepts it.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type About, type ErrorObject, errorObject, type ServiceError } from '../errors.ts'
import { errorHeaders } from '../wire/errors.ts'
import { JSON_TYPE } from '../wire/json2.ts'
import { PROBLEM_TYPE, problemObject, storedProblem } from '../wire/problems.ts'
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

/** A stored answer; that of a failure is an error object, or a batch. */
export interface Kept {
  readonly text: string
  readonly status: number | null
  readonly code: string | null
  /** Subject of the failure; null if problem details were not requested. */
  readonly about: About | null
  readonly headers: readonly (readonly [name: string, value: string])[] | null
}

/**
 * The problem details of a stored failure, if the client asked for them then or now; else null. `id`: the
 * request's id in the log.
 */
export function keptDetails(
  request: FastifyRequest,
  { text, status, code, about }: Omit<Kept, 'headers'>,
  id: string,
): object | null {
  const isAsked = about !== null || request.wantsProblem
  if (code === null || status === null || !isAsked || !text.startsWith('{"name":')) return null
  const place = { ...placeOf(request), requestId: id }
  return storedProblem(JSON.parse(text) as ErrorObject, { status, code, about }, place)
}

/** Sends stored headers, each once. */
export function setKeptHeaders(reply: FastifyReply, headers: Kept['headers']): void {
  for (const [name, value] of headers ?? []) setHeaderOnce(reply, name, value)
}

/** Sends an answer that was kept. */
export function sendKept(
  request: FastifyRequest,
  reply: FastifyReply,
  kept: Kept,
  id: string,
): FastifyReply | Promise<FastifyReply> {
  if (kept.code !== null) reply.header('error-code', kept.code)
  setKeptHeaders(reply, kept.headers)
  const status = kept.status ?? 200
  const problem = keptDetails(request, kept, id)
  return problem ? sendProblemText(reply, status, problem) : sendJson(request, reply, kept.text, status)
}

/**
 * Adds a value to a header of the answer, once: several calls, or a call that is tried again, may add the
 * same.
 */
export function setHeaderOnce(reply: FastifyReply, name: string, value: string): void {
  const before = reply.getHeader(name)
  if (before === undefined) reply.header(name, value)
  else if (!String(before).split(', ').includes(value)) reply.header(name, `${before}, ${value}`)
}

/** Sends plain text, as JSON-RPC does for what is not an envelope. */
export function sendText(reply: FastifyReply, text: string, status: number): FastifyReply {
  return reply.code(status).header('content-type', 'text/plain; charset=utf-8').send(`${text}\n`)
}
