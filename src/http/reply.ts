// Sends answers: JSON and pages with their headers, compressed for those who ask.
import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceError } from '../errors.ts'
import { errorHeaders, errorObject } from '../wire/errors.ts'
import { JSON_TYPE } from '../wire/json2.ts'
import { compressed, encodingFor, WORTH_COMPRESSING } from './compress.ts'

/** Sends JSON text. Small answers go out as they are, without a look at what the client could decompress. */
export function sendJson(request: FastifyRequest, reply: FastifyReply, json: string, status = 200): FastifyReply | Promise<FastifyReply> {
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

async function sendCompressed(reply: FastifyReply, text: string, encoding: 'gzip' | 'br'): Promise<FastifyReply> {
  const bytes = await compressed(text, encoding)
  reply.header('content-encoding', encoding)
  return reply.send(bytes)
}

/** Sends a failure as an error object with its status and headers. */
export function sendError(request: FastifyRequest, reply: FastifyReply, error: ServiceError): FastifyReply | Promise<FastifyReply> {
  reply.headers(errorHeaders(error))
  return sendJson(request, reply, JSON.stringify(errorObject(error)), error.status)
}

/** A text as the policy of a page names it. */
const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`

/** Sends a page. Pages of ours run no script and load nothing; the one style they have is the one we wrote. */
export function sendPage(reply: FastifyReply, html: string, status = 200): FastifyReply {
  const style = /<style>([^<]*)<\/style>/.exec(html)?.[1] ?? ''
  return reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src '${hashOf(style)}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    .send(html)
}

/** Sends plain text, as JSON-RPC does for what is no envelope. */
export function sendText(reply: FastifyReply, text: string, status: number): FastifyReply {
  return reply.code(status).header('content-type', 'text/plain; charset=utf-8').send(`${text}\n`)
}
