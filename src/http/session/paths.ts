// Paths of the pages of sessions, and the redirects between them.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { SessionExpired } from '../../errors.ts'
import { clearCookie } from './cookie.ts'

/** Leads on: to the login, to the choice of a database, or home. */
export const START = '/web'
export const HOME = '/odoo'
export const LOGIN = '/web/login'
export const LOGOUT = '/web/session/logout'
/** Path of the form for the second factor. */
export const CODE = '/web/login/code'
export const SELECTOR = '/web/database/selector'
export const ACCOUNT = '/web/account'

/**
 * The login page, which leads back to `back`; in the database that `back` names, where no cookie has chosen
 * one.
 */
export function loginPath(back: string, isChosen = true): string {
  const database = isChosen ? null : new URL(back, 'http://here').searchParams.get('db')
  return `${LOGIN}?${database ? `db=${encodeURIComponent(database)}&` : ''}redirect=${encodeURIComponent(back)}`
}

export function redirect(reply: FastifyReply, location: string, status = 303): FastifyReply {
  return reply
    .code(status)
    .header('location', location)
    .header('content-type', 'text/html; charset=utf-8')
    .send('')
}

/** To the login, without the cookie of a session that has ended. Throws what is no end of a session. */
export function signedOut(
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
  back: string = HOME,
): FastifyReply {
  if (!(error instanceof SessionExpired)) throw error
  clearCookie(request, reply)
  return redirect(reply, loginPath(back))
}

/** A path of this server, whatever a form requests. */
export function localPath(path: string | undefined): string {
  return path && /^\/(?![/\\])[\x20-\x7e]*$/.test(path) ? path : HOME
}
