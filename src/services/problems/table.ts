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
const MEND = 'Correct the request; sent again as it is, it is refused again.'
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
    'A header that asks for something cannot be read; nothing ran.',
    'Write the header as the guide shows it.',
  ],
  unknown_preference: [
    'BadRequest',
    'Unknown preference',
    'A member of Prefer is unknown, or cannot be kept, and handling=strict asks that it is.',
    'Leave it out, or leave handling=strict out.',
  ],
  idempotency_key_required: [
    'BadRequest',
    'Idempotency-Key is required',
    'This database takes this call with an Idempotency-Key only.',
    'Make a key for the call and send it along.',
  ],
  plan_required: [
    'UnprocessableEntity',
    'A plan is required',
    'An agent asks for a change that was not tried out, without a name of its own for it.',
    'Make a dry run and send its plan, or send a request_key.',
  ],
  consent_refused: [
    'UnprocessableEntity',
    'Not wanted',
    'The person whom an agent had to ask does not want the change.',
    'Leave it, or ask the person for something else.',
  ],
  plan_mismatch: [
    'UnprocessableEntity',
    'The plan is of another call',
    'A plan runs the very call of its dry run, by the same user in the same database.',
    'Send the same tool and arguments as in the dry run, or make a new one.',
  ],
  plan_expired: ['Gone', 'The plan is too old', 'A plan is good for ten minutes.', 'Make a new dry run.'],
  unauthorized: [
    'Unauthorized',
    'Not authenticated',
    'There is no API key in the request, or none in the form of a bearer.',
    'Send Authorization: Bearer with an API key.',
  ],
  invalid_api_key: [
    'InvalidApiKey',
    'Invalid API key',
    'The key opens nothing here: unknown, expired, revoked, of another database, or used from an address that it may not be used from.',
    'Make a new key on the account page, or correct the database.',
  ],
  not_found: [
    'NotFound',
    'Not found',
    'There is no such path, database, model or method.',
    'Compare the name with the documentation of the database.',
  ],
  method_not_allowed: [
    'MethodNotAllowed',
    'Method not allowed',
    'The path does not take this verb.',
    'Use the verb that Allow names.',
  ],
  payload_too_large: [
    'PayloadTooLarge',
    'Too much at once',
    'The body, or what it asks for, is larger than one request may be.',
    'Ask for less at once: pages, or several requests.',
  ],
  unsupported_media_type: [
    'UnsupportedMediaType',
    'Unsupported media type',
    'The body is not of the content type that the path takes.',
    'Send JSON with Content-Type: application/json.',
  ],
  gone: ['Gone', 'Gone', 'It was there and is no more.', 'Begin anew.'],
  resync_required: [
    'Gone',
    'Resynchronise',
    'The feed cannot go on from this cursor; context.reason says why.',
    'Begin without a cursor: the answer is a snapshot.',
  ],
  job_expired: ['Gone', 'Job expired', 'The result of the job is kept no longer.', 'Run the call again.'],
  delivery_expired: [
    'Gone',
    'Delivery expired',
    'The delivery is kept no longer.',
    'Read the change feed for what was missed.',
  ],
  precondition_failed: [
    'PreconditionFailed',
    'Precondition failed',
    'A precondition of the request does not hold.',
    'Read anew and decide again.',
  ],
  version_mismatch: [
    'PreconditionFailed',
    'Changed meanwhile',
    'The records have another version than If-Match says; nothing was done.',
    'Read the records with Prefer: etag, decide again, and send the new tag.',
  ],
  unprocessable_entity: [
    'UnprocessableEntity',
    'Parameters do not fit',
    'The parameters are not those that the method takes.',
    MEND,
  ],
  unknown_parameter: [
    'UnprocessableEntity',
    'Unknown parameter',
    'The method takes no parameter of this name; accepted lists those it takes.',
    MEND,
  ],
  missing_parameter: [
    'UnprocessableEntity',
    'Missing parameter',
    'A parameter that must be given is missing; accepted lists what the method takes.',
    MEND,
  ],
  idempotency_key_reused: [
    'UnprocessableEntity',
    'Idempotency-Key used before',
    'The key was used for another call.',
    'Make a new key for each call.',
  ],
  bad_reference: [
    'UnprocessableEntity',
    'Bad reference',
    'A reference in the batch leads to no earlier result.',
    MEND,
  ],
  cursor_mismatch: [
    'UnprocessableEntity',
    'Cursor of another question',
    'The cursor is invalid, or was made for another question.',
    'Send the body of the first page unchanged, or begin without a cursor.',
  ],
  order_not_seekable: [
    'UnprocessableEntity',
    'Order without cursor',
    'Pages by cursor cannot follow this order.',
    'Order by other fields, or page by offset.',
  ],
  no_declared_key: [
    'UnprocessableEntity',
    'No declared key',
    'No unique rule of the model has just these fields.',
    'Use one of the keys that the message names, or external_id.',
  ],
  duplicate_key: [
    'UnprocessableEntity',
    'Key given twice',
    'Two rows of one call, or of one bulk import, have the same key.',
    'Send each key once.',
  ],
  url_refused: [
    'UnprocessableEntity',
    'Address refused',
    'The server sends nothing to this address.',
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
    'The effect of the method cannot be taken back.',
    'Call it without tx=rollback.',
  ],
  too_many: [
    'UnprocessableEntity',
    'Too many',
    'The request asks for more at once than there may be.',
    'Ask for less at once.',
  ],
  too_many_requests: [
    'TooManyRequests',
    'Too many requests',
    'One caller may have only so many.',
    'Wait as long as Retry-After says.',
  ],
  rate_exceeded: [
    'TooManyRequests',
    'Rate exceeded',
    'The key made more calls in a while than it may.',
    'Wait as long as Retry-After says; RateLimit has the remaining calls.',
  ],
  too_many_at_once: [
    'TooManyRequests',
    'Too many at once',
    'The key has more calls or streams open than it may.',
    'Wait for some of them to end.',
  ],
  failed_dependency: [
    'FailedDependency',
    'Another call failed',
    'The call of a batch stands for nothing because another one failed.',
    'Correct the call that failed and send the batch again.',
  ],
  not_run: [
    'FailedDependency',
    'Not run',
    'The call of a batch did not run: one before it failed, or one that its references lead to.',
    'Correct the call that failed and send the batch again.',
  ],
  rolled_back: [
    'FailedDependency',
    'Rolled back',
    'The call of a batch ran and was taken back, because a later one failed: nothing of it stands.',
    'Correct the call that failed and send the batch again.',
  ],
  service_unavailable: [
    'ServiceUnavailable',
    'Not available',
    'Too much at once, or the server or its database is away for the moment.',
    'Wait as long as Retry-After says and send it again; X-Comptoir-Outcome says whether it was done.',
  ],
  user_error: [
    'UserError',
    'Refused',
    'The request is against the rules of the business; the message says which.',
    'Show the message to the person who asked.',
  ],
  step_up_required: [
    'AccessError',
    'Password needed again',
    'A browser session changes users, rights, keys or lock dates only soon after its password was given.',
    'Call prove_identity of res.users with the password, and repeat the call.',
  ],
  approval_needed: [
    'UserError',
    'Approval needed',
    'A point of sale leaves this to managers, and none of them approved it.',
    'Have a manager approve it by pos.config/approve, and send the token along as pos_approvals in the context.',
  ],
  invalid_value: ['InvalidValue', 'Invalid value', 'A value or an option is of the wrong kind.', MEND],
  unknown_field: [
    'InvalidValue',
    'Unknown field',
    'The model has no field of this name.',
    'Use one of the suggestions, or a field that fields_get lists.',
  ],
  validation_error: [
    'ValidationError',
    'Rule of the data broken',
    'The values break a rule: required, unique, or one that the message names.',
    'Correct the values.',
  ],
  required_field: [
    'ValidationError',
    'Missing value',
    'A required field has no value.',
    'Give it a value; errors lists every place.',
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
    'The API key is narrower than the call; context.scope names what it lacks.',
    'Use a key whose scope has it.',
  ],
  access_denied: [
    'AccessDenied',
    'Access denied',
    'A wrong password, or too many attempts.',
    'Wait as long as Retry-After says, where it is there, and use the right password.',
  ],
  session_expired: [
    'SessionExpired',
    'Session expired',
    'There is no browser session, or it has ended.',
    'Log in.',
  ],
  missing_error: ['MissingError', 'Missing record', 'A record is gone.', 'Read anew.'],
  lock_error: ['LockError', 'Locked', 'Somebody else works on the records.', AGAIN],
  idempotency_in_progress: [
    'LockError',
    'Still running',
    'A call with this Idempotency-Key is still running.',
    'Send it again after Retry-After: it answers what the first one did.',
  ],
  idempotency_answer_not_kept: [
    'LockError',
    'Answer not kept',
    'The call with this Idempotency-Key was done; its answer was a secret or too long to be kept.',
    'Read what it made.',
  ],
  concurrency_error: [
    'ConcurrencyError',
    'Lost against others',
    'Other transactions changed the same records at the same time, again and again.',
    AGAIN,
  ],
  redirect_warning: [
    'RedirectWarning',
    'Refused',
    'The request has to be carried out elsewhere.',
    'Show the message to the person who asked.',
  ],
  internal_error: [
    'InternalError',
    'Fault of the server',
    'Something went wrong that is not the fault of the request. The log of the server has the cause under the id of the request.',
    'Give the administrator the id of the request.',
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
