// Turns a failed answer back into the class of the error table that it was made from.
import {
  BadRequest,
  type ErrorObject,
  errorClasses,
  InternalError,
  InvalidApiKey,
  NotFound,
  PayloadTooLarge,
  ServiceError,
  ServiceUnavailable,
  Unauthorized,
  UnsupportedMediaType,
} from '../errors.ts'

type ErrorClass = new (message: string) => ServiceError

/**
 * Headers of a failure: seconds until it is worth to try again, its code, and whether a server that is away
 * did the work (`undone`, `unknown`); null: absent.
 */
interface HeaderFacts {
  readonly retryAfter?: number | null
  readonly code?: string | null
  readonly outcome?: string | null
}

/** Where classes share a name, the general one comes first in the table and is meant. */
const byName = new Map<string, ErrorClass>(
  [...errorClasses].reverse().map((c) => [c.wireName, c as ErrorClass]),
)

/**
 * For answers without an error object: pages of proxies, and of servers that answer HTML before a database
 * is chosen.
 */
const byStatus = new Map<number, ErrorClass>([
  [400, BadRequest],
  [401, Unauthorized],
  [404, NotFound],
  [413, PayloadTooLarge],
  [415, UnsupportedMediaType],
  [500, InternalError],
  [503, ServiceUnavailable],
])

/**
 * The error that a failed answer stands for: of the class that carries the exception's name, ServiceError
 * itself for names outside the table. Status, name, arguments, context and `debug` are those of the answer,
 * since another server may give them other values than the table does. Without an error object the class
 * follows the status, and `wireName` is `HTTP` and the status. `code` is that of the header, which says more
 * than the class.
 */
export function failureOf(status: number, text: string, headerFacts: HeaderFacts = {}): ServiceError {
  const answered = errorObjectIn(text)
  if (!answered)
    return unreadable(status, `The server answered with status ${status} and no error object.`, headerFacts)
  const invalidKey = answered.name === InvalidApiKey.wireName && answered.message === 'Invalid apikey'
  const Class: ErrorClass = invalidKey ? InvalidApiKey : (byName.get(answered.name) ?? ServiceError)
  return withFacts(new Class(answered.message), status, answered, headerFacts)
}

/** Begins the `wireName` of errors for answers without an error object. */
export const NO_OBJECT = 'HTTP '

/** An error for an answer that is no JSON or no error object. */
export function unreadable(status: number, message: string, headerFacts: HeaderFacts = {}): ServiceError {
  const Class = byStatus.get(status) ?? ServiceError
  const answered = {
    name: `${NO_OBJECT}${status}`,
    message,
    arguments: [message, status],
    context: {},
    debug: '',
  }
  return withFacts(new Class(message), status, answered, headerFacts)
}

function withFacts(
  error: ServiceError,
  status: number,
  answered: ErrorObject,
  { retryAfter = null, code = null, outcome = null }: HeaderFacts,
): ServiceError {
  const { name, message, arguments: args, context, debug } = answered
  const facts = {
    message,
    status,
    wireName: name,
    arguments: args,
    context,
    debug,
    ...(retryAfter === null ? {} : { retryAfter }),
    ...(code === null ? {} : { code }),
    // Nothing is sure where the server does not say so.
    ...(error instanceof ServiceUnavailable ? { outcome: outcome === 'undone' ? outcome : 'unknown' } : {}),
  }
  for (const [key, value] of Object.entries(facts))
    Object.defineProperty(error, key, { value, configurable: true })
  return error
}

/** The error object in the text of a body, or null without one. */
function errorObjectIn(text: string): ErrorObject | null {
  const value = parsed(text)
  if (typeof value !== 'object' || value === null) return null
  const {
    name,
    message,
    arguments: args,
    context,
    debug,
  } = value as Partial<Record<keyof ErrorObject, unknown>>
  if (typeof name !== 'string' || typeof message !== 'string') return null
  return {
    name,
    message,
    arguments: Array.isArray(args) ? args : [message],
    context: typeof context === 'object' && context !== null ? (context as Record<string, unknown>) : {},
    debug: typeof debug === 'string' ? debug : '',
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
