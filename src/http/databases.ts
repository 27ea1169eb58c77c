// The database controllers: forms under /web/database, and the list (spec/wire.md section 13,
// spec/client-needs.md section 8).
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AccessDenied, BadRequest, UserError } from '../errors.ts'
import { type Html, html } from '../kit/html.ts'
import type { Backend } from '../wire/backend.ts'
import { errorHeaders } from '../wire/errors.ts'
import { answer } from '../wire/jsonrpc.ts'
import { isYes } from '../wire/parse.ts'
import { type BackupOptions, backupRoutes, managerOf, type Submission, type Submit } from './backups.ts'
import type { Bodies } from './body.ts'
import { asServiceError, logFailure } from './failures.ts'
import { readForm, required } from './form.ts'
import type { Log } from './log.ts'
import { managerPage, type Vain } from './manager-page.ts'
import { onlyPost } from './only-post.ts'
import { sendBuiltPage } from './pages.ts'
import { Progresses } from './progress.ts'
import { sendJson } from './reply.ts'
import { envelopeHandler } from './rpc.ts'
import { setCookie } from './session/cookie.ts'
import { assertOwnSite } from './session/origin.ts'

const MANAGER = '/web/database/manager'

/** May set the next page of the browser, if it is not the manager. */
type Controller = (
  backend: Backend,
  form: Submission,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<unknown>

/** A selected module in the form; `modules` marks that the form offers them. */
const CHOSEN = /^modules\.(.+)$/

/** The work of each form; it resolves on success. */
const controllers: Readonly<Record<string, Controller>> = {
  async create({ databases, db, session, shopModules }, { fields, progress }, request, reply) {
    const { master_pwd, name, lang, password, login, phone } = required(
      fields,
      'master_pwd',
      'name',
      'lang',
      'password',
      'login',
      'phone',
    )
    const country = fields.get('country_code') || undefined
    const demo = isYes(fields.get('demo'))
    const chosen = [...fields.keys()].flatMap((key) => CHOSEN.exec(key)?.[1] ?? [])
    const hasModules = chosen.length > 0 || (demo && fields.has('modules'))
    await db.create(databases, managerOf(master_pwd, request), {
      name,
      modules: hasModules ? shopModules(chosen) : [],
      demo,
      lang,
      login,
      password,
      country,
      phone: phone || undefined,
      progress,
    })
    // The creator of a database is signed in to it (spec/client-needs.md section 8).
    reply.header('location', '/odoo')
    if (password === '') return
    const token = await session.signIn(databases, name, login, password, request.ip)
    setCookie(request, reply, { kind: 'session', database: name, token })
  },
  duplicate({ databases, db }, { fields }, request) {
    const { master_pwd, name, new_name } = required(fields, 'master_pwd', 'name', 'new_name')
    return db.duplicate(databases, managerOf(master_pwd, request), name, new_name, {
      neutralize: isYes(fields.get('neutralize_database')),
    })
  },
  async drop({ databases, db }, { fields }, request) {
    const { master_pwd, name } = required(fields, 'master_pwd', 'name')
    // The page asks for the name again; programs may leave the confirmation out.
    if ((fields.get('confirm') ?? name) !== name)
      throw new UserError('The names differ: nothing was deleted.')
    return db.drop(databases, managerOf(master_pwd, request), name)
  },
  change_password({ databases, db }, { fields }, request) {
    const { master_pwd, master_pwd_new } = required(fields, 'master_pwd', 'master_pwd_new')
    return db.changeMasterPassword(databases, managerOf(master_pwd, request), master_pwd_new)
  },
}

interface DatabaseOptions {
  readonly backend: Backend
  readonly bodies: Bodies
  readonly log: Log
}

/** Registers the controllers, the list and the manager page. */
export async function databaseRoutes(app: FastifyInstance, options: DatabaseOptions): Promise<void> {
  const { backend, bodies } = options
  const progresses = new Progresses(backend.databases.announcements)
  progresses.route(app)
  const submit = submitting(options, progresses)
  controllerRoutes(app, { backend, bodies, submit })
  factsRoute(app, options)
  listRoute(app, options)
  await backupRoutes(app, { backend, bodies, submit })
  app.get(MANAGER, (request, reply) => sendManager(backend, request, reply))
}

/**
 * Handles all database forms: checks the sender, shows progress, and sends the page that reports failures.
 */
const submitting =
  ({ backend, log }: DatabaseOptions, progresses: Progresses): Submit =>
  (action, work) =>
  async (request, reply) => {
    const form: Submission = { fields: new Map(), progress: () => undefined, follow: () => undefined }
    let progress: ReturnType<Progresses['begin']> | undefined
    form.follow = () => {
      progress = progresses.begin(form.fields.get('progress'))
      form.progress = progress.tell
    }
    try {
      // A page elsewhere could make an administrator's browser try master passwords here.
      assertOwnSite(request)
      const result = await work(form, request, reply)
      if (result instanceof Readable) {
        result.once('close', () => progress?.end(result.errored ? 'failed' : 'done'))
        return reply.code(200).send(result)
      }
    } catch (error) {
      progress?.end('failed')
      const failure = asServiceError(error)
      logFailure(log, request, failure)
      // An invalid form is refused with its status; a failure of a valid form is a normal page, so that
      // browsers show it.
      const status =
        failure instanceof BadRequest || [413, 415].includes(failure.status) || failure.status >= 500
          ? failure.status
          : 200
      reply.headers(errorHeaders(failure))
      const vain = { action, fields: form.fields }
      return sendManager(backend, request, reply, { message: failure.message, vain, status })
    }
    progress?.end('done')
    if (!reply.hasHeader('location')) reply.header('location', MANAGER)
    return reply.code(303).header('content-type', 'text/html; charset=utf-8').send('')
  }

function controllerRoutes(app: FastifyInstance, { backend, bodies, submit }: BackupOptions): void {
  for (const [name, controller] of Object.entries(controllers)) {
    const path = `/web/database/${name}`
    app.post(
      path,
      submit(name, async (form, request, reply) => {
        form.fields = await readForm(bodies, request, reply)
        form.follow()
        return controller(backend, form, request, reply)
      }),
    )
    onlyPost(app, path)
  }
}

/** Facts that the page shows once the master password was entered. */
function factsRoute(app: FastifyInstance, { backend, bodies }: DatabaseOptions): void {
  app.post('/web/database/facts', async (request, reply) => {
    assertOwnSite(request)
    const { master_pwd, names } = required(await readForm(bodies, request, reply), 'master_pwd', 'names')
    const { databases, db } = backend
    const facts = await db.facts(
      databases,
      managerOf(master_pwd, request),
      request.headers.host,
      names.split(','),
    )
    reply.header('cache-control', 'no-store')
    return sendJson(request, reply, JSON.stringify(facts))
  })
  onlyPost(app, '/web/database/facts')
}

function listRoute(app: FastifyInstance, { backend, bodies, log }: DatabaseOptions): void {
  app.post(
    '/web/database/list',
    envelopeHandler({
      bodies,
      log,
      run: ({ headers }, envelope) =>
        answer(envelope, async () => JSON.stringify(await backend.db.list(backend.databases, headers.host))),
    }),
  )
  onlyPost(app, '/web/database/list')
}

/** Answers with the manager page, and what failed where something did. */
async function sendManager(
  backend: Backend,
  request: FastifyRequest,
  reply: FastifyReply,
  facts: { message?: string; vain?: Vain; status?: number } = {},
): Promise<FastifyReply> {
  const { message, vain, status = 200 } = facts
  const databases = await backend.db.list(backend.databases, request.headers.host).catch((error: unknown) => {
    if (error instanceof AccessDenied) return null
    throw error
  })
  const isManageable = await backend.db.manageable(backend.databases)
  const plain = databases
    ? managerPage({ databases, isManageable, catalogue: backend.catalogue(), message, vain })
    : closedPage(message)
  return sendBuiltPage(reply, {
    title: 'Databases',
    name: 'databases',
    plain,
    status: databases ? status : 403,
  })
}

/** The page that replaces the manager if listing and managing are switched off. */
function closedPage(message = 'The database manager is disabled on this server (setting "list-db").'): Html {
  return html`<h1>Databases</h1><p class="notice warn" role="alert">${message}</p>`
}
