// Every error a client can meet: one table of classes with their name on the wire and their HTTP status.
// Wires, documentation and the typed client read this table; a test holds that no error class lives
// elsewhere.
// Names and statuses: spec/wire.md section 6.

/**
 * Members of an error that belong on the wire (spec/external-api.md, "Error object"), besides `context` and
 * `debug`.
 */
export interface WireError {
  readonly name: string
  readonly message: string
  readonly arguments: readonly unknown[]
}

/** The error object (spec/external-api.md, "Error object"): exactly these keys. */
export interface ErrorObject extends WireError {
  readonly context: Readonly<Record<string, unknown>>
  readonly debug: string
}

/** Characters of a message: what a caller sent may stand in it. */
const LONGEST = 10_000

/** Facts about an error beyond its message: sent in problem details, never in the error object. */
export interface About {
  /** Whether it is the model, a rule, a field or a company that is not open. */
  readonly kind?: 'model' | 'rule' | 'field' | 'company'
  /** Parameters that the method takes. */
  readonly accepted?: readonly string[]
  /** The field that is unknown, missing or wrongly valued, and the model that it is looked for on. */
  readonly field?: string
  readonly model?: string
  /** Where a set was judged: each row of it and the field that is missing there. */
  readonly rows?: readonly (readonly [row: number, field: string])[]
  /** The row of `vals_list` that is at fault, where the others are not. */
  readonly row?: number
  /** Names that may have been meant. */
  readonly suggestions?: readonly string[]
  /** Places in the body, as JSON Pointers. */
  readonly faults?: readonly Fault[]
}

/** One place of a body that is at fault. */
export interface Fault {
  readonly pointer: string
  readonly field?: string
  readonly detail?: string
  readonly suggestions?: readonly string[]
}

interface ErrorFacts {
  readonly cause?: unknown
  readonly context?: Record<string, unknown>
  readonly code?: string
  readonly about?: About
}

/** The root of all errors that are answers: something said to the caller in the caller's words. */
export class ServiceError extends Error {
  static readonly wireName: string = 'odoo.exceptions.UserError'
  static readonly status: number = 422
  /** Extra facts for the error object's `context` (spec/wire.md section 6: suggested companies). */
  readonly context: Record<string, unknown>
  /** Machine-readable reason, sent as the header `Error-Code`. By default derived from the class name. */
  readonly code: string
  /** Facts about the error; callers further up add what only they know. */
  about: About
  /**
   * The context of the request that failed, once its body was read (spec/external-api.md, "Error object").
   */
  requestContext: Readonly<Record<string, unknown>> | null = null

  constructor(message: string, options: ErrorFacts = {}) {
    super(
      message.length > LONGEST ? `${message.slice(0, LONGEST)}…` : message,
      options.cause === undefined ? undefined : { cause: options.cause },
    )
    this.name = new.target.name
    this.context = options.context ?? {}
    this.about = options.about ?? {}
    this.code = options.code ?? new.target.name.replace(/(?<=[a-z])[A-Z]/g, '_$&').toLowerCase()
  }

  get status(): number {
    return (this.constructor as typeof ServiceError).status
  }

  get wireName(): string {
    return (this.constructor as typeof ServiceError).wireName
  }

  /** The exception's arguments as the error object lists them. */
  get arguments(): readonly unknown[] {
    return [this.message]
  }
}

/** The error object of a failure. `debug` repeats what the client may know: no trace, no path, no query. */
export function errorObject(error: ServiceError): ErrorObject {
  return {
    name: error.wireName,
    message: error.message,
    arguments: error.arguments,
    context: error.requestContext ? { ...error.requestContext, ...error.context } : error.context,
    debug: `${error.wireName}: ${error.message}`,
  }
}

/** Errors of the HTTP layer carry their status as second argument (spec/wire.md section 6). */
class HttpError extends ServiceError {
  override get arguments(): readonly unknown[] {
    return [this.message, this.status]
  }
}

/** The request cannot be read: broken JSON, broken UTF-8, nesting without end. */
export class BadRequest extends HttpError {
  static override readonly wireName: string = 'werkzeug.exceptions.BadRequest'
  static override readonly status: number = 400
}

