// The second step of signing in by a form: a code of the second factor, or the enrolment of an app. It works
// without script.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AccessDenied } from '../../errors.ts'
import type { Visitor } from '../../wire/session.ts'
import { readForm } from '../form.ts'
import { sendBuiltPage } from '../pages.ts'
import { queryOf } from '../query.ts'
import { codePage, recoveryPage } from './code-html.ts'
import { csrfToken, setCookie } from './cookie.ts'
import { assertOwnForm, type LoginOptions } from './login.ts'
import { provenAddressOf } from './origin.ts'
import { CODE, localPath, loginPath, redirect, signedOut } from './paths.ts'
import { visitOf } from './visit.ts'

/** Registers the routes. */
export function codeRoutes(app: FastifyInstance, options: LoginOptions): void {
  app.get(CODE, async (request, reply) => {
    const { pending } = await visitOf(request, options.backend)
    const back = localPath(queryOf(request).redirect)
    if (!pending) return redirect(reply, loginPath(back))
    try {
      return await sendCodeForm(reply, options, { pending, back })
    } catch (error) {
      return signedOut(request, reply, error, back)
    }
  })
  app.post(CODE, (request, reply) => submitCode(request, reply, options))
}

interface CodeForm {
  readonly pending: Visitor
  readonly back: string
  /** Why the form comes again, and for how many seconds no code is judged. */
  readonly refused?: { readonly message: string; readonly wait: number | undefined }
}

/** Throws SessionExpired if the login is not waiting any more. */
async function sendCodeForm(
  reply: FastifyReply,
  { backend: { databases, secondFactor } }: LoginOptions,
  { pending, back, refused }: CodeForm,
): Promise<FastifyReply> {
  const { database, token } = pending
  const { login, enrolment } = await secondFactor.awaited(databases, database, token)
  const csrf = csrfToken({ kind: 'pending', database, token })
  const page = codePage({ database, login, enrolment, csrf, back, refused })
  return sendBuiltPage(reply.header('cache-control', 'no-store'), {
    name: 'session',
    width: 'narrow',
    ...page,
  })
}

async function submitCode(
  request: FastifyRequest,
  reply: FastifyReply,
  options: LoginOptions,
): Promise<FastifyReply> {
  const { backend, bodies } = options
  const { cookie, pending } = await visitOf(request, backend)
  const fields = await readForm(bodies, request, reply)
  assertOwnForm(fields, cookie)
  const back = localPath(fields.get('redirect'))
  if (!pending) return redirect(reply, loginPath(back))
  try {
    const { database } = pending
    const place = { remote: request.ip, userAgent: request.headers['user-agent'] }
    const { token, recoveryCodes } = await backend.secondFactor.complete(
      backend.databases,
      database,
      pending.token,
      fields.get('code'),
      place,
    )
    setCookie(request, reply, { kind: 'session', database, token })
    await backend.session.noteAddress(backend.databases, database, token, provenAddressOf(request))
    if (!recoveryCodes) return redirect(reply, back)
    const page = recoveryPage(recoveryCodes, back)
    return await sendBuiltPage(reply.header('cache-control', 'no-store'), {
      name: 'session',
      width: 'narrow',
      ...page,
    })
  } catch (error) {
    if (!(error instanceof AccessDenied)) return signedOut(request, reply, error, back)
    const refused = { message: error.message, wait: error.retryAfter ?? undefined }
    return sendCodeForm(reply, options, { pending, back, refused }).catch((ended: unknown) =>
      signedOut(request, reply, ended, back),
    )
  }
}
