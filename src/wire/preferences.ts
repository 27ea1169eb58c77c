// Request preferences in headers, beyond the documented API: parsed before anything runs, because a header
// that is ignored silently is worse than an unsupported one.

import type { ExtensionName, Extensions } from '../config/index.ts'
import { BadRequest } from '../errors.ts'
import { present } from '../kit/present.ts'
import { matchIn } from '../services/calls/versions.ts'
import type { RequestPreferences } from '../services/request.ts'
import { lineFormOf } from '../services/row-lines.ts'
import { acceptsProblems } from './problems.ts'
import { isState, isTrace } from './traces.ts'

/** Headers as Node.js gives them: several of one name are one text with commas between. */
type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Whether a request has any of the headers: most have none, and are not looked at further. */
export const hasPreferenceHeaders = (headers: Headers): boolean =>
  headers['idempotency-key'] !== undefined || asksMore(headers)

const asksMore = (headers: Headers): boolean =>
  headers.prefer !== undefined ||
  headers['if-match'] !== undefined ||
  headers.traceparent !== undefined ||
  headers.tracestate !== undefined ||
  headers.cursor !== undefined ||
  headers['comptoir-position'] !== undefined ||
  asksForProblems(headers) ||
  asksForLines(headers)

/** Whether rows are wanted one a line. */
const asksForLines = ({ accept }: Headers): boolean => lineFormOf(textOf(accept)) !== null

const asksForProblems = ({ accept }: Headers): boolean => acceptsProblems(textOf(accept))

/**
 * Throws BadRequest for a header that cannot be read, and for an unknown preference where the request wants
 * them kept strictly.
 */
export function parsePreferences(
  headers: Headers,
  extensions: Extensions,
  tell: RequestPreferences['tell'],
): RequestPreferences {
  const headerFor = (name: ExtensionName, header: string) =>
    extensions.has(name) ? textOf(headers[header]) : undefined
  const key = headerFor('idempotency', 'idempotency-key')
  // Most requests with preferences have an idempotency key and nothing else.
  if (key !== undefined && !asksMore(headers)) return { key: keyIn(key), onlyKey: true, tell }
  const match = headerFor('versions', 'if-match')
  if (extensions.size > 0) {
    if (!isTrace(textOf(headers.traceparent))) throw malformed('The header traceparent cannot be read')
    if (!isState(textOf(headers.tracestate))) throw malformed('The header tracestate cannot be read')
  }
  const prefer = textOf(headers.prefer)
  const preferences = prefer === undefined ? NO_PREFERENCES : preferencesIn(prefer)
  assertPreferences(preferences, extensions)
  return {
    key: key === undefined ? undefined : keyIn(key),
    ifMatch: match === undefined ? undefined : tagIn(match),
    dryRun: extensions.has('dry-run') && preferences.get('tx') === 'rollback',
    later:
      extensions.has('jobs') && preferences.has('respond-async') ? { wait: waitIn(preferences) } : undefined,
    etag: extensions.has('versions') && preferences.has('etag'),
    typed: extensions.has('values') ? typedIn(preferences) : null,
    ...(extensions.has('paging') ? pageIn(preferences, textOf(headers.cursor)) : {}),
    replica: extensions.size > 0 ? replicaIn(preferences, textOf(headers['comptoir-position'])) : null,
    problem: extensions.has('problems') && asksForProblems(headers),
    lines: extensions.has('jobs') ? lineFormOf(textOf(headers.accept)) : null,
    strict: preferences.get('handling') === 'strict',
    lenient: extensions.size > 0 && preferences.get('handling') === 'lenient',
    tell,
  }
}

const textOf = (header: string | string[] | undefined) => (Array.isArray(header) ? header.join(', ') : header)

const malformed = (message: string) => new BadRequest(message, { code: 'malformed_header' })

/** The form that nearly all clients send: a quoted string without escapes. */
const PLAIN_KEY = /^"[\x21\x23-\x5b\x5d-\x7e]{1,255}"$/

/**
 * A text between quotation marks (RFC 9651), whose parameters say nothing here; or the bare form that some
 * clients send.
 */
function keyIn(header: string): string {
  if (PLAIN_KEY.test(header)) return header.slice(1, -1)
  const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"(?: *;[^",]*)?$/.exec(header.trim())
  const key = quoted ? present(quoted[1]).replace(/\\(.)/g, '$1') : header.trim()
  if (!/^[\x21-\x7e]{1,255}$/.test(key) || (!quoted && key.startsWith('"')))
    throw malformed('The header Idempotency-Key must hold 1 to 255 visible ASCII characters')
  return key
}

/** One strong tag without its quotation marks, or `*` (RFC 9110, section 13.1.1). */
function tagIn(header: string): string {
  const match = matchIn(header)
  if (match === null) throw malformed('The header If-Match must hold one strong tag such as "v1-…", or *')
  return match
}

