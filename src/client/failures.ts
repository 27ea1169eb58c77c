// Turns a failed answer back into the class of the error table that it was made from.
import {
  BadRequest,
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
import type { ErrorObject } from '../wire/errors.ts'

type ErrorClass = new (message: string, options?: { context?: Record<string, unknown> }) => ServiceError

const byName = new Map<string, ErrorClass>(errorClasses.filter((c) => c !== InvalidApiKey).map((c) => [c.wireName, c]))

/** For answers that are no error object: pages of proxies, and of servers that answer HTML before a database is chosen. */
const byStatus = new Map<number, ErrorClass>([
  [400, BadRequest],
  [401, Unauthorized],
  [404, NotFound],
  [413, PayloadTooLarge],
  [415, UnsupportedMediaType],
  [500, InternalError],
  [503, ServiceUnavailable],
])

/** The error object in the text of a body, or null when there is none. */
export function errorObjectIn(text: string): ErrorObject | null {
  const value = parsed(text)
  if (typeof value !== 'object' || value === null) return null
  const { name, message, arguments: args, context, debug } = value as Partial<Record<keyof ErrorObject, unknown>>
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

/**
 * An error of the class that carries the exception's name; ServiceError itself for names outside the table. Status, name, arguments,
 * context and `debug` are those of the answer: another server may give them other values than the table does.
 */
export function rebuild(status: number, answered: ErrorObject): ServiceError {
  const invalidKey = answered.name === InvalidApiKey.wireName && answered.message === 'Invalid apikey'
  const Class: ErrorClass = invalidKey ? InvalidApiKey : (byName.get(answered.name) ?? ServiceError)
  return withFacts(new Class(answered.message), status, answered)
}

/** An error for an answer without an error object; `wireName` is then `HTTP` and the status. */
export function unreadable(status: number, message: string): ServiceError {
  const Class = byStatus.get(status) ?? ServiceError
  return withFacts(new Class(message), status, { name: `HTTP ${status}`, message, arguments: [message, status], context: {}, debug: '' })
}

function withFacts(error: ServiceError, status: number, { name, message, arguments: args, context, debug }: ErrorObject): ServiceError {
  const facts = { message, status, wireName: name, arguments: args, context, debug }
  for (const [key, value] of Object.entries(facts)) {
    Object.defineProperty(error, key, { value, enumerable: key !== 'message', configurable: true })
  }
  return error
}
