// The routes of files: /web/content, /web/image and the company's logo (spec/client-needs.md section 8).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../errors.ts'
import type { Link, Wanted } from '../../services/content.ts'
import type { Content } from '../../services/file-content.ts'
import type { Credential } from '../../services/request.ts'
import type { Backend } from '../../wire/backend.ts'
import { bearerKey } from '../../wire/json2.ts'
import { databaseHeader } from '../calls.ts'
import { notFoundHandler } from '../failures.ts'
import { queryOf } from '../query.ts'
import { databaseOf, visitOf } from '../session/visit.ts'
import { isOn, nameOf, placeOf, sizeOf } from './place.ts'
import { placeholderFor } from './placeholder.ts'
import { sendContent } from './send.ts'

/** Refusals that reveal neither existence nor access. */
const reportedStatuses: ReadonlySet<number> = new Set([401, 409, 429])

type FileRequest = FastifyRequest<{ Params: { '*'?: string } }>

type Find = (request: FileRequest, wanted: Pick<Wanted, 'place' | 'box'>) => Promise<Content | Link | null>

/**
 * Registers the routes. Missing content and content without access give the same answer: a page with 404, or
 * the placeholder of an image.
 */
export function contentRoutes(app: FastifyInstance, { backend }: { backend: Backend }): void {
  const find = finding(backend)
  const file = async (request: FileRequest, reply: FastifyReply) => {
    const place = placeOf(partsOf(request), queryOf(request))
    const content = place && (await find(request, { place }))
    return content ? send(request, reply, content) : notFoundHandler(request, reply)
  }
  const image = async (request: FileRequest, reply: FastifyReply) => {
    const [parts, query] = [partsOf(request), queryOf(request)]
    const [place, box] = [placeOf(parts, query), sizeOf(parts, query)]
    const content = place && (await find(request, { place, box }))
    if (content) return send(request, reply, content)
    if (isOn(query.download)) return notFoundHandler(request, reply)
    return sendContent(request, reply, placeholderFor(box ?? squareOf(place)), {})
  }
  for (const path of ['/web/content', '/web/content/*']) app.get(path, file)
  for (const path of ['/web/image', '/web/image/*']) app.get(path, image)
  app.get('/web/binary/company_logo', async (request: FileRequest, reply) => {
    const { company } = queryOf(request)
    const place: Wanted['place'] = {
      kind: 'logo',
      company: company && /^\d{1,9}$/.test(company) ? Number(company) : null,
    }
    const content = await find(request, { place })
    return sendContent(request, reply, content && !('url' in content) ? content : placeholderFor(), {})
  })
}

/** Finds a file with the rights of the caller; null if it does not exist or may not be read. */
const finding =
  (backend: Backend): Find =>
  async (request, wanted) => {
    const { database, credential } = await callerOf(backend, request)
    if (database === null) return null
    try {
      const { ip: remote, answering } = request
      return await backend.content(backend.databases, { database, credential, remote, answering, ...wanted })
    } catch (error) {
      // Only a wrong key, too many calls and server errors are reported; all other failures give 404.
      if (error instanceof ServiceError && error.status < 500 && !reportedStatuses.has(error.status))
        return null
      throw error
    }
  }

/** The caller's key or session, or null, and the database of the request. */
async function callerOf(
  backend: Backend,
  request: FileRequest,
): Promise<{ database: string | null; credential: Credential | null }> {
  const { authorization } = request.headers
  if (authorization !== undefined) {
    const credential: Credential = { kind: 'key', key: bearerKey(authorization) }
    return { database: await databaseOf(request, backend, databaseHeader(request)), credential }
  }
  const { database, visitor } = await visitOf(request, backend)
  return { database, credential: visitor && { kind: 'session', token: visitor.token } }
}

function send(request: FileRequest, reply: FastifyReply, content: Content | Link): unknown {
  return 'url' in content
    ? follow(request, reply, content)
    : sendContent(request, reply, content, { filename: nameOf(partsOf(request)), ...queryOf(request) })
}

/** The size that the name of a field speaks of, such as `image_128`. */
function squareOf(place: Wanted['place'] | null): { width?: number } {
  const side = place && 'field' in place ? /_(\d{2,4})$/.exec(place.field)?.[1] : undefined
  return side === undefined ? {} : { width: Number(side) }
}

function partsOf(request: FileRequest): string[] {
  return (request.params['*'] ?? '').split('/').filter((part) => part !== '')
}

/** A link leads on to the web, or to a path of this server. */
function follow(request: FileRequest, reply: FastifyReply, { url }: Link): unknown {
  if (!/^https?:\/\/[^\s]+$|^\/(?![/\\])[^\s]*$/.test(url)) return notFoundHandler(request, reply)
  return reply.redirect(url, 302)
}