/** The tags of an `If-None-Match`, weak or strong; none if it is longer than a few of them. */
export const tagsIn = (header: string | undefined): string[] =>
  header === undefined || header.length > MOST_PREFERRED
    ? []
    : [...header.matchAll(/"([\x21\x23-\x7e]{1,200})"/g)].map(([, tag]) => present(tag))

const PREFERENCE =
  /^([!#$%&'*+.^_`|~0-9a-z-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*)))?\s*(?:;[^,]*)?$/i

/** Characters of `Prefer` that are read: who sends it has proven nothing yet. */
const MOST_PREFERRED = 1000

const NO_PREFERENCES: ReadonlyMap<string, string> = new Map()

/** The members of `Prefer` (RFC 7240), names in lower case; of several with a name the first counts. */
function preferencesIn(header: string): Map<string, string> {
  const preferences = new Map<string, string>()
  if (header.length > MOST_PREFERRED)
    throw malformed(`The header Prefer has ${MOST_PREFERRED} characters at most`)
  for (const member of header.match(/(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g) ?? []) {
    const [, name, quoted, plain] = PREFERENCE.exec(member.trim()) ?? []
    if (name === undefined) throw malformed('The header Prefer cannot be read')
    if (!preferences.has(name.toLowerCase())) preferences.set(name.toLowerCase(), quoted ?? plain ?? '')
  }
  return preferences
}

/** Seconds that the answer may take before it comes later; a minute at most. */
function waitIn(preferences: ReadonlyMap<string, string>): number | null {
  const text = preferences.get('wait')
  if (text === undefined) return null
  if (!/^\d{1,6}$/.test(text)) throw malformed('The preference wait must be a number of seconds')
  return Math.min(60, Number(text))
}

const typedIn = (preferences: ReadonlyMap<string, string>): RequestPreferences['typed'] =>
  preferences.get('values') === 'typed'
    ? { zone: preferences.get('timezone') ?? null, decimal: preferences.get('numbers') === 'decimal' }
    : null

const counts: ReadonlySet<string> = new Set(['exact', 'planned', 'estimated'])

/** A page by its cursor, or the first one, and what is to be counted. */
function pageIn(preferences: ReadonlyMap<string, string>, cursor: string | undefined) {
  if (cursor !== undefined && !/^[\x21-\x7e]{1,8000}$/.test(cursor))
    throw malformed('The header Cursor must have the value of Next-Cursor')
  const count = preferences.get('count') ?? ''
  return {
    page: cursor !== undefined || preferences.get('paging') === 'keyset' ? { cursor: cursor ?? null } : null,
    count: counts.has(count) ? (count as RequestPreferences['count']) : null,
  }
}

const POSITIONS = /^\d{1,20}-[\dA-F]{1,8}\/[\dA-F]{1,8}(?:, *\d{1,20}-[\dA-F]{1,8}\/[\dA-F]{1,8}){0,99}$/

/** Positions that a replica must have replayed for this caller, in one header or several. */
function replicaIn(
  preferences: ReadonlyMap<string, string>,
  header: string | undefined,
): RequestPreferences['replica'] {
  if (header !== undefined && !POSITIONS.test(header))
    throw malformed('Invalid header Comptoir-Position: send the value of an earlier answer')
  if (header === undefined && !preferences.has('replica')) return null
  return { isWanted: preferences.has('replica'), positions: header?.split(/, */) ?? [] }
}

/** Preferences by their text, with the extension that keeps them. */
const kept: Readonly<Record<string, ExtensionName>> = {
  'respond-async': 'jobs',
  etag: 'versions',
  'tx=rollback': 'dry-run',
  'values=typed': 'values',
  timezone: 'values',
  'numbers=decimal': 'values',
  'paging=keyset': 'paging',
  'count=exact': 'paging',
  'count=planned': 'paging',
  'count=estimated': 'paging',
}

function assertPreferences(preferences: ReadonlyMap<string, string>, extensions: Extensions): void {
  if (preferences.get('handling') !== 'strict') return
  const isTyped = preferences.get('values') === 'typed'
  for (const [name, value] of preferences) {
    if ((name === 'timezone' || name === 'numbers') && !isTyped)
      throw new BadRequest(`The preference ${name} cannot be kept without values=typed`, {
        code: 'unknown_preference',
      })
    const extension =
      name === 'wait' ? 'jobs' : kept[value && name !== 'timezone' ? `${name}=${value}` : name]
    if (name !== 'handling' && name !== 'replica' && !(extension && extensions.has(extension)))
      throw new BadRequest(`The preference ${name}${value ? `=${value}` : ''} is not known here`, {
        code: 'unknown_preference',
      })
  }
}
