// Failures of PostgreSQL as errors of a call: in the words of its models, and, where the server went away,
// with the outcome of the call.
import type { Database } from '../databases/index.ts'
import {
  ConcurrencyError,
  PayloadTooLarge,
  ServiceError,
  ServiceUnavailable,
  TooManyRequests,
  Unauthorized,
} from '../errors.ts'
import { inWordsOf } from '../models/terms/labels.ts'
import { assertContext } from '../models/unit/environment.ts'
import type { UnitOfWork } from '../models/unit/unit.ts'
import { isConnectionLost, isDemoted, isReadOnly, sqlState } from '../postgres/index.ts'

/**
 * The error of a call whose PostgreSQL server went away, or takes no changes any more, with the outcome of
 * the call. Null for all other failures.
 */
export function connectionLostError(
  error: unknown,
  { committing }: UnitOfWork,
  readonly: boolean,
  { pool }: Database,
): Error | null {
  if (isReadOnly(error)) {
    if (readonly && !isDemoted(error))
      return new Error('A method that is declared read-only tried to write.', { cause: error })
    // The others are connections to the same server.
    pool.shed()
    return new ServiceUnavailable('The database does not accept changes at the moment.', {
      cause: error,
      repeats: true,
    })
  }
  if (!isConnectionLost(error)) return null
  if (!committing)
    return new ServiceUnavailable('The database is not available at the moment.', {
      cause: error,
      repeats: true,
    })
  return new ServiceUnavailable(
    'The connection to the database was lost while the change was being committed: it may or may not have taken effect. Check before you repeat it.',
    { cause: error, outcome: 'unknown' },
  )
}

/** The failure of PostgreSQL that an error reports as an outage; any other error is its own. */
export const causeOf = (error: unknown): unknown =>
  error instanceof ServiceUnavailable ? error.cause : error

/**
 * Whether what failed may succeed a moment later: others were faster, or a statement's time was over, maybe
 * because the server stood still.
 */
export const mayPass = (error: unknown): boolean =>
  error instanceof ConcurrencyError ||
  error instanceof TooManyRequests ||
  (error instanceof PayloadTooLarge && sqlState(error.cause) === '57014')

/** Constraint violations and other errors of PostgreSQL in the words of the models. */
export const translatedError = ({ registry }: Database, error: unknown): unknown => inWordsOf(registry, error)

/**
 * An error with the context of its request (spec/external-api.md, "Error object"). Requests without valid
 * credentials, and those whose context is refused, get an empty one: it may be as long as a body.
 */
export function withContext(error: unknown, context: unknown): unknown {
  if (error instanceof ServiceError && !(error instanceof Unauthorized) && isAccepted(context))
    error.requestContext = context
  return error
}

function isAccepted(context: unknown): context is Record<string, unknown> {
  if (typeof context !== 'object' || context === null || Array.isArray(context)) return false
  try {
    assertContext(context as Record<string, unknown>)
    return true
  } catch {
    return false
  }
}
