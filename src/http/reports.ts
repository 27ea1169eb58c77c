// The routes of printing: /report/pdf/<report>/<ids> and /report/html/<report>/<ids>, with a session or a
// key.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { InvalidValue, NotFound, UnprocessableEntity } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Credential } from '../services/request.ts'
import type { Backend } from '../wire/backend.ts'
import { bearerKey } from '../wire/json2.ts'
import { databaseHeader } from './calls.ts'
import { loginPath, redirect } from './session/paths.ts'
import { databaseOf, visitOf } from './session/visit.ts'

type ReportRequest = FastifyRequest<{ Params: { name: string; ids: string } }>

/** Registers the routes. A visitor with neither key nor session is redirected to the login. */
export function reportRoutes(app: FastifyInstance, { backend }: { backend: Backend }): void {
  for (const format of ['pdf', 'html'] as const)
    app.get(`/report/${format}/:name/:ids`, (request: ReportRequest, reply) =>
      print(request, reply, { backend, format }),
    )
}

async function print(
  request: ReportRequest,
  reply: FastifyReply,
  { backend, format }: { readonly backend: Backend; readonly format: 'pdf' | 'html' },
): Promise<unknown> {
  const { database, credential } = await callerOf(request, backend)
  if (database === null) throw new NotFound('Database not found.')
  if (!credential) return redirect(reply, loginPath(request.url))
  const { name: report } = request.params
  const ids = idsIn(request.params.ids)
  const printed = await backend.printed(backend.databases, {
    database,
    credential,
    remote: request.ip,
    answering: request.answering,
    format,
    report,
    ids,
  })
  const ascii = printed.name.replace(/[^\w.+ -]/g, '_')
  reply.headers({
    'content-type': format === 'html' ? 'text/html; charset=utf-8' : printed.mimetype,
    'content-disposition': `inline; filename="${ascii}"`,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
    vary: 'authorization, cookie',
    // Texts of people stand in it: nothing runs, nothing is fetched.
    ...(format === 'html'
      ? { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox" }
      : {}),
  })
  return reply.send(printed.bytes)
}

async function callerOf(
  request: ReportRequest,
  backend: Backend,
): Promise<{ readonly database: string | null; readonly credential: Credential | null }> {
  const { authorization } = request.headers
  if (authorization !== undefined)
    return {
      database: await databaseOf(request, backend, databaseHeader(request)),
      credential: { kind: 'key', key: bearerKey(authorization) },
    }
  const { database, visitor } = await visitOf(request, backend)
  return { database, credential: visitor && { kind: 'session', token: visitor.token } }
}

/** `7` or `7,8,9`. Throws InvalidValue for what is not a list of ids. */
function idsIn(text: string): number[] {
  const parts = text.split(',').filter((part) => part !== '')
  if (parts.length === 0) throw new UnprocessableEntity('The ids of the records to print are missing.')
  if (parts.length > limits['print-documents'] || !parts.every((part) => /^[1-9]\d{0,8}$/.test(part)))
    throw new InvalidValue(
      `Invalid ids of records to print: send ${limits['print-documents']} ids at most, with commas between them.`,
    )
  return parts.map(Number)
}