/** No credential of the right form, or one that opens nothing. */
export class Unauthorized extends HttpError {
  static override readonly wireName: string = 'werkzeug.exceptions.Unauthorized'
  static override readonly status: number = 401
}

/** A key that opens nothing: unknown, expired, revoked, of another scope, database or a departed user. */
export class InvalidApiKey extends Unauthorized {
  constructor() {
    super('Invalid apikey')
  }
}

/** Unknown path, database, model or method. */
export class NotFound extends HttpError {
  static override readonly wireName: string = 'werkzeug.exceptions.NotFound'
  static override readonly status: number = 404
  /** The kind of thing that is missing: RPC distinguishes methods from models (spec/wire.md section 11). */
  readonly kind: 'model' | 'method' | null

  constructor(message: string, options: ErrorFacts & { kind?: 'model' | 'method' } = {}) {
    super(message, options)
    this.kind = options.kind ?? null
  }
}

/** The refusal of a model's name; long ones are cut. */
export function unknownModel(name: string): NotFound {
  return new NotFound(`The model '${name.slice(0, 100)}' does not exist or is not loaded.`, { kind: 'model' })
}

/** A verb that the path does not take. */
export class MethodNotAllowed extends HttpError {
  static override readonly wireName: string = 'werkzeug.exceptions.MethodNotAllowed'
  static override readonly status: number = 405
}

/** The body is larger than the configured limit. */
export class PayloadTooLarge extends HttpError {
  static override readonly wireName: string = 'werkzeug.exceptions.RequestEntityTooLarge'
  static override readonly status: number = 413
}

/** The path does not accept this content type. */
export class UnsupportedMediaType extends HttpError {
  static override readonly wireName: string = 'werkzeug.exceptions.UnsupportedMediaType'
  static override readonly status: number = 415
}

/** Something that was there and is no more: a place in the feed, a delivery. */
export class Gone extends HttpError {
  static override readonly wireName: string = 'werkzeug.exceptions.Gone'
  static override readonly status: number = 410
}

/** A precondition of the request (`If-Match`) does not hold: the records have another version. */
export class PreconditionFailed extends HttpError {
  static override readonly wireName: string = 'werkzeug.exceptions.PreconditionFailed'
  static override readonly status: number = 412
}

/** A call of a batch has no effect because another one failed: it was rolled back, or never ran. */
export class FailedDependency extends HttpError {
  static override readonly wireName: string = 'werkzeug.exceptions.FailedDependency'
  static override readonly status: number = 424
}

/** Too many at a time of what one caller may have few of. */
export class TooManyRequests extends HttpError {
  static override readonly wireName: string = 'werkzeug.exceptions.TooManyRequests'
  static override readonly status: number = 429
  /** Seconds after which the call may be tried again; null where that is unknown. */
  readonly retryAfter: number | null

  constructor(message: string, options: ErrorFacts & { retryAfter?: number } = {}) {
    super(message, options)
    this.retryAfter = options.retryAfter ?? null
  }
}

/** Parameters that do not fit the method: missing, unknown, ids for a model-level method. */
export class UnprocessableEntity extends HttpError {
  static override readonly wireName: string = 'werkzeug.exceptions.UnprocessableEntity'
  static override readonly status: number = 422
}

/**
 * The server is overloaded, or something that the work needs is unavailable. The caller may try again after
 * `retryAfter` seconds; `outcome` says whether the work was done.
 */
export class ServiceUnavailable extends HttpError {
  static override readonly wireName: string = 'werkzeug.exceptions.ServiceUnavailable'
  static override readonly status: number = 503
  readonly retryAfter: number
  /** `undone`: nothing was committed. `unknown`: a COMMIT was sent, or several, and not answered. */
  readonly outcome: 'undone' | 'unknown'
  /** The server itself repeats the call before it answers. */
  readonly repeats: boolean

  constructor(
    message: string,
    options: ErrorFacts & { retryAfter?: number; outcome?: 'unknown'; repeats?: boolean } = {},
  ) {
    super(message, options)
    this.retryAfter = options.retryAfter ?? 1
    this.outcome = options.outcome ?? 'undone'
    this.repeats = options.repeats ?? false
  }
}

