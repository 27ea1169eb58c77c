// Sends one call over HTTP and says how it ended (spec/wire.md sections 1 to 6).
import { InvalidValue, type ServiceError } from '../errors.ts'
import { failedIn } from './batch.ts'
import { failureOf, unreadable } from './failures.ts'
import { Position } from './position.ts'
import { type Attempt, type Fate, type RetryPolicy, repeat } from './retry.ts'
import { AWAY, hasAnswered, keepsKeys, newKey, noteAnswer } from './servers.ts'

/** The server, database and credential of a client, and defaults of its calls. */
export interface ConnectOptions {
  /** Address of the server, such as `https://shop.example`; a path in it is kept. */
  readonly url: string
  /** Needed where one server has several databases. */
  readonly database?: string
  /** An API key, or a function that gives the current one (rotation); it is asked before every attempt. */
  readonly key: string | (() => string | Promise<string>)
  /** Context of every call, such as `{ lang: 'fr_FR' }`; that of a call goes over it. */
  readonly context?: Readonly<Record<string, unknown>>
  /** Time for a whole call, repetitions included, in milliseconds; 0 for none. Default 60 000. */
  readonly timeoutMs?: number
  readonly retry?: RetryPolicy
  /** Name of the client software. Default `comptoir-client`; browsers name themselves. */
  readonly userAgent?: string
  /** Rolls every call back: the answer is the one that the call would have, and nothing is kept. */
  readonly dryRun?: boolean
  /**
   * Calls that only read may be answered by a server that follows the one of the others, once it shows what
   * this client did. A `Position` for several clients that are to see what each did.
   */
  readonly replica?: boolean | Position
  /** Values in the typed form: null for nothing, moments as RFC 3339 has them, records as objects. */
  readonly values?: 'typed'
  /** With `values`: amounts and numbers with digits as exact text. */
  readonly numbers?: 'decimal'
  /** With `values`: the time zone of moments, such as `Europe/Brussels`. */
  readonly timezone?: string
  /** In place of the global `fetch`. */
  readonly fetch?: typeof fetch
}

/** Options of a single call besides its parameters. */
export interface CallOptions {
  readonly context?: Readonly<Record<string, unknown>>
  readonly signal?: AbortSignal
  /**
   * Names a writing call, so that it happens once however often it is sent; by default the client makes one
   * for every write.
   */
  readonly idempotencyKey?: string
  /** As in `ConnectOptions`, for this call. */
  readonly timeoutMs?: number
}

/** A request to be sent, perhaps several times. */
export interface Outgoing {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
  /** Members of `Prefer`. */
  readonly prefer?: readonly string[]
  /** Running it again changes nothing more. */
  readonly safe: boolean
}

/**
 * Sends a request with time limit and repetitions; gives the answer's JSON. Throws the errors of the table,
 * the signal's reason, or what fetch threw.
 */
export async function send(
  to: ConnectOptions,
  request: Outgoing,
  { signal: callerSignal, timeoutMs = to.timeoutMs ?? 60_000, idempotencyKey }: CallOptions = {},
): Promise<unknown> {
  const signals = [
    ...(callerSignal ? [callerSignal] : []),
    ...(timeoutMs > 0 ? [AbortSignal.timeout(timeoutMs)] : []),
  ]
  const signal = signals.length > 0 ? AbortSignal.any(signals) : undefined
  const body = request.body && JSON.stringify(request.body, refuseOddNumbers)
  const again = (safe: boolean, key?: string) =>
    repeat(
      () => attempt(to, request, { body, signal, ...(key === undefined ? {} : { key }) }),
      { safe, signal, hasAnswered: () => hasAnswered(addressOf(to)) },
      to.retry,
    )
  if (request.safe || to.dryRun) return again(true)
  return again(await mayBeSentAgain(to, signal), idempotencyKey ?? newKey())
}

/** Whether a write of unknown outcome may be repeated: servers with idempotency keys carry it out once. */
async function mayBeSentAgain(to: ConnectOptions, signal: AbortSignal | undefined): Promise<boolean> {
  if (to.retry?.attempts === 1) return false
  const question: Outgoing = { method: 'GET', path: '/x/1', safe: true }
  return keepsKeys(addressOf(to), () => send(to, question, { timeoutMs: 0, ...(signal ? { signal } : {}) }))
}

const addressOf = ({ url }: ConnectOptions): string => url.replace(/\/+$/, '')

/** As `send`, for a page: the rows, and the cursor of the next one. */
export async function sendForPage(
  to: ConnectOptions,
  request: Outgoing,
  options: CallOptions,
): Promise<{ readonly value: unknown; readonly next: string | null }> {
  let next: string | null = null
  const ask = to.fetch ?? fetch
  const listening: typeof fetch = async (...args) => {
    const response = await ask(...args)
    next = response.headers.get('next-cursor')
    return response
  }
  const value = await send({ ...to, fetch: listening }, request, options)
  return { value, next }
}

