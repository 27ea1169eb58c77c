// Errors on the wire: what an error of ours looks like from outside.
import { InternalError, PayloadTooLarge, ServiceError, ServiceUnavailable, Unauthorized } from '../errors.ts'
import { translate } from '../postgres/index.ts'

/**
 * What a client may see of a failure: errors of the one table as they are, a database server that is away as
 * such, everything else as an internal error that hides its cause.
 */
export function visible(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const told = translate(error)
  // What the server asks for itself, before there is a call, is no fault of the client's: others keep
  // PostgreSQL busy.
  if (told instanceof PayloadTooLarge)
    return new ServiceUnavailable('The database has no capacity left at the moment.', { cause: error })
  return told instanceof ServiceUnavailable
    ? told
    : new InternalError('Internal Server Error', { cause: error })
}

/** The token that a key lacks (RFC 6750, section 3.1). */
const scopeIn = ({ context }: ServiceError): string =>
  String(context.scope).replaceAll(/[^\x21\x23-\x5b\x5d-\x7e]/g, '')

/** How to come back: by a bearer, and where tokens are told of, there. */
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
  // Whoever never heard of such keys learns from there how to send one.
  if (error.code === 'idempotency_key_required')
    headers.link = `</x/1/problems/${error.code.replaceAll('_', '-')}>; rel="describedby"`
  if ('retryAfter' in error && typeof error.retryAfter === 'number')
    headers['retry-after'] = String(error.retryAfter)
  if (error instanceof ServiceUnavailable) headers['x-comptoir-outcome'] = error.outcome
  return headers
}
