// Signing in by a form, which works without script, and signing out (spec/client-needs.md section 4).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AccessDenied, BadRequest } from '../../errors.ts'
import { sameSecret } from '../../kit/secrets.ts'
import type { Backend } from '../../wire/backend.ts'
import type { Bodies } from '../body.ts'
import { readForm } from '../form.ts'
import { sendBuiltPage } from '../pages.ts'
import { queryOf } from '../query.ts'
import { type Cookie, clearCookie, csrfToken, readCookie, setCookie, visitorCookie } from './cookie.ts'
import { type LoginPage, loginPage } from './html.ts'
import { isForeign, provenAddressOf } from './origin.ts'
import { CODE, HOME, LOGIN, LOGOUT, localPath, redirect, SELECTOR } from './paths.ts'
import { databaseOf, endVisit, type Visit, visitOf } from './visit.ts'

/** Notices of the login page, by the `reason` in its address. */
const notices: Readonly<Record<string, string>> = {
  expired: 'Your session has ended. Sign in to go on.',
  'signed-out': 'You are signed out.',
  everywhere: 'You are signed out on every device.',
  password: 'Your password is changed. Sign in with the new one.',
}

export interface LoginOptions {
  readonly backend: Backend
  readonly bodies: Bodies
}

/** Registers the routes. */
export function loginRoutes(app: FastifyInstance, { backend, bodies }: LoginOptions): void {
  app.get(LOGIN, async (request, reply) => {
    const { cookie, database } = await visitOf(request, backend)
    if (database === null) return redirect(reply, SELECTOR)
    const { reason = '', redirect: back } = queryOf(request)
    return sendForm(request, reply, backend, {
      cookie,
      database,
      redirect: back,
      notice: Object.hasOwn(notices, reason) ? notices[reason] : undefined,
    })
  })
  app.post(LOGIN, (request, reply) => signIn(request, reply, { backend, bodies }))
  app.post(LOGOUT, (request, reply) => signOut(request, reply, { backend, bodies }))
  app.get(LOGOUT, async (request, reply) => {
    const visit = await visitOf(request, backend)
    // A link of another site must not sign the user out.
    return visit.visitor && isForeign(request) ? redirect(reply, HOME) : leave(request, reply, backend, visit)
  })
}

/** The form, in a page; visitors get the cookie that the form's token belongs to. */
function sendForm(
  request: FastifyRequest,
  reply: FastifyReply,
  backend: Backend,
  {
    cookie: requestCookie,
    ...options
  }: Omit<LoginPage, 'csrf' | 'info'> & { readonly cookie: Cookie | null },
): FastifyReply | Promise<FastifyReply> {
  const cookie = requestCookie ?? visitorCookie(options.database)
  if (!requestCookie) setCookie(request, reply, cookie)
  const info = visitorInfo(backend, options.database)
  return sendBuiltPage(reply, {
    name: 'session',
    width: 'narrow',
    ...loginPage({ ...options, csrf: csrfToken(cookie), info }),
  })
}

/** Session information for a visitor who has not signed in, for programs that read the page. */
function visitorInfo(backend: Backend, database: string): Record<string, unknown> {
  const { server_version, server_version_info } = backend.version()
  const nobody = {
    uid: null,
    is_system: false,
    is_admin: false,
    is_public: true,
    is_internal_user: false,
    user_context: {},
    name: '',
    username: '',
  }
  return { ...nobody, db: database, server_version, server_version_info }
}

/** Throws BadRequest unless the form carries the token of the cookie. */
export function assertOwnForm(
  fields: ReadonlyMap<string, string>,
  cookie: Cookie | null,
): asserts cookie is Cookie {
  if (!cookie || !sameSecret(fields.get('csrf_token') ?? '', csrfToken(cookie)))
    throw new BadRequest('Session expired (invalid CSRF token)')
}

async function signIn(
  request: FastifyRequest,
  reply: FastifyReply,
  { backend, bodies }: LoginOptions,
): Promise<FastifyReply> {
  const visit = await visitOf(request, backend)
  const fields = await readForm(bodies, request, reply)
  // A visitor gets a token before choosing a database.
  const cookie = visit.cookie ?? readCookie(request)
  assertOwnForm(fields, cookie)
  const requestedDatabase = fields.get('db')
  const database = requestedDatabase ? await databaseOf(request, backend, requestedDatabase) : visit.database
  if (database === null) return redirect(reply, SELECTOR)
  try {
    const { kind, token } = await backend.session.begin(backend.databases, database, {
      login: fields.get('login'),
      password: fields.get('password'),
      remote: request.ip,
      userAgent: request.headers['user-agent'],
    })
    await endVisit(backend, visit)
    const back = localPath(fields.get('redirect'))
    if (kind !== 'session') {
      setCookie(request, reply, { kind: 'pending', database, token })
      return redirect(reply, `${CODE}?redirect=${encodeURIComponent(back)}`)
    }
    setCookie(request, reply, { kind: 'session', database, token })
    await backend.session.noteAddress(backend.databases, database, token, provenAddressOf(request))
    return redirect(reply, back)
  } catch (error) {
    if (!(error instanceof AccessDenied)) throw error
    const message = error.message === 'Access Denied' ? 'Wrong login/password' : error.message
    const wait = error.retryAfter ?? undefined
    return sendForm(request, reply, backend, {
      cookie,
      database,
      redirect: fields.get('redirect'),
      login: fields.get('login'),
      message,
      wait,
    })
  }
}

async function signOut(
  request: FastifyRequest,
  reply: FastifyReply,
  { backend, bodies }: LoginOptions,
): Promise<FastifyReply> {
  const visit = await visitOf(request, backend)
  assertOwnForm(await readForm(bodies, request, reply), visit.cookie)
  return leave(request, reply, backend, visit)
}

async function leave(
  request: FastifyRequest,
  reply: FastifyReply,
  backend: Backend,
  visit: Visit,
): Promise<FastifyReply> {
  await endVisit(backend, visit)
  clearCookie(request, reply)
  return redirect(reply, `${LOGIN}?reason=signed-out`)
}
