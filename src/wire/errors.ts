// Errors on the wire: their visible form, and the headers that belong to them.
import { InternalError, PayloadTooLarge, ServiceError, ServiceUnavailable, Unauthorized } from '../errors.ts'
import { translate } from '../postgres/index.ts'

/**
 * A failure as a client may see it: errors of the error table unchanged, a database server that is away as
 * such, everything else as an internal error that hides its cause.
 */
export function visible(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const translated = translate(error)
  // The client did not cause this: the query is the server's own, before there is a call, and other work
  // keeps PostgreSQL busy.
  if (translated instanceof PayloadTooLarge)
    return new ServiceUnavailable('The database is overloaded. Please try again.', { cause: error })
  return translated instanceof ServiceUnavailable
    ? translated
    : new InternalError('Internal Server Error', { cause: error })
}

/** The token that a key lacks (RFC 6750, section 3.1). */
const scopeIn = ({ context }: ServiceError): string =>
  String(context.scope).replaceAll(/[^\x21\x23-\x5b\x5d-\x7e]/g, '')

/** Value of `WWW-Authenticate`: a bearer token, with the address of the token metadata where there is one. */
const challengeOf = ({ context }: Unauthorized): string =>
  typeof context.resource_metadata === 'string'
    ? `Bearer resource_metadata="${context.resource_metadata}"`
    : 'Bearer'

/** Headers that belong to a failure, besides those of every answer. */
export function errorHeaders(error: ServiceError): Record<string, string> {
  const headers: Record<string, string> = { 'error-code': error.code }
  if (error instanceof Unauthorized) headers['www-authenticate'] = challengeOf(error)
  if (error.code === 'scope_missing')
    headers['www-authenticate'] = `Bearer error="insufficient_scope", scope="${scopeIn(error)}"`
  // The linked page explains idempotency keys to clients that do not send them.
  if (error.code === 'idempotency_key_required')
    headers.link = `</x/1/problems/${error.code.replaceAll('_', '-')}>; rel="describedby"`
  if ('retryAfter' in error && typeof error.retryAfter === 'number')
    headers['retry-after'] = String(error.retryAfter)
  if (error instanceof ServiceUnavailable) headers['x-comptoir-outcome'] = error.outcome
  return headers
}
