// The database controllers: forms under /web/database, and the list (spec/wire.md section 13, spec/client-needs.md section 8).
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { BadRequest, UnsupportedMediaType, UserError } from '../errors.ts'
import type { Backend } from '../wire/backend.ts'
import { answer } from '../wire/jsonrpc.ts'
import { backupRoutes, type Submit } from './backups.ts'
import { logFailure, understood } from './failures.ts'
import { readForm, required } from './form.ts'
import type { Log } from './log.ts'
import { managerPage } from './manager-page.ts'
import { onlyPost } from './only-post.ts'
import { sendPage } from './reply.ts'
import { envelopeHandler } from './rpc.ts'
import { setCookie } from './session/cookie.ts'

const MANAGER = '/web/database/manager'

type Fields = ReadonlyMap<string, string>
/** May set where the browser goes next, when that is not the manager. */
type Controller = (backend: Backend, fields: Fields, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** What each form does; resolving is success. */
const controllers: Readonly<Record<string, Controller>> = {
  async create({ databases, db, session }, fields, request, reply) {
    const { master_pwd, name, lang, password, login, phone } = required(fields, 'master_pwd', 'name', 'lang', 'password', 'login', 'phone')
    const country = fields.get('country_code') || undefined
    await db.create(databases, master_pwd, {
      name,
      demo: Boolean(fields.get('demo')),
      lang,
      login,
      password,
      country,
      phone: phone || undefined,
    })
    // Who made a database is signed in to it (spec/client-needs.md section 8).
    reply.header('location', '/odoo')
    if (password === '') return
    const token = await session.signIn(databases, name, login, password, request.ip)
    setCookie(request, reply, { kind: 'session', database: name, token })
  },
  duplicate({ databases, db }, fields) {
    const { master_pwd, name, new_name } = required(fields, 'master_pwd', 'name', 'new_name')
    return db.duplicate(databases, master_pwd, name, new_name, { neutralize: Boolean(fields.get('neutralize_database')) })
  },
  async drop({ databases, db }, fields) {
    const { master_pwd, name } = required(fields, 'master_pwd', 'name')
    // The page asks for it; programs that know the name need not say it twice.
    if ((fields.get('confirm') ?? name) !== name) throw new UserError('The names differ: nothing was dropped.')
    return db.drop(databases, master_pwd, name)
  },
  change_password({ databases, db }, fields) {
    const { master_pwd, master_pwd_new } = required(fields, 'master_pwd', 'master_pwd_new')
    return db.changeMasterPassword(databases, master_pwd, master_pwd_new)
  },
}

/** Registers the controllers, the list and the manager page. */
export async function databaseRoutes(
  app: FastifyInstance,
  { backend, bodyLimit, log }: { backend: Backend; bodyLimit: number; log: Log },
): Promise<void> {
  const page = async (reply: FastifyReply, message?: string, status = 200) =>
    sendPage(reply, managerPage({ databases: await backend.db.list(backend.databases), catalogue: backend.catalogue(), message }), status)

  const submit: Submit = (work) => async (request, reply) => {
    try {
      const result = await work(request, reply)
      if (result instanceof Readable) return reply.code(200).send(result)
    } catch (error) {
      const failure = understood(error)
      logFailure(log, request, failure)
      // A form that is none is refused; what a form asked for in vain is told on the page, as a browser shows it.
      const status =
        failure instanceof BadRequest || failure instanceof UnsupportedMediaType || failure.status >= 500 ? failure.status : 200
      return page(reply, failure.message, status)
    }
    if (!reply.hasHeader('location')) reply.header('location', MANAGER)
    return reply.code(303).header('content-type', 'text/html; charset=utf-8').send('')
  }

  for (const [name, controller] of Object.entries(controllers)) {
    const path = `/web/database/${name}`
    app.post(
      path,
      submit(async (request, reply) => controller(backend, await readForm(request.raw), request, reply)),
    )
    onlyPost(app, path)
  }
  app.post(
    '/web/database/list',
    envelopeHandler({
      bodyLimit,
      log,
      run: (_request, envelope) => answer(envelope, async () => JSON.stringify(await backend.db.list(backend.databases))),
    }),
  )
  onlyPost(app, '/web/database/list')
  await backupRoutes(app, { backend, submit })
  app.get(MANAGER, (_request, reply) => page(reply))
}
