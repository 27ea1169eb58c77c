// The table of errors: every error class lives in errors.ts, is in the table, and has the wire name and
// status that the specification gives it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as errors from '../../src/errors.ts'
import { sources } from './sources.ts'

/** Class → name on the wire and status (wire specification, section 6). WZ, OE: the two families of names. */
const WZ = 'werkzeug.exceptions.'
const OE = 'odoo.exceptions.'
const specified: Record<string, [name: string, status: number]> = {
  BadRequest: [`${WZ}BadRequest`, 400],
  Unauthorized: [`${WZ}Unauthorized`, 401],
  InvalidApiKey: [`${WZ}Unauthorized`, 401],
  NotFound: [`${WZ}NotFound`, 404],
  MethodNotAllowed: [`${WZ}MethodNotAllowed`, 405],
  PayloadTooLarge: [`${WZ}RequestEntityTooLarge`, 413],
  UnsupportedMediaType: [`${WZ}UnsupportedMediaType`, 415],
  Gone: [`${WZ}Gone`, 410],
  PreconditionFailed: [`${WZ}PreconditionFailed`, 412],
  UnprocessableEntity: [`${WZ}UnprocessableEntity`, 422],
  FailedDependency: [`${WZ}FailedDependency`, 424],
  TooManyRequests: [`${WZ}TooManyRequests`, 429],
  ServiceUnavailable: [`${WZ}ServiceUnavailable`, 503],
  UserError: [`${OE}UserError`, 422],
  InvalidValue: ['builtins.ValueError', 422],
  ValidationError: [`${OE}ValidationError`, 422],
  AccessError: [`${OE}AccessError`, 403],
  AccessDenied: [`${OE}AccessDenied`, 403],
  SessionExpired: ['odoo.http.SessionExpiredException', 403],
  MissingError: [`${OE}MissingError`, 404],
  LockError: [`${OE}LockError`, 409],
  ConcurrencyError: ['psycopg2.errors.SerializationFailure', 409],
  RedirectWarning: [`${OE}RedirectWarning`, 422],
  InternalError: ['builtins.Exception', 500],
}

/**
 * Error classes that never reach a client: said to administrators, module authors, or inside one room. Path →
 * names.
 */
const internal: Record<string, readonly string[]> = {
  // A rights cache that turned out old: the call is tried again with fresh ones.
  'src/access/credential.ts': ['StaleCredential'],
  // The call has run, or its outcome is unknown: clients get the stored answer.
  'src/services/calls/idempotency.ts': ['Done', 'CommitLost'],
  // Others are at what a call is about: it begins again when it is its turn.
  'src/postgres/errors.ts': ['Crowded'],
  // An optimistic assertion of a write failed: the call is repeated with checks before the write.
  'src/models/unit/refusing.ts': ['OptimisticCheckFailed'],
  // A replica cannot run the call: it runs on the primary server.
  'src/services/calls/replica-calls.ts': ['Unfit'],
  // A job that another process took over, or a user cancelled, ends there.
  'src/services/jobs/store.ts': ['LostJob'],
  // Why a statement of a backup is refused: becomes the words of a UserError.
  'src/databases/database.ts': ['ReplacedDatabase'],
  'src/databases/backup/tokens.ts': ['Refused'],
  // A connection that must not be made: becomes the words of a delivery.
  'src/kit/outgoing.ts': ['Unreachable'],
  // At receivers of webhooks: a request that no server of ours signed.
  'src/client/webhooks.ts': ['InvalidWebhook'],
  // Of a store of files: `contents` say it as a ServiceUnavailable, and the doctor in its own words.
  'src/databases/contents/s3.ts': ['StoreRefusal', 'Silence'],
  // In browsers: what the server refused, for the page to show.
  'src/pages/shared/call.ts': ['CallError', 'ProofNeeded'],
  'src/errors.ts': ['ServiceError', 'HttpError', 'StartupError', 'DeclarationError'],
}

/** Classes that extend another class whose name ends like an error's, by file. */
function declared(): { path: string; name: string; parent: string }[] {
  const names = new Set([
    'Error',
    'TypeError',
    'RangeError',
    'ServiceError',
    'HttpError',
    'DatabaseError',
    ...Object.keys(specified),
  ])
  return sources().flatMap(({ path, text }) =>
    [...text.matchAll(/class\s+(\w+)\s+extends\s+([\w.]+)/g)]
      .map((match) => ({ path, name: match[1] as string, parent: match[2] as string }))
      .filter(({ parent }) => names.has(parent.split('.').at(-1) as string) || parent.endsWith('Error')),
  )
}

const table: readonly (typeof errors.ServiceError)[] = errors.errorClasses as never

test('the table holds exactly the specified classes, each with its name and status', () => {
  const actual = Object.fromEntries(table.map((c) => [c.name, [c.wireName, c.status]]))
  assert.deepEqual(actual, specified)
})

test('every error class of the sources is in the table or is known to stay inside', () => {
  const classes = declared()
  assert.ok(classes.length >= table.length, 'the reader of classes found too few')
  const listed = new Set(table.map((c) => c.name))
  const strays = classes.filter(
    ({ path, name }) => !internal[path]?.includes(name) && !(path === 'src/errors.ts' && listed.has(name)),
  )
  assert.deepEqual(strays, [])
  for (const [path, names] of Object.entries(internal)) {
    for (const name of names)
      assert.ok(
        classes.some((f) => f.path === path && f.name === name),
        `${path} has no class ${name} any more: take it off the list`,
      )
  }
})

test('each class differs from the others by its name and status, an invalid key excepted', () => {
  const facts = table.filter((c) => c !== errors.InvalidApiKey).map((c) => `${c.wireName} ${c.status}`)
  assert.deepEqual([...new Set(facts)], facts)
})

test('an instance says what its class says, and HTTP errors carry their status as second argument', () => {
  const [denied, missing] = [new errors.InvalidApiKey(), new errors.MissingError('gone')]
  assert.deepEqual([denied.status, denied.arguments], [401, ['Invalid apikey', 401]])
  assert.deepEqual(
    [missing.status, missing.wireName, missing.arguments],
    [404, 'odoo.exceptions.MissingError', ['gone']],
  )
})
