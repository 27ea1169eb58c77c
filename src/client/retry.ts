// When a call may be sent again, and how long to wait before.

/**
 * What became of a failed call on the server's side.
 * `judged`: answered for good. `undone`: lost against another transaction and was discarded, may succeed a
 * moment later. `unreached`: no connection came about. `unknown`: it may have been done. A 503 counts as
 * unknown, since the database may have gone away while it committed.
 */
export type Fate = 'judged' | 'undone' | 'unreached' | 'unknown'

/** How one attempt ended. `retryAfterMs`: what the server asked for, null when it did not. */
export type Attempt =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: unknown; readonly fate: Fate; readonly retryAfterMs: number | null }

export interface RetryPolicy {
  /** How often a call is sent at most; 1 never repeats. Default 4. */
  readonly attempts?: number
  /** Longest wait before the second attempt, in milliseconds; doubles with every further one. Default 200. */
  readonly baseMs?: number
  /**
   * No wait is longer; a server that asks for more is believed and its error thrown at once. Default 10 000.
   */
  readonly maxMs?: number
  /** Waits; throws the signal's reason when it is aborted. For tests and for clocks of one's own. */
  readonly wait?: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

/** Whether running a call again changes nothing more; for those who have to ask first. */
export type Safety = boolean | (() => Promise<boolean>)

/** Only what surely left no trace is repeated, or what leaves none however often it runs (`safe`). */
export async function mayRepeat(fate: Fate, safe: Safety): Promise<boolean> {
  if (fate !== 'unknown') return fate !== 'judged'
  return typeof safe === 'function' ? safe() : safe
}

/**
 * Sends a call until it succeeds or may not be repeated. Throws the error of the last attempt, or the
 * signal's reason.
 */
export async function repeat(
  attempt: () => Promise<Attempt>,
  call: { readonly safe: Safety; readonly signal: AbortSignal | undefined },
  { attempts = 4, baseMs = 200, maxMs = 10_000, wait = sleep }: RetryPolicy = {},
): Promise<unknown> {
  for (let tries = 1; ; tries++) {
    call.signal?.throwIfAborted()
    const outcome = await attempt()
    if (outcome.ok) return outcome.value
    // Full jitter: those who were refused together do not come back together.
    const pause = outcome.retryAfterMs ?? Math.random() * Math.min(maxMs, baseMs * 2 ** (tries - 1))
    if (tries >= attempts || pause > maxMs || !(await mayRepeat(outcome.fate, call.safe))) throw outcome.error
    await wait(pause, call.signal)
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
