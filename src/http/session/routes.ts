// The session routes that browsers and older client libraries call: JSON-RPC envelopes with a cookie
// (spec/client-needs.md section 3).

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { SessionExpired } from '../../errors.ts'
import { present } from '../../kit/present.ts'
import { keyMark } from '../../kit/secrets.ts'
import type { Backend } from '../../wire/backend.ts'
import { answer } from '../../wire/jsonrpc.ts'
import { databaseNamed } from '../../wire/rpc/database.ts'
import { callButton, callKw, paramsOf, sessionInfo, type Visitor } from '../../wire/session.ts'
import type { Bodies, Gate } from '../body.ts'
import { originOf } from '../calls.ts'
import { notFoundPage } from '../failures.ts'
import type { Log } from '../log.ts'
import { onlyPost } from '../only-post.ts'
import { envelopeHandler, readEnvelope, sendEnvelope } from '../rpc.ts'
import { clearCookie, setCookie } from './cookie.ts'
import { assertOwnSite, provenAddressOf } from './origin.ts'
import { visitOf, withoutSession } from './visit.ts'

interface Options {
  readonly backend: Backend
  readonly bodies: Bodies
  readonly log: Log
}

type Params = Readonly<Record<string, unknown>>
type Run = (backend: Backend, visitor: Visitor, params: Params) => Promise<string>

/** Throws SessionExpired unless the session holds. */
async function check(backend: Backend, visitor: Visitor): Promise<string> {
  await callKw(backend, visitor, { model: 'res.users', method: 'context_get' })
  return 'null'
}

/** Registers the routes. */
export function sessionRoutes(app: FastifyInstance, options: Options): void {
  const { backend, log } = options
  const post = (
    path: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ) => {
    app.post(path, handler)
    if (!path.endsWith('*')) onlyPost(app, path)
  }
  const open = (path: string, result: () => unknown) =>
    post(
      path,
      envelopeHandler({
        ...options,
        run: (_request, envelope) => answer(envelope, async () => JSON.stringify(result())),
      }),
    )

  open('/web/webclient/version_info', () => backend.version())
  open('/web/session/get_lang_list', () => backend.catalogue().languages)
  post('/web/session/authenticate', (request, reply) => authenticate(request, reply, options))

  const bound = (path: string, run: Run) =>
    post(path, (request, reply) => withSession(request, reply, { ...options, run }))
  bound('/web/session/get_session_info', async (_backend, visitor) =>
    JSON.stringify(await sessionInfo(backend, visitor)),
  )
  bound('/web/session/check', check)
  for (const tail of ['', '/*']) {
    bound(`/web/dataset/call_kw${tail}`, callKw)
    bound(`/web/dataset/call_button${tail}`, callButton)
  }
  post('/web/session/destroy', (request, reply) => {
    const run: Run = async (_backend, visitor) => {
      await check(backend, visitor)
      await backend.session.signOut(backend.databases, visitor.database, visitor.token)
      clearCookie(request, reply)
      return 'null'
    }
    return withSession(request, reply, { backend, bodies: options.bodies, log, run })
  })
}

/** Signs in: a fresh cookie on success and none on failure; the session there was before ends. */
async function authenticate(
  request: FastifyRequest,
  reply: FastifyReply,
  { backend, bodies, log }: Options,
): Promise<unknown> {
  assertOwnSite(request)
  const visit = await visitOf(request, backend)
  const read = await readEnvelope(request, reply, { bodies, log })
  if (!read) return reply
  const { envelope } = read
  const params = isNamed(envelope.params) ? envelope.params.db : undefined
  if (params === undefined && visit.database === null) return notFoundPage(reply)
  const result = await answer(envelope, async () => {
    const { login, password } = paramsOf(envelope)
    const origin = originOf(request)
    const database =
      params === undefined ? present(visit.database) : await databaseNamed(backend, origin, params)
    const token = await backend.session.signIn(
      backend.databases,
      database,
      login,
      password,
      origin.remote,
      origin.userAgent,
    )
    const info = JSON.stringify(await sessionInfo(backend, { origin, database, token }))
    if (visit.visitor)
      await backend.session.signOut(backend.databases, visit.visitor.database, visit.visitor.token)
    setCookie(request, reply, { kind: 'session', database, token })
    await backend.session.noteAddress(backend.databases, database, token, provenAddressOf(request))
    return info
  })
  return sendEnvelope(request, reply, log, result)
}

function isNamed(params: unknown): params is { readonly db: unknown } {
  return typeof params === 'object' && params !== null && 'db' in params && params.db !== null
}

/** Long envelopes are taken of those whose session holds. */
function gateOf({ databases, prove }: Backend, { origin, database, token }: Visitor): Gate {
  return {
    inBody: false,
    judge: async () => {
      await prove(databases, { database, credential: { kind: 'session', token }, remote: origin.remote })
      return { user: `${database} ${keyMark(token)}`, database }
    },
  }
}

/**
 * Runs a call of a session, unless another site's page sent it. Without a database the answer is a page, also
 * when it was the session that knew the database.
 */
async function withSession(
  request: FastifyRequest,
  reply: FastifyReply,
  { backend, bodies, log, run }: Options & { readonly run: Run },
): Promise<unknown> {
  assertOwnSite(request)
  const { database, visitor } = await visitOf(request, backend)
  if (database === null) return notFoundPage(reply)
  const read = await readEnvelope(request, reply, { bodies, log, gate: visitor && gateOf(backend, visitor) })
  if (!read) return reply
  const { envelope, refused } = read
  const result = await answer(envelope, async () => {
    if (refused) throw refused.reason
    if (!visitor) throw new SessionExpired()
    return run(backend, visitor, paramsOf(envelope))
  })
  if (
    visitor &&
    result.failure instanceof SessionExpired &&
    (await withoutSession(request, backend)) === null
  )
    return notFoundPage(reply)
  if (
    visitor &&
    !result.failure &&
    !reply.hasHeader('set-cookie') &&
    (await backend.session.keep(backend.databases, database, visitor.token))
  )
    setCookie(request, reply, { kind: 'session', database, token: visitor.token })
  return sendEnvelope(request, reply, log, result)
}
