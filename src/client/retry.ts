// When a call may be sent again, and how long to wait before.

/**
 * State of a failed call on the server's side.
 * `judged`: the answer is final. `undone`: lost against another transaction and rolled back, may succeed a
 * moment later. `unreached`: the server is away and did nothing. `unknown`: it is away, or still at work, and
 * may have done it.
 */
export type Fate = 'judged' | 'undone' | 'unreached' | 'unknown'

/** Outcome of one attempt. `retryAfterMs`: the delay that the server asked for, null without one. */
export type Attempt =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown; readonly fate: Fate; readonly retryAfterMs: number | null }

/**
 * When and how often failed calls are repeated. Calls that may have had an effect are repeated only if
 * they are safe or have an idempotency key.
 */
export interface RetryPolicy {
  /**
   * Times that a call is sent at most; 1 never repeats. Default 4, and while a server that answered before is
   * away as often as `patienceMs` allows.
   */
  readonly attempts?: number
  /** Waits in all for a server that is away, in milliseconds, where `attempts` is not set. Default 30 000. */
  readonly patienceMs?: number
  /** Longest wait before the second attempt, in milliseconds; doubles with every further one. Default 200. */
  readonly baseMs?: number
  /**
   * No wait is longer; a server that asks for more is believed and its error thrown at once. Default 10 000.
   */
  readonly maxMs?: number
  /** Waits; throws the signal's reason when it is aborted. For tests and for clocks of one's own. */
  readonly wait?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

/** A call as far as its repetition is concerned. */
export interface Repeatable {
  /** Running it again changes nothing more. */
  readonly safe: boolean
  readonly signal: AbortSignal | undefined
  /** Whether the server answered before. */
  readonly hasAnswered?: () => boolean
}

/** Only what surely left no trace is repeated, or what leaves none however often it runs (`safe`). */
export const mayRepeat = (fate: Fate, safe: boolean): boolean =>
  fate === 'unknown' ? safe : fate !== 'judged'

/**
 * Sends a call until it succeeds or may not be repeated. Throws the error of the last attempt, or the
 * signal's reason.
 */
export async function repeat(
  attempt: () => Promise<Attempt>,
  { safe, signal, hasAnswered = () => false }: Repeatable,
  { attempts, baseMs = 200, maxMs = 10_000, patienceMs = 30_000, wait = sleep }: RetryPolicy = {},
): Promise<unknown> {
  let waited = 0
  for (let tries = 1; ; tries++) {
    signal?.throwIfAborted()
    const outcome = await attempt()
    if (outcome.ok) return outcome.value
    const isPatient =
      attempts === undefined && Math.min(baseMs, maxMs) > 0 && outcome.fate !== 'undone' && hasAnswered()
    const left = isPatient ? patienceMs - waited : maxMs
    // Full jitter: those who were refused together do not come back together.
    const jitter = Math.random() * Math.min(maxMs, baseMs * 2 ** (tries - 1))
    // Patience is counted in waits: it would never end with a server that wants to be asked at once.
    const pause = (isPatient ? outcome.retryAfterMs || null : outcome.retryAfterMs) ?? jitter
    const isOver = isPatient ? left <= 0 : tries >= (attempts ?? 4)
    if (isOver || pause > maxMs || !mayRepeat(outcome.fate, safe)) throw outcome.error
    await wait(Math.min(pause, left), signal)
    waited += pause
  }
}

function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((done, fail) => {
    const stop = () => {
      clearTimeout(timer)
      fail(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      done()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
