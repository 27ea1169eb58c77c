// Problem types, by code: a title, the meaning and the remedy. Problem details link to a page of each.
import { errorClasses } from '../../errors.ts'

interface Problem {
  readonly title: string
  readonly meaning: string
  readonly remedy: string
}

interface KnownProblem extends Problem {
  readonly code: string
  readonly status: number
  /** The name in the error object. */
  readonly name: string
}

type Line = readonly [of: string, title: string, meaning: string, remedy: string]

const AGAIN = 'Send the same request again after a moment.'
const MEND = 'Correct the request: the same request would be refused again.'
const ASK = 'Ask an administrator for the right, or use another key.'

/** The class of an error, and its words, by code. */
const lines: Readonly<Record<string, Line>> = {
  bad_request: [
    'BadRequest',
    'The request cannot be read',
    'The body or a header is not text that the server can read, or is incomplete.',
    MEND,
  ],
  malformed_header: [
    'BadRequest',
    'Malformed header',
    'A request header is malformed; the call did not run.',
    'Correct the header: the guide on request headers shows its form.',
  ],
  unknown_preference: [
    'BadRequest',
    'Unknown preference',
    'With handling=strict, a preference in Prefer is unknown or not supported by this call.',
    'Remove the preference, or remove handling=strict.',
  ],
  idempotency_key_required: [
    'BadRequest',
    'Idempotency-Key is required',
    'This database requires an Idempotency-Key for this call.',
    'Generate a key for the call and send it in the Idempotency-Key header.',
  ],
  plan_required: [
    'UnprocessableEntity',
    'A plan is required',
    'The agent requested a change without a dry run and without a request_key.',
    'Do a dry run and send its plan, or send a request_key.',
  ],
  consent_refused: [
    'UnprocessableEntity',
    'Not wanted',
    'The person who was asked to confirm the change declined it.',
    'Do not repeat the change; ask the person what to do instead.',
  ],
  plan_mismatch: [
    'UnprocessableEntity',
    'Plan belongs to another call',
    'A plan can only run the call of its dry run, as the same user and in the same database.',
    'Send the same tool and arguments as in the dry run, or do a new dry run.',
  ],
  plan_expired: ['Gone', 'The plan is too old', 'A plan is valid for ten minutes.', 'Make a new dry run.'],
  unauthorized: [
    'Unauthorized',
    'Not authenticated',
    'The request has no API key, or does not send it as a bearer token.',
    'Send Authorization: Bearer with an API key.',
  ],
  invalid_api_key: [
    'InvalidApiKey',
    'Invalid API key',
    'The key is unknown, expired, revoked, of another database, or not allowed from this address.',
    'Check the database, or create a new key on the account page.',
  ],
  not_found: [
    'NotFound',
    'Not found',
    'The path, database, model or method does not exist.',
    'Check the name in the documentation of the database (/doc).',
  ],
  method_not_allowed: [
    'MethodNotAllowed',
    'Method not allowed',
    'The path does not support this HTTP method.',
    'Use a method that the Allow header lists.',
  ],
  payload_too_large: [
    'PayloadTooLarge',
    'Too much at once',
    'The request body, or the response it asks for, exceeds a limit.',
    'Split it: use pages or several requests.',
  ],
  unsupported_media_type: [
    'UnsupportedMediaType',
    'Unsupported media type',
    'The path does not accept this content type.',
    'Send JSON with Content-Type: application/json.',
  ],
  gone: ['Gone', 'Gone', 'The resource existed and is no longer available.', 'Begin anew.'],
  resync_required: [
    'Gone',
    'Resynchronise',
    'The change feed cannot continue from this cursor; context.reason says why.',
    'Start again without a cursor, which returns a snapshot.',
  ],
  job_expired: ['Gone', 'Job expired', 'The result of the job is no longer kept.', 'Run the call again.'],
  delivery_expired: [
    'Gone',
    'Delivery expired',
    'The delivery is no longer kept.',
    'Read the missed events from the change feed.',
  ],
  precondition_failed: [
    'PreconditionFailed',
    'Precondition failed',
    'A precondition of the request does not hold.',
    'Read the records again, and decide again.',
  ],
  version_mismatch: [
    'PreconditionFailed',
    'Changed meanwhile',
    'The records no longer have the version in If-Match; nothing was changed.',
    'Read the records with Prefer: etag, decide again, and send the new version.',
  ],
  unprocessable_entity: [
    'UnprocessableEntity',
    'Parameters do not fit',
    'The parameters do not match those of the method.',
    MEND,
  ],
  unknown_parameter: [
    'UnprocessableEntity',
    'Unknown parameter',
    'The method has no parameter of this name; accepted lists its parameters.',
    MEND,
  ],
  missing_parameter: [
    'UnprocessableEntity',
    'Missing parameter',
    'A required parameter is missing; accepted lists the parameters of the method.',
    MEND,
  ],
  idempotency_key_reused: [
    'UnprocessableEntity',
    'Idempotency-Key used before',
    'The key was used for another call.',
    'Generate a new key for each call.',
  ],
  bad_reference: [
    'UnprocessableEntity',
    'Bad reference',
    'A reference in the batch does not point to an earlier result.',
    MEND,
  ],
  cursor_mismatch: [
    'UnprocessableEntity',
    'Cursor belongs to another query',
    'The cursor is invalid, or belongs to another query.',
    'Send the same body as for the first page, or start without a cursor.',
  ],
  order_not_seekable: [
    'UnprocessableEntity',
    'Order does not support cursors',
    'Cursor paging does not support this order.',
    'Order by other fields, or use offset.',
  ],
  no_declared_key: [
    'UnprocessableEntity',
    'No declared key',
    'The model has no unique constraint on exactly these fields.',
    'Use one of the keys that the message names, or external_id.',
  ],
  duplicate_key: [
    'UnprocessableEntity',
    'Duplicate key',
    'Two rows of one call, or of one bulk import, have the same key.',
    'Send each key once.',
  ],
  url_refused: [
    'UnprocessableEntity',
    'Address refused',
    'The server does not send requests to this address.',
    'Use a public https address.',
  ],
  not_in_batch: [
    'UnprocessableEntity',
    'Not in a batch',
    'The method cannot be part of a batch.',
    'Call it by itself.',
  ],
  not_in_dry_run: [
    'UnprocessableEntity',
    'Not in a dry run',
    'The effect of the method cannot be rolled back.',
    'Call it without tx=rollback.',
  ],
  too_many: [
    'UnprocessableEntity',
    'Too many',
    'The request exceeds a limit on the number of items; the message says which.',
    'Ask for less at once.',
  ],
  too_many_requests: [
    'TooManyRequests',
    'Too many requests',
    'The caller has reached a limit; the message says which.',
    'Wait for the time in Retry-After.',
  ],
  rate_exceeded: [
    'TooManyRequests',
    'Rate exceeded',
    'The API key exceeded its rate limit.',
    'Wait for the time in Retry-After; the RateLimit header has the remaining calls.',
  ],
  too_many_at_once: [
    'TooManyRequests',
    'Too many at once',
    'The API key has too many calls or streams open at a time.',
    'Wait for some of them to end.',
  ],
  failed_dependency: [
    'FailedDependency',
    'Another call failed',
    'This call of the batch has no effect because another call failed.',
    'Correct the call that failed and send the batch again.',
  ],
  not_run: [
    'FailedDependency',
    'Not run',
    'This call of the batch did not run because an earlier call, or one that it refers to, failed.',
    'Correct the call that failed and send the batch again.',
  ],
  rolled_back: [
    'FailedDependency',
    'Rolled back',
    'This call of the batch was rolled back because a later call failed.',
    'Correct the call that failed and send the batch again.',
  ],
  service_unavailable: [
    'ServiceUnavailable',
    'Not available',
    'The server is overloaded, or the server or its database is unavailable.',
    'Retry after the time in Retry-After; X-Comptoir-Outcome says whether the call took effect.',
  ],
  user_error: [
    'UserError',
    'Refused',
    'A business rule refuses the request; the message says which.',
    'Show the message to the person who asked.',
  ],
  step_up_required: [
    'AccessError',
    'Password needed again',
    'In a browser session, changes to users, rights, keys and lock dates need a recently entered password.',
    'Call prove_identity of res.users with the password, then repeat the call.',
  ],
  approval_needed: [
    'UserError',
    'Approval needed',
    'The point of sale requires the approval of a manager for this.',
    'Have a manager call approve of pos.config, and send the token as pos_approvals in the context.',
  ],
  invalid_value: ['InvalidValue', 'Invalid value', 'A value or an option has the wrong type or form.', MEND],
  unknown_field: [
    'InvalidValue',
    'Unknown field',
    'The model has no field of this name.',
    'Use one of the suggestions, or a field that fields_get lists.',
  ],
  validation_error: [
    'ValidationError',
    'Validation failed',
    'The values violate a constraint: required, unique, or one that the message names.',
    'Correct the values.',
  ],
  required_field: [
    'ValidationError',
    'Missing value',
    'A required field has no value.',
    'Send a value for it; errors lists every place.',
  ],
  access_error: [
    'AccessError',
    'Not allowed',
    'The caller has no right to the model, the records, the field or the company; kind says which.',
    ASK,
  ],
  scope_missing: [
    'AccessError',
    'Scope missing',
    'The scope of the API key does not allow the call; context.scope names what it lacks.',
    'Use a key whose scope includes it.',
  ],
  access_denied: [
    'AccessDenied',
    'Access denied',
    'The password is wrong, or there were too many attempts.',
    'Check the password; if there is a Retry-After header, wait for that time first.',
  ],
  session_expired: [
    'SessionExpired',
    'Session expired',
    'The browser session does not exist or has ended.',
    'Log in.',
  ],
  missing_error: ['MissingError', 'Missing record', 'A record is gone.', 'Read anew.'],
  lock_error: ['LockError', 'Locked', 'Another transaction has locked the records.', AGAIN],
  idempotency_in_progress: [
    'LockError',
    'Still running',
    'A call with this Idempotency-Key is still running.',
    'Retry after the time in Retry-After: the answer will be that of the first call.',
  ],
  idempotency_answer_not_kept: [
    'LockError',
    'Answer not kept',
    'The call with this Idempotency-Key took effect; its answer was a secret or too long to be kept.',
    'Read the records that it changed.',
  ],
  concurrency_error: [
    'ConcurrencyError',
    'Too many conflicts',
    'Other transactions changed the same records at the same time, in every attempt.',
    AGAIN,
  ],
  redirect_warning: [
    'RedirectWarning',
    'Refused',
    'The request must be completed in another form.',
    'Show the message to the person who asked.',
  ],
  internal_error: [
    'InternalError',
    'Internal server error',
    'The server failed. Its log has the cause under the id of the request.',
    'Send the administrator the id of the request.',
  ],
}

const classes = new Map(errorClasses.map((errorClass) => [errorClass.name, errorClass]))

/** Every problem, by its code. */
export const problems: ReadonlyMap<string, KnownProblem> = new Map(
  Object.entries(lines).map(([code, [of, title, meaning, remedy]]) => {
    const { status = 500, wireName = '' } = classes.get(of) ?? {}
    return [code, { code, status, name: wireName, title, meaning, remedy }]
  }),
)

/** The title of a code; for a code without a description, the code in words. */
export const titleOf = (code: string): string =>
  problems.get(code)?.title ?? code.replace(/^./, (first) => first.toUpperCase()).replaceAll('_', ' ')

/** A code as it stands in an address. */
export const slugOf = (code: string): string => code.replaceAll('_', '-')

/** Remedy for a failure. */
export const remedyOf = (code: string): string => lines[code]?.[3] ?? ''
