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
import { endVisit, visitOf, withoutSession } from './visit.ts'

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
  const { backend } = options
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
  post('/web/session/second_factor', (request, reply) => submitCode(request, reply, options))

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
    const cancelLogin: Run = async (_backend, pending) => {
      await backend.session.cancelPendingLogin(backend.databases, pending.database, pending.token)
      clearCookie(request, reply)
      return 'null'
    }
    return withSession(request, reply, { ...options, run, runPending: cancelLogin })
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
    const { remote, userAgent } = origin
    const begun = await backend.session.begin(backend.databases, database, {
      login,
      password,
      remote,
      userAgent,
    })
    if (begun.kind !== 'session') {
      await endVisit(backend, visit)
      setCookie(request, reply, { kind: 'pending', database, token: begun.token })
      // Clients know by the uid that something is missing (spec/client-needs.md section 3).
      const enrolment = begun.kind === 'enrol' ? begun.enrolment : {}
      return JSON.stringify({ uid: null, second_factor: begun.kind, ...enrolment })
    }
    const info = await enter(request, reply, backend, { origin, database, token: begun.token })
    await endVisit(backend, visit)
    return JSON.stringify(info)
  })
  return sendEnvelope(request, reply, log, result)
}

/** Sets the cookie of a new session; gives the session information. */
async function enter(request: FastifyRequest, reply: FastifyReply, backend: Backend, visitor: Visitor) {
  const { database, token } = visitor
  const info = await sessionInfo(backend, visitor)
  setCookie(request, reply, { kind: 'session', database, token })
  await backend.session.noteAddress(backend.databases, database, token, provenAddressOf(request))
  return info
}

/** The second step of `authenticate`: the code that a login waits for. */
async function submitCode(
  request: FastifyRequest,
  reply: FastifyReply,
  { backend, bodies, log }: Options,
): Promise<unknown> {
  assertOwnSite(request)
  const { database, pending } = await visitOf(request, backend)
  if (database === null) return notFoundPage(reply)
  const read = await readEnvelope(request, reply, { bodies, log })
  if (!read) return reply
  const result = await answer(read.envelope, async () => {
    if (!pending) throw new SessionExpired()
    const { code } = paramsOf(read.envelope)
    const { origin } = pending
    const { token, recoveryCodes } = await backend.secondFactor.complete(
      backend.databases,
      database,
      pending.token,
      code,
      origin,
    )
    const info = await enter(request, reply, backend, { origin, database, token })
    return JSON.stringify(recoveryCodes ? { ...info, recovery_codes: recoveryCodes } : info)
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
 * Runs a call of a session, or `runPending` for a login that waits for its second factor, unless another
 * site's page sent it. Without a database the answer is a page, also
 * when it was the session that knew the database.
 */
async function withSession(
  request: FastifyRequest,
  reply: FastifyReply,
  { backend, bodies, log, run, runPending }: Options & { readonly run: Run; readonly runPending?: Run },
): Promise<unknown> {
  assertOwnSite(request)
  const { database, visitor, pending } = await visitOf(request, backend)
  if (database === null) return notFoundPage(reply)
  const read = await readEnvelope(request, reply, { bodies, log, gate: visitor && gateOf(backend, visitor) })
  if (!read) return reply
  const { envelope, refused } = read
  const result = await answer(envelope, async () => {
    if (refused) throw refused.reason
    if (pending && runPending) return runPending(backend, pending, paramsOf(envelope))
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