/** Refusal by business logic. */
export class UserError extends ServiceError {}

/**
 * A value or option of the wrong kind: unknown field, malformed domain, bad date, negative limit.
 * Where the reference breaks with a 5xx, this says what is wrong with the request ("refused", spec/wire.md
 * section 6).
 */
export class InvalidValue extends ServiceError {
  static override readonly wireName: string = 'builtins.ValueError'
}

/** A broken rule of the data: required, unique, foreign key, check, written constraint. */
export class ValidationError extends ServiceError {
  static override readonly wireName: string = 'odoo.exceptions.ValidationError'
}

/** No right to a model, a record, a field or a company; a private method. */
export class AccessError extends ServiceError {
  static override readonly wireName: string = 'odoo.exceptions.AccessError'
  static override readonly status: number = 403
}

/** A wrong password, key or master password, or too many of them. */
export class AccessDenied extends ServiceError {
  static override readonly wireName: string = 'odoo.exceptions.AccessDenied'
  static override readonly status: number = 403

  /** Seconds until the next attempt is checked; null where there is no wait. */
  readonly retryAfter: number | null

  constructor(message = 'Access Denied', options: { cause?: unknown; retryAfter?: number } = {}) {
    super(message, options)
    this.retryAfter = options.retryAfter ?? null
  }
}

/**
 * No browser session, or one that has ended: wires of browsers have a code of their own for it
 * (spec/client-needs.md section 1).
 */
export class SessionExpired extends ServiceError {
  static override readonly wireName: string = 'odoo.http.SessionExpiredException'
  static override readonly status: number = 403

  constructor() {
    super('Session expired')
  }
}

/** A record that is gone. */
export class MissingError extends ServiceError {
  static override readonly wireName: string = 'odoo.exceptions.MissingError'
  static override readonly status: number = 404
}

/** A record locked by another transaction, where a method asks for a lock. */
export class LockError extends ServiceError {
  static override readonly wireName: string = 'odoo.exceptions.LockError'
  static override readonly status: number = 409
  /** Seconds after which the call may be tried again; null where that would be of no use. */
  readonly retryAfter: number | null

  constructor(message: string, options: ErrorFacts & { retryAfter?: number } = {}) {
    super(message, options)
    this.retryAfter = options.retryAfter ?? null
  }
}

/**
 * Serialization failures or deadlocks that outlived all retries (spec/wire.md section 6, design "One call"
 * 1).
 */
export class ConcurrencyError extends ServiceError {
  static override readonly wireName: string = 'psycopg2.errors.SerializationFailure'
  static override readonly status: number = 409
}

/**
 * A refusal that would send a person to another screen; clients match its name (spec/models-api.md section 5,
 * unlink).
 */
export class RedirectWarning extends ServiceError {
  static override readonly wireName: string = 'odoo.exceptions.RedirectWarning'
}

/**
 * An internal fault. The message on the wire reveals nothing about the cause, which the log has under the id
 * of the request.
 */
export class InternalError extends ServiceError {
  static override readonly wireName: string = 'builtins.Exception'
  static override readonly status: number = 500
}

/** The server or a command cannot start or go on: said to an administrator, never to a client. */
export class StartupError extends Error {
  readonly exitCode: number

  constructor(message: string, options: { cause?: unknown; exitCode?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'StartupError'
    this.exitCode = options.exitCode ?? 1
  }
}

/** A module's declaration contradicts itself; raised when a registry is composed. */
export class DeclarationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DeclarationError'
  }
}

/** The table: every class that can reach a client. */
export const errorClasses = [
  BadRequest,
  Unauthorized,
  InvalidApiKey,
  NotFound,
  MethodNotAllowed,
  PayloadTooLarge,
  UnsupportedMediaType,
  Gone,
  PreconditionFailed,
  UnprocessableEntity,
  FailedDependency,
  TooManyRequests,
  ServiceUnavailable,
  UserError,
  InvalidValue,
  ValidationError,
  AccessError,
  AccessDenied,
  SessionExpired,
  MissingError,
  LockError,
  ConcurrencyError,
  RedirectWarning,
  InternalError,
] as const
