// The routes of the page /doc, for browser sessions: without one, to the login and back (spec/wire.md section 14).
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  document,
  type IndexDocument,
  indexPage,
  type ModelDocument,
  modelPage,
  pagePolicy,
  refusalPage,
  type Subject,
  type Target,
} from '../docs/index.ts'
import { ServiceError, SessionExpired } from '../errors.ts'
import type { Backend } from '../wire/backend.ts'
import { sendLong } from './reply.ts'
import { visitOf } from './session/visit.ts'

/** Sends the page of all models, or of the model that is named. */
export async function sendDocumentPage(
  request: FastifyRequest,
  reply: FastifyReply,
  backend: Backend,
  model: string | null,
): Promise<unknown> {
  const { visitor } = await visitOf(request, backend)
  if (!visitor) return toLogin(request, reply)
  const { database, token } = visitor
  const subject: Subject = model === null ? { kind: 'index' } : { kind: 'model', model }
  try {
    const found = await document(backend.databases, { database, credential: { kind: 'session', token }, remote: request.ip, subject })
    const target: Target = { origin: `${request.protocol}://${request.host}`, database }
    const content: unknown = JSON.parse(found.json)
    return send(request, reply, model === null ? indexPage(content as IndexDocument, target) : modelPage(content as ModelDocument, target))
  } catch (error) {
    if (error instanceof SessionExpired) return toLogin(request, reply)
    if (!(error instanceof ServiceError) || (error.status !== 403 && error.status !== 404)) throw error
    return send(request, reply, refusalPage(error.message), error.status)
  }
}

function send(request: FastifyRequest, reply: FastifyReply, html: string, status = 200): unknown {
  reply.headers({
    'content-security-policy': pagePolicy,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
  })
  return sendLong(request, reply, html, { type: 'text/html; charset=utf-8', status })
}

function toLogin(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply
    .code(303)
    .header('location', `/web/login?redirect=${encodeURIComponent(request.url)}`)
    .send('')
}
