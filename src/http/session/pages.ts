// The pages that browsers and client libraries read: /web, /web/login, /odoo, /web/become, the selector (spec/client-needs.md section 4).
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AccessDenied, BadRequest, SessionExpired } from '../../errors.ts'
import { sameSecret } from '../../kit/secrets.ts'
import type { Backend } from '../../wire/backend.ts'
import { sessionInfo } from '../../wire/session.ts'
import { readForm } from '../form.ts'
import { sendPage } from '../reply.ts'
import { type Cookie, clearCookie, csrfToken, readCookie, setCookie, visitorCookie } from './cookie.ts'
import { homePage, loginPage, selectorPage } from './html.ts'
import { databaseOf, visitOf } from './visit.ts'

type QueryRequest = FastifyRequest<{ Querystring: Record<string, string | undefined> }>

const HOME = '/odoo'
const LOGIN = '/web/login'
const SELECTOR = '/web/database/selector'

/** Registers the pages. */
export function sessionPages(app: FastifyInstance, { backend }: { backend: Backend }): void {
  app.get('/web', async (request: QueryRequest, reply) => {
    const { cookie, database, visitor } = await visitOf(request, backend)
    const asked = request.query.db
    if (asked && asked !== cookie?.database) {
      const chosen = await databaseOf(request, backend, asked)
      if (chosen === null) return redirect(reply, SELECTOR)
      setCookie(request, reply, visitorCookie(chosen))
      return redirect(reply, request.url, 302)
    }
    if (database === null) return redirect(reply, SELECTOR)
    return redirect(reply, visitor ? HOME : loginPath(request.url))
  })

  app.get(HOME, (request, reply) => home(request, reply, backend))
  app.get(LOGIN, async (request: QueryRequest, reply) => {
    const { cookie, database } = await visitOf(request, backend)
    if (database === null) return redirect(reply, SELECTOR)
    return form(request, reply, { cookie, database, redirect: request.query.redirect })
  })
  app.post(LOGIN, (request, reply) => signIn(request, reply, backend))

  app.get('/web/become', async (request, reply) => {
    const { visitor } = await visitOf(request, backend)
    if (!visitor) return redirect(reply, loginPath(HOME))
    try {
      const token = await backend.session.become(backend.databases, visitor.database, visitor.token)
      if (token) setCookie(request, reply, { kind: 'session', database: visitor.database, token })
      return redirect(reply, HOME)
    } catch (error) {
      return signedOut(request, reply, error)
    }
  })

  app.get(SELECTOR, async (request, reply) => {
    const cookie = (await visitOf(request, backend)).cookie ?? visitorCookie(null)
    setCookie(request, reply, cookie)
    return sendPage(reply, selectorPage({ databases: await backend.db.list(backend.databases), csrf: csrfToken(cookie) }))
  })
}

async function home(request: FastifyRequest, reply: FastifyReply, backend: Backend): Promise<FastifyReply> {
  const { database, visitor } = await visitOf(request, backend)
  if (database === null) return redirect(reply, SELECTOR)
  if (!visitor) return redirect(reply, loginPath(request.url))
  try {
    return sendPage(reply, homePage(await sessionInfo(backend, visitor)))
  } catch (error) {
    return signedOut(request, reply, error)
  }
}

/** The form of the login, in a page; visitors get the cookie that the form's token goes with. */
function form(
  request: FastifyRequest,
  reply: FastifyReply,
  options: { cookie: Cookie | null; database: string; redirect?: string | undefined; login?: string | undefined; message?: string },
): FastifyReply {
  const cookie = options.cookie ?? visitorCookie(options.database)
  if (!options.cookie) setCookie(request, reply, cookie)
  return sendPage(reply, loginPage({ ...options, csrf: csrfToken(cookie) }))
}

async function signIn(request: FastifyRequest, reply: FastifyReply, backend: Backend): Promise<FastifyReply> {
  const visit = await visitOf(request, backend)
  const fields = await readForm(request.raw)
  // A visitor who has chosen no database yet has a token all the same.
  const { cookie } = visit.cookie ? visit : { cookie: readCookie(request) }
  if (!cookie || !sameSecret(fields.get('csrf_token') ?? '', csrfToken(cookie)))
    throw new BadRequest('Session expired (invalid CSRF token)')
  const asked = fields.get('db')
  const database = asked ? await databaseOf(request, backend, asked) : visit.database
  if (database === null) return redirect(reply, SELECTOR)
  try {
    const token = await backend.session.signIn(backend.databases, database, fields.get('login'), fields.get('password'), request.ip)
    if (visit.visitor) await backend.session.signOut(backend.databases, visit.visitor.database, visit.visitor.token)
    setCookie(request, reply, { kind: 'session', database, token })
    return redirect(reply, local(fields.get('redirect')))
  } catch (error) {
    if (!(error instanceof AccessDenied)) throw error
    const message = error.message === 'Access Denied' ? 'Wrong login/password' : error.message
    return form(request, reply, { cookie, database, redirect: fields.get('redirect'), login: fields.get('login'), message })
  }
}

/** To the login, without the cookie of a session that has ended. */
function signedOut(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
  if (!(error instanceof SessionExpired)) throw error
  clearCookie(request, reply)
  return redirect(reply, loginPath(HOME))
}

const loginPath = (back: string): string => `${LOGIN}?redirect=${encodeURIComponent(back)}`

/** A path of this server, wherever a form wants to lead. */
function local(path: string | undefined): string {
  return path && /^\/(?![/\\])[\x20-\x7e]*$/.test(path) ? path : HOME
}

function redirect(reply: FastifyReply, location: string, status = 303): FastifyReply {
  return reply.code(status).header('location', location).header('content-type', 'text/html; charset=utf-8').send('')
}
