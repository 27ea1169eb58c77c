// Handles errors before or outside of a handler: each gets a complete answer, and server errors are logged.

import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Extensions } from '../config/index.ts'
import {
  BadRequest,
  errorObject,
  NotFound,
  PayloadTooLarge,
  ServiceError,
  UnsupportedMediaType,
} from '../errors.ts'
import { codeOf, messageOf } from '../kit/caught.ts'
import { html } from '../kit/html.ts'
import { errorHeaders, visible } from '../wire/errors.ts'
import { JSON_TYPE } from '../wire/json2.ts'
import type { Log } from './log.ts'
import { sendBuiltPage } from './pages.ts'
import { sendError } from './reply.ts'
import { readCookie } from './session/cookie.ts'
import { traceFact } from './watch/requests.ts'

/** A failure as an error of the table, also Fastify's own refusals (path, media type, length). */
export function asServiceError(error: unknown): ServiceError {
  const { code, statusCode } = error as Partial<FastifyError>
  if (error instanceof ServiceError || typeof code !== 'string' || !code.startsWith('FST_'))
    return visible(error)
  if (statusCode === 415)
    return new UnsupportedMediaType('The content type is not one this path takes', { cause: error })
  if (statusCode === 413) return new PayloadTooLarge('The request body is too large', { cause: error })
  if (code === 'FST_ERR_BAD_URL' || code === 'FST_ERR_MAX_PARAM_LENGTH')
    return new NotFound('The requested path does not exist', { cause: error })
  if (statusCode !== undefined && statusCode < 500)
    return new BadRequest('The request could not be read', { cause: error })
  return visible(error)
}

/** Logs a server error, with its cause and the request's id; refusals are not logged. */
export function logFailure(log: Log, request: FastifyRequest, failure: ServiceError): void {
  if (failure.status < 500) return
  const facts = {
    request: request.id,
    method: request.method,
    path: request.url.split('?', 1)[0],
    status: failure.status,
    ...traceFact(),
  }
  if (failure.status !== 503) {
    log.error(failure.message, { ...facts, error: failure.cause ?? failure })
    return
  }
  // A temporary lack, such as of room on the disk, fails every call: a line and a stack for each of them
  // would bury the log, and fill the disk even more.
  const skipped = skippedOf(log, failure.message)
  if (skipped === null) return
  const more = { ...facts, ...(skipped > 0 && { skipped }) }
  if (failure.cause === undefined) log.warn(failure.message, more)
  else log.error(failure.message, { ...more, reason: messageOf(failure.cause) })
}

/** Milliseconds between two lines of a kind, and kinds that are kept apart. */
const [APART, MOST_KINDS] = [1000, 100]

interface Line {
  readonly at: number
  skipped: number
}

/** The last line of each kind, by the log that has it: a log is all that failures of one server share. */
const lastLines = new WeakMap<Log, Map<string, Line>>()

/** Lines of a kind that were left out since the last one; null: it is time for none. */
function skippedOf(log: Log, message: string): number | null {
  const kinds = lastLines.get(log) ?? new Map<string, Line>()
  lastLines.set(log, kinds)
  const kind = message.replaceAll(/\d+/g, '')
  const last = kinds.get(kind)
  const now = performance.now()
  if (last && now < last.at + APART) {
    last.skipped++
    return null
  }
  if (kinds.size >= MOST_KINDS) kinds.clear()
  kinds.set(kind, { at: now, skipped: 0 })
  return last?.skipped ?? 0
}

/** The error handler of the whole server. */
export function errorHandler(log: Log) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    // The client went away before its answer began: that is not an error, and no answer can reach it.
    if (reply.raw.destroyed && codeOf(error) === 'ERR_STREAM_PREMATURE_CLOSE') return undefined
    const failure = asServiceError(error)
    logFailure(log, request, failure)
    reply.header('x-request-id', request.id)
    return sendError(request, reply, failure)
  }
}

/**
 * Unknown paths and methods: an error object below `/json` and, with extensions, below `/x/1`; a page
 * elsewhere (spec/wire.md section 1, spec/client-needs.md section 1).
 */
export function unknownPath(extensions: Extensions) {
  const forPrograms = extensions.size > 0 ? /^\/(?:json|x\/1)(?:\/|$|\?)/ : /^\/json(?:\/|$|\?)/
  return (request: FastifyRequest, reply: FastifyReply) =>
    forPrograms.test(request.url) ? sendError(request, reply, noSuchPath()) : notFoundHandler(request, reply)
}

const noSuchPath = () => new NotFound('The requested path does not exist')

/** A 404 page; problem details for requests that accept them. */
export function notFoundHandler(request: FastifyRequest, reply: FastifyReply) {
  const error = noSuchPath()
  if (request.wantsProblem) return sendError(request, reply, error)
  reply.headers(errorHeaders(error))
  return notFoundPage(reply)
}

/**
 * The page for an unknown path, or one without a database. It does not reveal what exists: it leads users
 * with a session home, where the session is checked, and others to the login.
 */
export function notFoundPage(reply: FastifyReply) {
  const [path, words] =
    readCookie(reply.request)?.kind === 'session' ? ['/odoo', 'Home'] : ['/web/login', 'Sign in']
  const plain = html`<div class="card"><h1>Not Found</h1><p>The requested path does not exist.</p><p><a class="button" href="${path}">${words}</a></p></div>`
  return sendBuiltPage(reply, {
    name: 'session',
    title: '404 Not Found',
    width: 'narrow',
    plain,
    status: 404,
  })
}

/** Headers as they stand in an answer that is written by hand. */
export const headerLines = (headers: Readonly<Record<string, string | number>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')

/**
 * Input that is not HTTP, or headers that are too long or too slow: a complete answer and the end of the
 * connection.
 */
export function clientErrorHandler(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const tooLong = error.code === 'HPE_HEADER_OVERFLOW'
  const tooSlow = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const status = tooLong
    ? '431 Request Header Fields Too Large'
    : tooSlow
      ? '408 Request Timeout'
      : '400 Bad Request'
  const words = tooLong
    ? 'The request headers are too long'
    : tooSlow
      ? 'The request took too long to arrive'
      : 'The request is not valid HTTP'
  const refusal = new BadRequest(words)
  const body = JSON.stringify({
    ...errorObject(refusal),
    arguments: [words, Number(status.slice(0, 3))],
  })
  const headers = {
    'content-type': JSON_TYPE,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    ...errorHeaders(refusal),
  }
  socket.end(`HTTP/1.1 ${status}\r\n${headerLines(headers)}\r\n${body}`)
}
