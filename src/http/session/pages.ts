// The pages of browser sessions: / and /web, /odoo, the account, /web/become, the selector; the login is in
// login.ts (spec/client-needs.md section 4).
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { AccessDenied, MissingError, ServiceError, SessionExpired } from '../../errors.ts'
import { html } from '../../kit/html.ts'
import type { Backend } from '../../wire/backend.ts'
import { callKw, type Visitor } from '../../wire/session.ts'
import type { Bodies } from '../body.ts'
import { sendBuiltPage } from '../pages.ts'
import { queryOf } from '../query.ts'
import { codeRoutes } from './code.ts'
import { csrfToken, setCookie, visitorCookie } from './cookie.ts'
import { homePage, selectorPage } from './html.ts'
import { loginRoutes } from './login.ts'
import { isForeign } from './origin.ts'
import { overviewOf } from './overview.ts'
import { ACCOUNT, HOME, loginPath, redirect, SELECTOR, START, signedOut } from './paths.ts'
import { type Person, personOf } from './person.ts'
import { placeIn, recordPage } from './record.ts'
import { databaseOf, visitOf } from './visit.ts'

/** Registers the pages. */
export function sessionPages(
  app: FastifyInstance,
  { backend, bodies }: { backend: Backend; bodies: Bodies },
): void {
  startRoutes(app, backend)
  loginRoutes(app, { backend, bodies })
  codeRoutes(app, { backend, bodies })
  homeRoute(app, backend)
  recordRoute(app, backend)
  accountRoute(app, backend)
  becomeRoute(app, backend)
  selectorRoute(app, backend)
}

function startRoutes(app: FastifyInstance, backend: Backend): void {
  // The server's address alone leads to its first page.
  app.get('/', (_request, reply) => redirect(reply, START))
  app.get(START, async (request, reply) => {
    const { cookie, database, visitor } = await visitOf(request, backend)
    const requestedDatabase = queryOf(request).db
    if (requestedDatabase && requestedDatabase !== cookie?.database) {
      const chosen = await databaseOf(request, backend, requestedDatabase)
      if (chosen === null) return redirect(reply, SELECTOR)
      setCookie(request, reply, visitorCookie(chosen))
      return redirect(reply, request.url, 302)
    }
    if (database === null) return redirect(reply, SELECTOR)
    return redirect(reply, visitor ? HOME : loginPath(request.url))
  })
}

/** A handler for signed-in users: others are led to the login, or to the selector. */
const forPerson =
  (
    backend: Backend,
    send: (request: FastifyRequest, reply: FastifyReply, person: Person) => unknown,
  ): RouteHandlerMethod =>
  async (request, reply) => {
    const { cookie, database, visitor } = await visitOf(request, backend)
    if (database === null) return redirect(reply, SELECTOR)
    if (!visitor || !cookie) return redirect(reply, loginPath(request.url, cookie !== null))
    try {
      return await send(request, reply, await personOf(backend, visitor, cookie))
    } catch (error) {
      return signedOut(request, reply, error, request.url)
    }
  }

function homeRoute(app: FastifyInstance, backend: Backend): void {
  app.get(
    HOME,
    forPerson(backend, async (request, reply, { visitor, info, signedIn: bar }) => {
      const overview = await overviewOf(backend, visitor, `${request.protocol}://${request.host}`)
      return sendBuiltPage(reply, {
        name: 'session',
        bar: { ...bar, path: HOME },
        ...homePage(info, bar, overview),
      })
    }),
  )
}

function recordRoute(app: FastifyInstance, backend: Backend): void {
  app.get(
    `${HOME}/*`,
    forPerson(backend, async (request, reply, { visitor, signedIn: bar }) => {
      const path = (request.params as { '*': string })['*']
      const place = placeIn(path)
      // Paths of another web client, such as /odoo/contacts, lead home; those that name a model lead to its
      // documentation.
      if (!place)
        return redirect(reply, /^[\w]+\.[\w.]+$/.test(path) && bar.mayDocument ? `/doc/${path}` : HOME)
      const page = { name: 'session', width: 'wide', bar: { ...bar, path: '' } } as const
      try {
        const record = await recordPage(backend, visitor, place)
        if (!record) throw new MissingError('Record not found.')
        return sendBuiltPage(reply, { ...page, ...record })
      } catch (error) {
        if (
          !(error instanceof ServiceError) ||
          error instanceof SessionExpired ||
          (error.status !== 403 && error.status !== 404)
        )
          throw error
        const plain = html`<h1>Not available</h1><p class="notice warn" role="alert">${error.message}</p><p><a href="${HOME}">Home</a></p>`
        return sendBuiltPage(reply, { ...page, title: 'Not available', plain, status: error.status })
      }
    }),
  )
}

function accountRoute(app: FastifyInstance, backend: Backend): void {
  app.get(
    ACCOUNT,
    forPerson(backend, async (request, reply, { visitor, info, signedIn: bar }) => {
      const { uid, username, db, is_system, is_internal_user } = info
      const facts = {
        uid,
        name: bar.name,
        login: username,
        database: db,
        isAdministrator: is_system,
        secondFactor: await secondFactorOf(backend, visitor),
        hasWebhooks: is_internal_user && (backend.databases.options.extensions?.has('webhooks') ?? true),
        origin: `${request.protocol}://${request.host}`,
      }
      return sendBuiltPage(reply, {
        name: 'account',
        width: 'wide',
        title: 'Account security',
        bar: { ...bar, path: ACCOUNT },
        facts,
      })
    }),
  )
}

/** The state of the visitor's second factor. Throws SessionExpired. */
async function secondFactorOf(backend: Backend, visitor: Visitor): Promise<unknown> {
  const call = { model: 'res.users', method: 'second_factor', args: [], kwargs: {} }
  return JSON.parse(await callKw(backend, visitor, call))
}

function becomeRoute(app: FastifyInstance, backend: Backend): void {
  app.get('/web/become', async (request, reply) => {
    const { visitor } = await visitOf(request, backend)
    if (!visitor) return redirect(reply, loginPath(HOME))
    // A link of another site must not change who one is.
    if (isForeign(request)) return redirect(reply, HOME)
    try {
      const token = await backend.session.become(
        backend.databases,
        visitor.database,
        visitor.token,
        request.ip,
      )
      if (token) setCookie(request, reply, { kind: 'session', database: visitor.database, token })
      return redirect(reply, HOME)
    } catch (error) {
      return signedOut(request, reply, error)
    }
  })
}

function selectorRoute(app: FastifyInstance, backend: Backend): void {
  app.get(SELECTOR, async (request, reply) => {
    const cookie = (await visitOf(request, backend)).cookie ?? visitorCookie(null)
    setCookie(request, reply, cookie)
    const databases = await backend.db
      .list(backend.databases, request.headers.host)
      .catch((error: unknown) => {
        if (error instanceof AccessDenied) return null
        throw error
      })
    return sendBuiltPage(reply, {
      name: 'session',
      width: 'narrow',
      ...selectorPage({ databases, csrf: csrfToken(cookie) }),
    })
  })
}