/** JSON would silently write null, which unsets. */
function refuseOddNumbers(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new InvalidValue(`${key} is ${value}, which cannot be sent.`)
  return value
}

async function attempt(
  to: ConnectOptions,
  { method, path, headers: extraHeaders, prefer = [], safe }: Outgoing,
  {
    body,
    signal,
    key,
  }: { readonly body: string | undefined; readonly signal: AbortSignal | undefined; readonly key?: string },
): Promise<Attempt> {
  const headers = await headersFor(to, body !== undefined)
  // `handling=strict`: a server that does not support the preference must refuse the call, not carry it out.
  const preferred = [
    ...new Set([
      ...prefer,
      ...(to.dryRun ? ['tx=rollback', 'handling=strict'] : []),
      ...(to.replica ? ['replica'] : []),
    ]),
  ]
  const position = to.replica instanceof Position ? to.replica : null
  if (position?.value) headers.set('comptoir-position', position.value)
  if (preferred.length > 0) headers.set('prefer', preferred.join(', '))
  if (key !== undefined) headers.set('idempotency-key', JSON.stringify(key))
  for (const [name, value] of Object.entries(extraHeaders ?? {})) headers.set(name, value)
  const ask = to.fetch ?? fetch
  let response: Response
  let text: string
  try {
    response = await ask(`${addressOf(to)}${path}`, {
      method,
      headers,
      // No cookie may stand in for the key, and a redirected call would lose its body.
      credentials: 'omit',
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
      ...(signal ? { signal } : {}),
    })
    text = await response.text()
  } catch (error) {
    signal?.throwIfAborted()
    return { ok: false, error, fate: neverConnected(error) ? 'unreached' : 'unknown', retryAfterMs: null }
  }
  noteAnswer(addressOf(to), response.status)
  const newPosition = response.headers.get('comptoir-position')
  if (newPosition !== null || (response.ok && !safe)) position?.observe(newPosition)
  return response.ok ? success(response.status, text) : failure(response, text)
}

/** In a page a name of our own would be one more header that another origin has to allow. */
const inPage = 'document' in globalThis

/** Headers of every request. */
export async function headersFor(
  { key, database, userAgent }: ConnectOptions,
  hasBody: boolean,
): Promise<Headers> {
  const headers = new Headers({ accept: 'application/json' })
  const agent = userAgent ?? (inPage ? undefined : 'comptoir-client')
  if (agent !== undefined) headers.set('user-agent', agent)
  headers.set('authorization', `bearer ${typeof key === 'function' ? await key() : key}`)
  if (hasBody) headers.set('content-type', 'application/json; charset=utf-8')
  // Two names of one header: servers know the one or the other.
  if (database !== undefined)
    for (const name of ['x-service-database', 'x-odoo-database']) headers.set(name, database)
  return headers
}

function success(status: number, text: string): Attempt {
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    const error = unreadable(status, 'The answer is not JSON. Is this the address of the server itself?')
    return { ok: false, error, fate: 'judged', retryAfterMs: null }
  }
}

function failure({ status, headers }: Response, text: string): Attempt {
  const retryAfter = seconds(headers.get('retry-after'))
  const code = headers.get('error-code')
  const outcome = headers.get('x-comptoir-outcome')
  const error = failureOf(status, failedIn(text), { retryAfter, code, outcome })
  return {
    ok: false,
    error,
    fate: AWAY.has(status) ? (outcome === 'undone' ? 'unreached' : 'unknown') : outcomeOf(error, code),
    retryAfterMs: retryAfter === null ? null : retryAfter * 1000,
  }
}

/** Exceptions after which the transaction was discarded and the same call may succeed. */
const discarded = new Set([
  'odoo.exceptions.LockError',
  'psycopg2.errors.SerializationFailure',
  'psycopg2.errors.DeadlockDetected',
  'psycopg2.errors.LockNotAvailable',
])

/** The fate of a call that the server itself refused. */
function outcomeOf({ status, wireName }: ServiceError, code: string | null): Fate {
  // It was done, and says so however often it is asked.
  if (code === 'idempotency_answer_not_kept') return 'judged'
  // An earlier attempt, whose answer was lost, is still at work.
  if (code === 'idempotency_in_progress') return 'unknown'
  // 429 comes from in front of the server: nothing was begun.
  if (discarded.has(wireName) || status === 429) return 'undone'
  return status === 409 ? 'unknown' : 'judged'
}

/** Retry-After is seconds or a date. Null when absent or neither. */
function seconds(header: string | null): number | null {
  if (header === null) return null
  const delaySeconds = /^\d+$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(delaySeconds) ? null : Math.max(0, delaySeconds)
}

const connectCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

/** Node says why a fetch failed; browsers do not, so there nothing is sure. */
function neverConnected(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return (
    typeof cause === 'object' && cause !== null && 'code' in cause && connectCodes.has(String(cause.code))
  )
}
