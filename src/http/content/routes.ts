// The routes of files: /web/content, /web/image and the company's logo (spec/client-needs.md section 8).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'
import type { Credential } from '../../services/call.ts'
import type { Content, Link, Place } from '../../services/content.ts'
import type { Backend } from '../../wire/backend.ts'
import { bearerKey } from '../../wire/json2.ts'
import { databaseHeader } from '../calls.ts'
import { notFoundHandler } from '../failures.ts'
import { databaseOf, visitOf } from '../session/visit.ts'
import { isOn, placeOf } from './place.ts'
import { placeholder } from './placeholder.ts'
import { type Named, sendContent } from './send.ts'

type Query = Named & Readonly<Record<string, string | undefined>>
type FileRequest = FastifyRequest<{ Params: { '*'?: string }; Querystring: Query }>

/** Registers the routes. What is not there and what may not be seen look the same: a page with 404, or the placeholder of an image. */
export function contentRoutes(app: FastifyInstance, { backend }: { backend: Backend }): void {
  const file = (otherwise: (request: FileRequest, reply: FastifyReply) => unknown) => async (request: FileRequest, reply: FastifyReply) => {
    const place = placeOf(partsOf(request), request.query)
    const found = place && (await find(request, place))
    if (!found) return otherwise(request, reply)
    return 'url' in found ? follow(request, reply, found) : sendContent(request, reply, found, request.query)
  }
  const missing = (request: FileRequest, reply: FastifyReply) => notFoundHandler(request, reply)
  const noImage = (request: FileRequest, reply: FastifyReply) =>
    isOn(request.query.download) ? missing(request, reply) : sendContent(request, reply, placeholder, {})

  async function find(request: FileRequest, place: Place): Promise<Content | Link | null> {
    const { database, credential } = await whoAsks(request)
    if (database === null) return null
    try {
      return await backend.content(backend.databases, { database, credential, remote: request.ip, place })
    } catch (error) {
      // A wrong key is told, and so is a fault of ours; everything else is nobody's business.
      if (error instanceof ServiceError && error.status < 500 && error.status !== 401 && error.status !== 409) return null
      throw error
    }
  }

  /** A key, a session, or nobody; with the database that goes along. */
  async function whoAsks(request: FileRequest): Promise<{ database: string | null; credential: Credential | null }> {
    const { authorization } = request.headers
    if (authorization !== undefined) {
      const credential: Credential = { kind: 'key', key: bearerKey(authorization) }
      return { database: await databaseOf(request, backend, databaseHeader(request)), credential }
    }
    const { database, visitor } = await visitOf(request, backend)
    return { database, credential: visitor && { kind: 'session', token: visitor.token } }
  }

  for (const path of ['/web/content', '/web/content/*']) app.get(path, file(missing))
  for (const path of ['/web/image', '/web/image/*']) app.get(path, file(noImage))
  app.get('/web/binary/company_logo', async (request: FileRequest, reply) => {
    const { company } = request.query
    const place: Place = { kind: 'logo', company: company && /^\d{1,9}$/.test(company) ? Number(company) : null }
    const found = await find(request, place)
    return sendContent(request, reply, found && !('url' in found) ? found : placeholder, {})
  })
}

function partsOf(request: FileRequest): string[] {
  return (request.params['*'] ?? '').split('/').filter((part) => part !== '')
}

/** A link leads on to the web, or to a path of this server. */
function follow(request: FileRequest, reply: FastifyReply, { url }: Link): unknown {
  if (!/^https?:\/\/[^\s]+$|^\/(?![/\\])[^\s]*$/.test(url)) return notFoundHandler(request, reply)
  return reply.redirect(url, 302)
}
